"""What the exercises of the notebooks are, one file each: titles, marks, hints and solutions."""
