"""Pictures of positions: pure functions, to SVG."""

from gamelib.picture.board import Mark, board_kind, position, position_or_none
from gamelib.picture.picture import picture

__all__ = ["Mark", "board_kind", "picture", "position", "position_or_none"]
