"""Pictures of positions: pure functions, to SVG."""

from gamelib.picture.board import picture, position

__all__ = ["picture", "position"]
