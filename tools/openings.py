"""Print the table of `course/kit/openings.py`, found by `solve`: `python -m tools.openings`.

On one core that takes about an hour.
"""

import sys
from textwrap import wrap

from course.kit.openings import DIGITS, LOWEST, last_positions
from gamefast.fast import fast
from gamelib import ConnectFour, solve


def score(state: ConnectFour) -> int:
    """Return half of the cells left when the game is over, rounded up, with the winner's sign."""
    result = fast(solve)(state, only_value=True)
    if result.distance is None:
        return 0
    free = sum(state.cell(row, col) is None for row in range(6) for col in range(7))
    return int(result.value or 0) * ((free - result.distance) // 2 + 1)


def main() -> None:
    """Print the table, as the file has it."""
    digits = ""
    for state in last_positions():
        digits += DIGITS[score(state) - LOWEST]
        print(len(digits), end="\r", file=sys.stderr)
    print(*wrap(digits, 96), sep="\n")


if __name__ == "__main__":
    main()
