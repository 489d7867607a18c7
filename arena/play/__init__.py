"""Matches and tournaments, which play the games of a schedule here or in worker processes."""
