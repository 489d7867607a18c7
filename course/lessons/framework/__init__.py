"""What notebook 01_framework needs besides its text: checks, mistakes, hints and questions."""
