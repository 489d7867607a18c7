"""Pictures of positions: pure functions, to SVG."""

from gamelib.picture.board import Mark, picture, position

__all__ = ["Mark", "picture", "position"]
