"""Marks for a class: students' programs in processes of their own, the verdicts outside of them."""
