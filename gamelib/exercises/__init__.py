"""Exercises: positions to measure on, checks with feedback, broken specimens."""
