"""What notebook 04_mcts needs besides its text: checks, mistakes, hints and questions."""
