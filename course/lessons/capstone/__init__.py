"""What notebook 08_capstone needs besides its text: checks, mistakes, hints and questions."""
