"""Drawings of trees and charts: pure functions of games and events.  They know no widget."""

from course.draw import charts
from course.draw.tree import tree, tree_text

__all__ = ["charts", "tree", "tree_text"]
