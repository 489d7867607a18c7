"""What notebook 05_solver needs besides its text: checks, mistakes, hints and questions."""
