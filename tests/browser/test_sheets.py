"""Sheets in print: everything fits on a page, of A4 and of Letter."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.messages import broken
from tools.sheets.__main__ import main
from tools.sheets.topics import TOPICS as KINDS

MM = 96 / 25.4  # CSS pixels
# What is left of a page between its margins: 15 mm at the sides, 14 mm above and below.
A4, LETTER = (210 - 30, 297 - 28), (216 - 30, 279 - 28)


@pytest.fixture(scope="module")
def page_of_all(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the sheets of five students with every kind of question."""
    folder = tmp_path_factory.mktemp("sheets")
    (folder / "class.csv").write_text("".join(f"s{number}, Student\n" for number in range(5)))
    words = [str(folder / "class.csv"), "--exercise", ",".join(KINDS), "--out", str(folder)]
    assert main(words) == 0
    return folder / "sheets.html"


@pytest.mark.parametrize("paper", [A4, LETTER], ids=["A4", "Letter"])
def test_questions_fit_the_printed_page(
    browser: Browser, page_of_all: Path, paper: tuple[int, int]
) -> None:
    width, height = (int(size * MM) for size in paper)
    with browser.new_context(viewport={"width": width, "height": height}) as context:
        page = context.new_page()
        page.emulate_media(media="print", color_scheme="dark")
        page.goto(page_of_all.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        boxes = page.eval_on_selector_all(
            ".question", "all => all.map(one => one.getBoundingClientRect().toJSON())"
        )
        assert len(boxes) == 5 * len(KINDS)
        assert max(box["height"] for box in boxes) < 0.6 * height
        over = page.eval_on_selector_all(
            ".question *",
            "all => all.filter(e => e.getBoundingClientRect().right > "
            "e.closest('.question').getBoundingClientRect().right + 1).map(e => e.outerHTML)",
        )
        assert over == [], broken("These parts of a question are wider than the page:", over)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
            "rgb(255, 255, 255)"
        )


def test_sheets_of_one_student_are_few(browser: Browser, page_of_all: Path) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(page_of_all.as_uri())
        printed = page.pdf(format="A4", prefer_css_page_size=False)
    pages = len(re.findall(rb"/Type\s*/Page\b", printed))
    assert pages <= 5 * len(KINDS) / 2
