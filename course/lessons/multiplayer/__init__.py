"""Modules and tables of notebook 06_multiplayer: checks, mistakes, hints and quizzes."""
