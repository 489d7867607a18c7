"""Widgets for Jupyter: they own no game and no search, and every one can be driven from code."""
