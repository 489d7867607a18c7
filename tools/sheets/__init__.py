"""Print sheets with exercises on paper, one for each student of a class, and their key."""
