"""Slides in a real browser: a file, no server, and no request to anybody."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from playwright.sync_api import Browser, Page, expect

from course import FillInTree, SearchStepper
from course.widgets.stepper_export import fragment
from gamelib import GameTree, alphabeta, maxn
from tests.browser.conftest import noted
from tests.messages import broken
from tools.lecture import slides, worksheets
from tools.refresh_notebooks import execute, read_notebook
from tools.site import fragments, pages

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
    const choices = '.gl-live :is([type=radio], label [type=checkbox])';
    for (const choice of slide.querySelectorAll(choices)) {
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


# The steps at which the line that runs is not in view, on a slide that fills a larger screen.
LIT = """() => {
    const search = document.querySelector('.gl-stepper');
    const slider = search.querySelector('[type=range]');
    const pane = search.querySelector('.gl-program').getBoundingClientRect(), out = [];
    for (let step = 1; step <= +slider.max; step += 1) {
        slider.value = step;
        slider.oninput();
        const lit = search.querySelector('.gl-runs')?.getBoundingClientRect();
        if (lit && (lit.top < pane.top - 1 || lit.bottom > pane.bottom + 1)) out.push(step);
    }
    return out;
}"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    size = {"width": slides.SLIDE_WIDTH, "height": slides.SLIDE_HEIGHT}
    with browser.new_context(viewport=size) as context:
        yield context.new_page()


def opened(page: Page, file: Path) -> list[str]:
    """Open slides, and return what goes wrong from now on, or is asked of another host."""
    wrong = noted(page, "file:")
    page.goto(file.as_uri())
    page.wait_for_function("Reveal.isReady()")
    return wrong


# The programs, their outputs and the numbers of cells with less than 20 pixels, at 1280 by 720.
SMALL = """() => {
    const slide = Reveal.getCurrentSlide(), small = [];
    const read = 'pre, .gl-program .gl-code div, .gl-below td, svg:has(> desc) > text';
    for (const one of slide.querySelectorAll(read)) {
        if (!one.getClientRects().length || !one.textContent.trim()) continue;
        const board = one.closest('svg');
        if (board && !(/^\\d+$/.test(one.textContent)
            && board.querySelector('desc').textContent.startsWith('row 1'))) continue;
        const scale = board ? board.getScreenCTM().a / Reveal.getScale() : one.currentCSSZoom ?? 1;
        const size = scale * parseFloat(getComputedStyle(one).fontSize);
        if (size < 19.8) small.push(`${slide.id}: ${size} px, ${one.textContent.slice(0, 40)}`);
    }
    return small;
}"""

# What a slide has, and how far down it reaches.
OUTLINE = """() => {
    const slide = Reveal.getCurrentSlide(), shown = 'pre, .gl-live, svg:not(.formula), img, table';
    const first = slide.querySelector(`h1, h2, h3, ${shown}`);
    return {
        id: slide.id, text: slide.textContent, isText: !slide.querySelector(shown),
        down: slide.lastElementChild.offsetTop + slide.lastElementChild.offsetHeight,
        begins: Boolean(first?.matches('h1, h2, h3')), stack: slide.parentElement.id
            || [...document.querySelectorAll('.slides > section')].indexOf(slide.parentElement),
        reply: slide.querySelector('.gl-quiz') ? 150
            : slide.querySelector('.gl-live:not(.gl-stepper)') ? 70 : 8,
        answers: Boolean(slide.querySelector('.celltag_answer:not(.fragment *):has(.output)')),
    };
}"""
# What a widget or a check says to somebody who can run cells.
FOR_A_READER = re.compile(
    r"(?<!, )no guess yet|Not yet:|is not written yet|needs Python|(?<!\d )At home:"
)


# Cells that compute for seconds and print numbers: those that are stored will do.
MEASUREMENTS = {
    *("whole-tree", "deepening-alone", "deepening-together", "lab-strict", "lab-trap"),
    *("table-nodes", "heap-verdicts", "bandit", "lab-4a-curves", "lab-4c", "final-measure"),
    *("solve-start", "compare-models", "games"),
}


def execute_rest(notebook: NotebookNode, path: Path) -> NotebookNode:
    """Run a notebook except its measurements, whose outputs stay as they are."""
    measurements = [cell for cell in notebook.cells if cell.id in MEASUREMENTS]
    for cell in measurements:
        cell.cell_type = "raw"  # which is not run
    notebook = execute(notebook, path)
    for cell in measurements:
        cell.cell_type = "code"
    return notebook


@pytest.fixture(
    scope="module",
    # A kernel takes time: three notebooks have all kinds of widgets, in the others they are text.
    params=[one.stem for one in sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))],
    ids=lambda name: name[:2],
)
def deck(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the slides of a whole lesson; those of its short deck are next to them."""
    name: str = request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "execute", execute_rest)
        if name[:2] not in ("03", "04", "09"):
            patch.setattr(pages, "run_for_page", read_notebook)
        return slides.build(NOTEBOOKS / f"{name}.ipynb", tmp_path_factory.mktemp("slides"))


def each_slide(page: Page, look: str) -> list[Any]:
    """Return what a program finds on each slide, with all fragments shown."""
    found = []
    for place in page.evaluate("Reveal.getSlides().map(one => Reveal.getIndices(one))"):
        page.evaluate("({ h, v }) => Reveal.slide(h, v, 99)", place)
        found.append(page.evaluate(look))
    return found


@dataclass
class Deck:
    """What is seen on the slides of a file; each entry is of one slide, but those of `wrong`."""

    name: str
    small: list[list[str]]
    outline: list[dict[str, Any]]
    reach: list[dict[str, Any]]
    wrong: list[str]


@pytest.fixture(scope="module")
def decks(deck: Path, page: Page) -> list[Deck]:
    """Return what is seen of a whole lesson, and of its short deck if it has one.

    To show each slide takes longer than to look at it, so that all tests look at once.
    """
    found = []
    for file in (deck, slides.short_deck_path(deck)):
        if file.exists():
            wrong = opened(page, file)
            seen = each_slide(page, f"() => [({SMALL})(), ({OUTLINE})()]")
            # Last of all: this answers, so that the slides say something else afterwards.
            reach = each_slide(page, REACH) if file == deck else []
            found.append(Deck(file.name, *map(list, zip(*seen, strict=True)), reach, wrong))
    return found


def test_programs_and_cell_numbers_have_20_pixels(decks: list[Deck]) -> None:
    for deck in decks:
        small = [one for found in deck.small for one in found]
        rule = f"{deck.name}: the last row cannot read these. Shorten the cells of the slide:"
        assert small == [], broken(rule, small)


def test_no_text_stays_above_an_empty_half(decks: list[Deck]) -> None:
    for deck in decks:
        alone = [
            f"{here['id']} ends at {here['down']} px, and {after['id']} fits below it"
            for here, after in pairwise(deck.outline)
            if here["isText"]
            and not after["isText"]
            and not after["begins"]
            and not after["answers"]
            and here["stack"] == after["stack"]
            and here["down"] < slides.SLIDE_HEIGHT / 2
            and here["down"] + after["down"] + after["reply"] < slides.SLIDE_HEIGHT - 40
        ]
        assert alone == [], broken(f"{deck.name}: a text and its program fit on one slide:", alone)


def test_slides_say_nothing_to_a_reader(decks: list[Deck]) -> None:
    for deck in decks:
        said = [
            f"{one['id']}: {found.group()}"
            for one in deck.outline
            if (found := FOR_A_READER.search(one["text"]))
        ]
        assert said == [], broken(f"{deck.name}: an audience cannot run cells:", said)


def test_contents_fit_their_slide(decks: list[Deck]) -> None:
    whole = decks[0]
    assert len(whole.reach) > 12
    wrong = [each for deck in decks for each in deck.wrong]
    for reach in whole.reach:
        if (
            reach["down"] > slides.SLIDE_HEIGHT
            or reach["right"] > slides.SLIDE_WIDTH
            or reach["clipped"]
        ):
            wrong.append(str(reach))
    rule = (
        f"{whole.name}: the contents of a slide must fit, and nothing may fail. Shorten these "
        "cells, or let a heading begin a new slide:"
    )
    assert wrong == [], broken(rule, wrong)


def test_short_deck_has_the_listed_slides(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "run_for_page", read_notebook)
    name = "08_capstone"
    whole = slides.build(NOTEBOOKS / f"{name}.ipynb", tmp_path)
    wrong = opened(page, slides.short_deck_path(whole))
    ids = "Reveal.getSlides().flatMap(one => [...(one.dataset.joined ?? '').split(' '), one.id])"
    assert [each for each in page.evaluate(ids) if each] == slides.SHORT_DECKS[name]
    assert wrong == []


def test_program_font_fills_its_slide(page: Page, tmp_path: Path) -> None:
    lines = {"short": "x = 1", "long": f"x = {'1' * 80}", "high": "\n".join(["x = 1"] * 24)}
    cells = [
        nbformat.v4.new_code_cell(source, id=name, metadata=on_slide("slide"))
        for name, source in lines.items()
    ]
    title = nbformat.v4.new_markdown_cell("# 1 · A lesson", metadata=on_slide("slide"))
    file = tmp_path / "01_lesson.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[title, *cells]), file)
    wrong = opened(page, slides.build(file, tmp_path))
    page.set_viewport_size({"width": slides.SLIDE_WIDTH, "height": slides.SLIDE_HEIGHT})
    sizes, rows = {}, {}
    for number, name in enumerate(lines, 1):
        page.evaluate("number => Reveal.slide(number, 0)", number)
        program = page.locator(f"#{name} pre").first
        sizes[name], rows[name] = program.evaluate(
            "one => { const style = getComputedStyle(one), size = parseFloat(style.fontSize);"
            "  return [size, Math.round((one.offsetHeight - 12) / parseFloat(style.lineHeight))] }"
        )
    assert sizes["short"] == 28
    assert 20 <= sizes["high"] < sizes["long"] < 28
    assert (rows["long"], rows["high"]) == (1, 24)
    assert wrong == []


TREE = GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
_THIRD = "[[(10 20 30)(40 20 10)][(60 10 20)(70 40 10)]]"
WIDE = GameTree.parse(f"{_THIRD} {_THIRD} {_THIRD}")


def lesson(folder: Path, stepper: Callable[[SearchStepper], str]) -> Path:
    """Return a notebook with slides of a search, of a tree, and of a tree that is wide.

    stepper  what a page shows of a search: no kernel is asked
    """
    cells = [
        nbformat.v4.new_markdown_cell("# 1 · A lesson", metadata=on_slide("slide")),
        shows("search", stepper(SearchStepper(alphabeta, TREE, ask=True))),
        shows("fill", fragments.tree_fragment(FillInTree(TREE))),
        shows("wide", stepper(SearchStepper(maxn, WIDE))),
    ]
    file = folder / "01_lesson.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), file)
    return file


def shows(name: str, html: str) -> NotebookNode:
    kept = nbformat.v4.new_output("display_data", {"text/html": html})
    slide = on_slide("slide")
    return nbformat.v4.new_code_cell("show", id=name, outputs=[kept], metadata=slide)


def stepping(stepper: SearchStepper) -> str:
    return fragment("stepper", stepper.export())


def on_slide(kind: str) -> dict[str, object]:
    return {"slideshow": {"slide_type": kind}}


def test_keys_move_focused_search_or_slides(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "run_for_page", read_notebook)
    wrong = opened(page, slides.build(lesson(tmp_path, stepping), tmp_path))
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("link", name="2 / 4")).to_be_visible()
    step = page.get_by_role("slider", name="Step")
    page.get_by_role("button", name="Next", exact=True).click()
    page.keyboard.press("ArrowRight")
    expect(step).to_have_value("2")
    # The line that runs would answer the question whether to cut, and that of an exercise.
    expect(page.locator(".gl-program").first).to_be_hidden()
    page.keyboard.press("End")  # the search waits at its first question
    page.get_by_role("checkbox", name="Ask me").uncheck()
    expect(page.locator(".gl-program").first).to_be_visible()
    page.keyboard.press("End")
    expect(step).to_have_value("24")
    assert page.evaluate(LIT) == []
    expect(page.get_by_role("link", name="2 / 4")).to_be_visible()
    expect(page).to_have_url(re.compile("#/search$"))  # which names no step
    page.keyboard.press("PageDown")
    expect(page.get_by_role("link", name="3 / 4")).to_be_visible()
    page.get_by_label("Value of the root").fill("3")
    page.keyboard.press("Enter")
    expect(page.locator(".gl-values").get_by_role("status")).to_contain_text(
        "of 4 values 3 are missing"
    )
    assert wrong == []


def test_worksheet_prints_black_on_white_without_cuts(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "run_for_page", lambda path, _: read_notebook(path))
    file = worksheets.build(lesson(tmp_path, worksheets.tree_to_trace), tmp_path)
    with browser.new_context(viewport={"width": 680, "height": 900}, color_scheme="dark") as dark:
        page = dark.new_page()
        page.goto(file.as_uri())
        page.emulate_media(media="print")
        white, wide = page.evaluate(
            "[getComputedStyle(document.body).backgroundColor, document.body.scrollWidth]"
        )
        assert (white, wide <= 680) == ("rgb(255, 255, 255)", True)
        expect(page.get_by_text("Write it into the tree.")).to_be_visible()
        expect(page.get_by_role("button")).to_have_count(0)
        expect(page.locator("svg")).to_have_count(
            3
        )  # two trees to follow by hand, and one to fill in
