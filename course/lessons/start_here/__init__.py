"""Modules and tables of notebook 00_start_here: opponents, hints and quizzes."""
