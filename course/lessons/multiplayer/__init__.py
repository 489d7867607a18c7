"""What notebook 06_multiplayer needs besides its text: checks, mistakes, hints and questions."""
