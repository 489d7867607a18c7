"""Pictures of positions: pure functions that return SVG."""

from gamelib.svg.board import board_svg, state_svg

__all__ = ["board_svg", "state_svg"]
