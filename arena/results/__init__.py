"""What matches show: rows, shares with their intervals, ratings and tables."""
