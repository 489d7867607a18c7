"""Modules and tables of notebook 03_alpha_beta: checks, mistakes, hints and quizzes."""
