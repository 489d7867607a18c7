"""Modules and tables of notebook 08_capstone: checks, mistakes, hints and quizzes."""
