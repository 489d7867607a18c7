"""What notebook 07_experiments needs besides its text: checks, mistakes, hints and questions."""
