"""A pane with a tree that fits its width, follows the search, and can be clicked."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from ipywidgets import HTML, Box, Button, ButtonStyle, Layout

from course.draw.tree import TreeDrawing
from course.draw.wording import capital, format_path
from course.tracing.visits import Path
from course.widgets.controls import add_css_classes

SPARE = 30  # the number of buttons before free ones are reused under another name

_numbers = count()


class TreePane(Box):
    """A pane with a tree; `clicked(path)` is called when a node is clicked."""

    def __init__(self, clicked: Callable[[Path], object]) -> None:
        self._html, self._clicked = HTML(), clicked
        self._buttons: list[Button] = []
        self._paths: list[Path] = []  # the node under each button
        self._layout, self._style = Layout(), ButtonStyle()
        self._name = f"gl-tree-{next(_numbers)}"
        self._stage = add_css_classes(Box([self._html]), "gl-stage")
        super().__init__([self._stage])
        add_css_classes(self, "gl-tree", self._name)

    @property
    def svg(self) -> str:
        """The SVG that is shown."""
        return str(self._html.value).split("</style>", 1)[-1]

    def show(self, stage: TreeDrawing) -> None:
        """Show a tree, scrolled so that the current node is visible."""
        self._cover(list(stage.boxes))
        width, height = stage.width, stage.height
        tree = f".gl-tree.{self._name}"
        rules = [f"{tree} {{ --wide: {width:g}; --high: {height:g}; }}"]
        for number, path in enumerate(self._paths):
            if box := stage.boxes.get(path):
                css = box_css(box, width, height)
                rules.append(f"{tree} .gl-node-{number} {{ display: block; {css} }}")
        current = (
            box_css(stage.current_box, width, height) if stage.current_box else "display: none;"
        )
        mark = f'<i class="gl-here" style="{current}"></i>'
        self._html.value = f"<style>{' '.join(rules)}</style>{stage.svg}{mark}"

    def _cover(self, paths: list[Path]) -> None:
        """Put a button on every node; some stay unused, because each new name is a message."""
        unused = [number for number, path in enumerate(self._paths) if path not in paths]
        for path in (path for path in paths if path not in self._paths):
            if len(self._buttons) < SPARE or not unused:
                self._new_button(path)
            else:
                number = unused.pop(0)
                self._paths[number] = path
                self._buttons[number].description = _said(path)
        if len(self._stage.children) <= len(self._buttons):
            self._stage.children = [self._html, *self._buttons]

    def _new_button(self, path: Path) -> None:
        number = len(self._buttons)
        # shared, so that it is one message instead of four
        looks = {"layout": self._layout, "style": self._style}
        button = Button(description=_said(path), _dom_classes=(f"gl-node-{number}",), **looks)
        button.on_click(lambda _: self._clicked(self._paths[number]))
        self._buttons.append(button)
        self._paths.append(path)


def _said(path: Path) -> str:
    """Return the name of a node for screen readers."""
    stub = path[-1:] == ("...",)
    return f"More of {format_path(path[:-1])}" if stub else capital(format_path(path))


def box_css(box: tuple[float, float, float, float], width: float, height: float) -> str:
    """Return the CSS that puts an element over a box of a drawing, in percent of its size."""
    left, top, wide, high = box
    shares = {"left": left / width, "top": top / height, "width": wide / width}
    shares["height"] = high / height
    return " ".join(f"{name}: {100 * share:.2f}%;" for name, share in shares.items())
