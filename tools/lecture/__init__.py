"""Turn notebooks into slides for a lecture, and into worksheets on paper."""
