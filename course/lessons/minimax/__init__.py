"""What notebook 02_minimax needs besides its text: checks, mistakes, hints and questions."""
