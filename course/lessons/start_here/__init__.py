"""What notebook 00_start_here needs besides its text: checks, mistakes, hints and questions."""
