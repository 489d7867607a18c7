"""The command `python -m gamefast`, which compiles every search and stores the code on disk."""

import sys

if __name__ == "__main__":
    try:
        from gamefast.compiled import warm
    except ImportError as error:
        sys.exit(str(error))
    warm()
