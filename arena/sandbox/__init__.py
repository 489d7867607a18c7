"""Agents from files: each in a process of its own, under limits."""
