"""What notebook 09_chance needs besides its text: checks, mistakes, hints and questions."""
