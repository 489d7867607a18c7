"""Matches: who plays whom, how often, and on which workers."""
