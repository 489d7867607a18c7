"""Sheets of exercises to print, one for each student of a class, and their key."""
