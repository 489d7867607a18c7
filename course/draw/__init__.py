"""Drawings of trees and charts: pure functions of games and traces, independent of widgets."""

from course.draw import charts
from course.draw.tree import tree, tree_text

__all__ = ["charts", "tree", "tree_text"]
