"""The command line: python -m arena."""
