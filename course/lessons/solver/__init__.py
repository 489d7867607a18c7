"""Modules and tables of notebook 05_solver: checks, mistakes, hints and quizzes."""
