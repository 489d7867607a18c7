"""Pictures of positions: pure functions, to SVG."""

from gamelib.svg.board import board_svg, state_svg

__all__ = ["board_svg", "state_svg"]
