"""Modules and tables of notebook 10_knowledge: checks, mistakes, hints and quizzes."""
