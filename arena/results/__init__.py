"""The results of matches: records of games, shares with intervals, ratings and tables."""
