"""Parts of widgets: buttons and rows of them, and controls by which a lab or a search is set."""

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
    made = Button(description=name, tooltip=tooltip, button_style=style)
    made.on_click(lambda _: react())
    return made


def add_css_classes(widget: Any, *names: str) -> Any:
    """Return a widget after giving it these classes of the style sheets."""
    for name in names:
        widget.add_class(name)
    return widget


def row(*widgets: Any) -> HBox:
    """Return widgets in a row, which goes on below where there is no room."""
    return add_css_classes(HBox(widgets), "gl-row")


def side_by_side(*widgets: Any) -> HBox:
    """Return large widgets beside each other, or below where there is no room."""
    return add_css_classes(HBox(widgets), "gl-side-by-side")


def slider(name: str, low: float, high: float, value: float, step: float = 1) -> Any:
    """Return a control for a number; whole numbers if the step is one."""
    kind = IntSlider if isinstance(step, int) else FloatSlider
    return kind(value, min=low, max=high, step=step, description=name, continuous_update=False)


def selection_slider(name: str, options: Iterable[float], value: float) -> SelectionSlider:
    """Return a control for one of a few numbers."""
    named = [(f"{number:,}", number) for number in options]
    return SelectionSlider(options=named, value=value, description=name, continuous_update=False)


def dropdown(name: str, options: Iterable[Any]) -> Dropdown:
    """Return a control for one of several things; the first one is chosen."""
    return Dropdown(options=list(options), description=name)


def checkbox(name: str, value: bool = False) -> Checkbox:
    """Return a control that is on or off."""
    return Checkbox(value, description=name, indent=False)
