"""The class at a glance: one page from the records in the notebooks that were handed in."""
