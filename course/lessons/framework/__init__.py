"""Modules and tables of notebook 01_framework: checks, mistakes, hints and quizzes."""
