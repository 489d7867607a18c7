"""The pictures of the README, made from the widgets: a test fails when they show earlier ones.

`make pictures` writes them, light and dark, with a text beside them: what a screen reader is told
of the same widget. A test compares this text with that of the widget of today, because pixels
differ between machines.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from course import SearchStepper
from gamelib import GameTree, alphabeta
from tests.browser.conftest import ROOT, noted
from tests.browser.max_twice import max_twice

FOLDER = ROOT / "docs" / "pictures"
WRITE = bool(os.environ.get("WRITE_PICTURES"))
SIZE = {"width": 880, "height": 510}  # of the window, in CSS pixels
# A picture ends a little below the last thing that is shown.
BOTTOM = """
    const shown = [...document.querySelectorAll("body *")].filter(e => !e.children.length);
    Math.max(...shown.map(e => e.getBoundingClientRect().bottom)) + 12
"""


def cut() -> tuple[SearchStepper, str, str]:
    """Return a stepper of alpha-beta, what it says at its first cut, and the key to get there."""
    stepper = SearchStepper(alphabeta, GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]))
    return stepper, "Cut: this node is at most 2", "ArrowRight"


def own_program() -> tuple[SearchStepper, str, str]:
    """Return a stepper of a learner's program, what it says where that is wrong, and the key."""
    return SearchStepper(max_twice, [*"XO.OX...."], True), "The first wrong answer", "End"


@pytest.mark.parametrize("make", [cut, own_program])
def test_picture_shows_the_widget_of_today(
    browser: Browser, tmp_path: Path, make: Callable[[], tuple[SearchStepper, str, str]]
) -> None:
    stepper, sentence, key = make()
    stepper.to_html(tmp_path / "stepper.html")
    told = ""
    for scheme in ("light", "dark"):
        with browser.new_context(
            viewport=SIZE, device_scale_factor=2, color_scheme=scheme
        ) as context:
            page = context.new_page()
            wrong = noted(page, "file:")
            page.goto((tmp_path / "stepper.html").as_uri())
            page.get_by_role("status").wait_for()
            while sentence not in page.get_by_role("status").inner_text():
                page.keyboard.press(key)
            expect(page.get_by_role("status")).to_contain_text(sentence)
            told = page.locator("body").aria_snapshot() + "\n"
            if WRITE:
                height = min(page.evaluate(BOTTOM), SIZE["height"])
                clip = {"x": 0, "y": 0, "width": SIZE["width"], "height": height}
                page.screenshot(path=FOLDER / f"{make.__name__}-{scheme}.png", clip=clip)
            assert wrong == []
    stored = FOLDER / f"{make.__name__}.txt"
    if WRITE:
        stored.write_text(told, encoding="utf-8")
    assert told == stored.read_text(encoding="utf-8"), (
        f"docs/pictures/{make.__name__}-*.png show an earlier widget: run `make pictures`"
    )
