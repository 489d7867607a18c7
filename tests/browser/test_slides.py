"""Slides in a real browser: a file, no server, and no request to anybody."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tools.lecture import slides

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
# How far down and to the right things reach on the slide that is seen, all fragments shown: at
# first, after each answer of a quiz, and at the steps of a search.
REACH = """() => {
    const slide = Reveal.getCurrentSlide(), at = slide.getBoundingClientRect();
    const panes = '.gl-tree, .gl-program, .gl-scores, svg'; // each has a size of its own
    const reach = { id: slide.id, down: 0, right: 0, clipped: [] };
    const look = () => {
        for (const one of slide.querySelectorAll('*')) {
            if (!one.getClientRects().length || one.parentElement.closest(panes)) continue;
            const box = one.getBoundingClientRect();
            reach.down = Math.max(reach.down, (box.bottom - at.top) / Reveal.getScale());
            reach.right = Math.max(reach.right, (box.right - at.left) / Reveal.getScale());
            if (one.matches('pre, .drawing, .gl-scroll, .gl-program, .gl-scores')
                && one.scrollWidth > one.clientWidth + 1) reach.clipped.push(one.className);
        }
    };
    look();
    for (const choice of slide.querySelectorAll('.gl-live :is([type=radio], label [type=checkbox])')) {
        choice.click();
        [...choice.closest('.gl-live').querySelectorAll('button')].at(-1).click();
        look();
    }
    for (const field of slide.querySelectorAll('.gl-predict [size]')) {
        field.value = '1,000,000';
        field.nextSibling.click();
        look();
    }
    for (const slider of slide.querySelectorAll('.gl-stepper [type=range]')) {
        for (let step = 0; step <= +slider.max; step += Math.ceil(+slider.max / 20)) {
            slider.value = step;
            slider.oninput();
            look();
        }
    }
    return reach;
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
