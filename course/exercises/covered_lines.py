"""Lines of the library that a learner is asked to write: blank in a stepper until that is done."""

from __future__ import annotations

_covered: dict[str, str] = {}  # check -> how the line begins


def cover_line(check: str, beginning: str) -> None:
    """Hide the lines of the library that begin like this until a check has been passed."""
    _covered.setdefault(check, beginning)


def uncover_line(check: str) -> None:
    """Show the line that a check has asked for; it has been passed."""
    if check in _covered:
        _covered[check] = ""


def without_answer(line: str) -> str:
    """Return a line of the library, with dots in its place if a learner is still to write it."""
    text = line.lstrip()
    hidden = any(beginning and text.startswith(beginning) for beginning in _covered.values())
    return line[: len(line) - len(text)] + "..." if hidden else line
