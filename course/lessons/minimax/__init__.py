"""Modules and tables of notebook 02_minimax: checks, mistakes, hints and quizzes."""
