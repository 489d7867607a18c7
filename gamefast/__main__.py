"""The command `python -m gamefast`, which compiles every search and stores the code on disk."""

from gamefast.compiled import warm

if __name__ == "__main__":
    warm()
