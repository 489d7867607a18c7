"""Modules and tables of notebook 11_learning: a net, its training, checks and quizzes."""
