"""`python -m gamefast` makes the machine code of every search, once; then it is on disk."""

from gamefast.compiled import warm

if __name__ == "__main__":
    warm()
