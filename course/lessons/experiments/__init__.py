"""Modules and tables of notebook 07_experiments: checks, mistakes, hints and quizzes."""
