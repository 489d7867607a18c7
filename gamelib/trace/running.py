"""Where in the program that ran each event was told."""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import NamedTuple

from gamelib.search.events import SHOWN


class Place(NamedTuple):
    """A line of a function; its number is that in its file."""

    code: CodeType
    line: int


def place_now() -> Place:
    """Return where the search is that is telling an event to the caller of this function.

    That is in the function marked as `shown`, or else in the one that tells it.
    """
    teller = sys._getframe(2)
    frame: FrameType | None = teller
    while frame is not None:
        if frame.f_code in SHOWN:
            return Place(frame.f_code, frame.f_lineno)
        frame = frame.f_back
    return Place(teller.f_code, teller.f_lineno)
