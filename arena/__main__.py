"""The command `python -m arena`, which runs match-ups and tournaments."""

import sys

from arena.cli import main

if __name__ == "__main__":
    sys.exit(main())
