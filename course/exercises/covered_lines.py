"""The library lines that a learner is asked to write, which a stepper hides until then."""

from __future__ import annotations

_covered: dict[str, str] = {}  # check -> the beginning of the line


def cover_line(check: str, beginning: str) -> None:
    """Hide the library lines that begin like this until the check has been passed."""
    _covered.setdefault(check, beginning)


def uncover_line(check: str) -> None:
    """Show the line of a check, because it has been passed."""
    if check in _covered:
        _covered[check] = ""


def without_answer(line: str) -> str:
    """Return a library line, replaced by dots if a learner has not written it yet."""
    text = line.lstrip()
    hidden = any(beginning and text.startswith(beginning) for beginning in _covered.values())
    return line[: len(line) - len(text)] + "..." if hidden else line
