"""What notebook 03_alpha_beta needs besides its text: checks, mistakes, hints and questions."""
