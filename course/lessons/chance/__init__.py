"""Modules and tables of notebook 09_chance: checks, mistakes, hints and quizzes."""
