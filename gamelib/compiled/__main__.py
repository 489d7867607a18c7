"""`python -m gamelib.compiled` makes the machine code of every search, once; then it is on disk."""

from gamelib.compiled.searches import warm

if __name__ == "__main__":
    warm()
