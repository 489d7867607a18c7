"""A notebook for the lecture hall: as slides, and on paper."""
