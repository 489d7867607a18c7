"""Show the progress of a class on one page, from the logs in the submitted notebooks."""
