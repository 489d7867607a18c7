"""Matches and tournaments: they play the games of a schedule, here or in worker processes."""
