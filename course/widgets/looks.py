"""How the squares of a board look, as one style sheet that changes as a whole.

All that is seen of a position reaches the browser in one message.  A class for each square would
be a message each, and a connection may keep back what comes second: JupyterLab's by 0.04 s.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from gamelib.picture.board import TINTS, Tint

# The colours of the players, dark enough for letters on white.
INKS = ("#0072B2", "#D55E00", "#007A59", "#A8477F", "#8A5F00", "#1B74A8")

LOOKS: dict[str, str] = {
    **{f"p{player}": f"color: {ink}; font-weight: 700;" for player, ink in enumerate(INKS)},
    **{f"disc-p{n}": f"background: {ink}; color: #ffffff;" for n, ink in enumerate(INKS)},
    "drawn": "background: #1a1a1a;",
    **{
        kind: f"background: {tint}; color: #1a1a1a; font-weight: 700;"
        for kind, tint in TINTS.items()
    },
    # After the tints: a piece that can be taken stands on one.
    **{
        f"piece-p{n}": f"background-image: radial-gradient(circle closest-side, {ink} 82%, "
        "#1a1a1a 83%, #1a1a1a 86%, transparent 87%); color: #ffffff; font-weight: 700;"
        for n, ink in enumerate(INKS)
    },
    "last": "outline: 2px dashed #5c5c5c; outline-offset: -5px;",
    "disc-last": "outline: 3px solid #ffffff; outline-offset: 0;",
    "won": "background: #FBEBB0; border: 3px solid #1a1a1a;",
    "disc-won": "outline: 4px solid #FBEBB0; outline-offset: 0; border: 3px solid #1a1a1a;",
    "chosen": "border: 4px solid #1a1a1a;",
    "taken": "visibility: hidden;",
}
WAITING = "opacity: 0.75; pointer-events: none;"


@dataclass(frozen=True)
class Mark:
    """What a board writes over one action: a short text, on a tint that says the same."""

    text: str
    kind: Tint = "plain"


def label_lines(content: str) -> list[str]:
    """Return the lines of a label: "win 3" has two, ">= -1" has one."""
    return content.split(" ", 1) if content[:1].isalpha() else [content]


@dataclass(frozen=True)
class Look:
    """How a square looks: some of `LOOKS` by name, and what is written on it, in pixels."""

    names: tuple[str, ...] = ()
    text: str = ""
    size: float = 14

    @property
    def style(self) -> str:
        """The declarations for the square itself."""
        return " ".join(LOOKS[name] for name in self.names)

    @property
    def writing(self) -> str:
        """The declarations for what is written on it, silent for screen readers."""
        text = self.text.replace("/", "\N{FRACTION SLASH}")  # a plain one could end the sheet
        lines = label_lines(re.sub(r"[^\w .,=<>%+?~\u00a0\u2044-]", "", text))
        content = r"\A ".join(lines)
        return f'content: "{content}"; content: "{content}" / ""; font-size: {self.size:g}px;'


def sheet(board: str, looks: Mapping[str, Look], *, waiting: bool = False) -> str:
    """Return HTML of the style sheet of a board, a class; `looks` names its squares by class."""
    alike: dict[Look, list[str]] = {}
    for square, look in looks.items():
        alike.setdefault(look, []).append(f".{square}")
    rules = [f".gl-card.{board} {{ {WAITING} }}"] if waiting else []
    for look, squares in alike.items():
        which = f".gl-card.{board} .jupyter-button:is({', '.join(squares)})"
        rules += [f"{which} {{ {look.style} }}"] if look.names else []
        rules += [f"{which}::before {{ {look.writing} }}"] if look.text else []
    return f"<style>{' '.join(rules)}</style>"
