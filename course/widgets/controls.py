"""Small widgets that others are built from: buttons, rows, and controls of labs and searches."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ipywidgets import (
    Button,
    Checkbox,
    Dropdown,
    FloatSlider,
    HBox,
    IntSlider,
    SelectionSlider,
)


def button(name: str, react: Callable[[], object], tooltip: str, style: str = "") -> Button:
    """Return a button that calls `react` when it is clicked."""
    widget = Button(description=name, tooltip=tooltip, button_style=style)
    widget.on_click(lambda _: react())
    return widget


def add_css_classes(widget: Any, *names: str) -> Any:
    """Add CSS classes to a widget and return it."""
    for name in names:
        widget.add_class(name)
    return widget


def row(*widgets: Any) -> HBox:
    """Return widgets in a row, which wraps if there is not enough space."""
    return add_css_classes(HBox(widgets), "gl-row")


def side_by_side(*widgets: Any) -> HBox:
    """Return large widgets next to each other, or below each other if there is not enough space."""
    return add_css_classes(HBox(widgets), "gl-side-by-side")


def slider(name: str, low: float, high: float, value: float, step: float = 1) -> Any:
    """Return a control for a number; for whole numbers if the step is an int."""
    kind = IntSlider if isinstance(step, int) else FloatSlider
    return kind(value, min=low, max=high, step=step, description=name, continuous_update=False)


def selection_slider(name: str, options: Iterable[float], value: float) -> SelectionSlider:
    """Return a control for one of a few numbers."""
    named = [(f"{number:,}", number) for number in options]
    return SelectionSlider(options=named, value=value, description=name, continuous_update=False)


def dropdown(name: str, options: Iterable[Any]) -> Dropdown:
    """Return a control for one of several values; the first one is chosen."""
    return Dropdown(options=list(options), description=name)


def checkbox(name: str, value: bool = False) -> Checkbox:
    """Return a control that is on or off."""
    return Checkbox(value, description=name, indent=False)
