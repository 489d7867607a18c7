"""Modules and tables of notebook 04_mcts: checks, mistakes, hints and quizzes."""
