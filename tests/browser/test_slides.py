"""Slides in a real browser: a file, no server, and no request to anybody."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tools.lecture import slides

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
# How far down and to the right things reach on the slide that is seen, all fragments shown.
REACH = """() => {
    const slide = Reveal.getCurrentSlide(), at = slide.getBoundingClientRect();
    const panes = '.gl-tree, .gl-program, .gl-scores, svg';  // each has a size of its own
    const seen = [...slide.querySelectorAll('*')].filter(one =>
        one.getClientRects().length && !one.parentElement.closest(panes));
    const boxes = seen.map(one => one.getBoundingClientRect());
    const wide = [...slide.querySelectorAll('pre, .drawing, .gl-scroll, .gl-program')]
        .filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.className);
    return {
        id: slide.id, clipped: wide,
        down: Math.max(...boxes.map(box => box.bottom - at.top)) / Reveal.getScale(),
        right: Math.max(...boxes.map(box => box.right - at.left)) / Reveal.getScale(),
    };
}"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Page:
    size = {"width": slides.WIDE, "height": slides.HIGH}
    with browser.new_context(viewport=size) as context:
        yield context.new_page()


def opened(page: Page, file: Path) -> list[str]:
    """Open slides, and return what goes wrong from now on, or is asked of another host."""
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: message.type == "error" and wrong.append(message.text))
    page.on("request", lambda asked: asked.url.startswith("file:") or wrong.append(asked.url))
    page.goto(file.as_uri())
    page.wait_for_function("Reveal.isReady()")
    return wrong


@pytest.mark.parametrize("name", ["02_minimax", "03_alpha_beta", "04_mcts"])
def test_nothing_is_higher_than_a_slide(name: str, page: Page, tmp_path: Path) -> None:
    wrong = opened(page, slides.build(NOTEBOOKS / f"{name}.ipynb", tmp_path))
    places = page.evaluate("Reveal.getSlides().map(one => Reveal.getIndices(one))")
    assert len(places) > 40
    for place in places:
        page.evaluate("({ h, v }) => Reveal.slide(h, v, 99)", place)
        reach = page.evaluate(REACH)
        if reach["down"] > slides.HIGH or reach["right"] > slides.WIDE or reach["clipped"]:
            wrong.append(str(reach))
    assert wrong == []
