"""axe-core, which others have written, finds no fault in pages, slides and widgets, light or dark.

It comes from npm, in the version and with the hash below.
"""

from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from course import SearchStepper
from gamelib import GameTree, alphabeta
from tests.browser.conftest import NotebookPage, notebook, press
from tests.browser.test_pages import build_lesson
from tests.messages import broken
from tools.lecture import slides
from tools.refresh_notebooks import read_notebook
from tools.site import downloads, pages, reference

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
AXE = (
    "axe-core",
    "4.14.1",
    "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==",
)
FAULTS = """async within => {
    const found = await axe.run({ include: [[within]] }, { resultTypes: ["violations"] });
    return found.violations.flatMap(rule => rule.nodes.map(
        node => `${rule.id} (${rule.impact}): ${node.target} ${node.html.slice(0, 120)}`));
}"""
LOOKS = [((1280, 900), "light"), ((390, 844), "dark")]
# Each kind of widget, picture and table, and what shows more of it.
CELLS = {
    "setup": """
from course import *
from course.draw import charts
from course.lessons.minimax.check import check_negamax
from arena import tournament
from gamelib import *
tree = GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
state = TicTacToe.parse("O.X / XX. / OO.")""",
    "board": "PlayBoard(ConnectFour(), {1: SearchAgent(minimax, depth=2)})",
    "stepper": "SearchStepper(alphabeta, tree, ask=True)",
    "quiz": "quiz('minimax/value')",
    "guess": "Predict('Where?', choices=[1, 5], state=state)",
    "lab": "lab = depth_lab({'Connect Four': ConnectFour()}, depth=3)\nlab.run()\nlab",
    "values": "FillInTree(tree)",
    "cuts": "FillInTree(tree, cuts=True)",
    "playground": "play = Playground(TicTacToe(), algorithm='alphabeta')\nplay.run(depth=3)\nplay",
    "bandit": "Bandit(seed=1)",
    "position": "state",
    "chart": "charts.nodes_by_depth({'minimax': {1: 9, 2: 65}})",
    "feedback": "def negamax(state): return 0\ncheck_negamax(negamax)",
    "table": "agents = [SearchAgent(minimax, depth=depth) for depth in (1, 2)]\n"
    "tournament(agents, state=TicTacToe(), games=2)",
}
DOCUMENTS = ["gamelib", "arena", "index", "guide", "install", "contributing", "speed"]


@pytest.fixture(scope="module")
def axe() -> str:
    file = downloads.from_npm(*AXE) / "axe.min.js"
    return file.read_text(encoding="utf-8")


@pytest.fixture(params=LOOKS, ids=["laptop-light", "phone-dark"])
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    (width, height), scheme = request.param
    size = {"width": width, "height": height}
    with browser.new_context(viewport=size, color_scheme=scheme) as context:
        yield context.new_page()


def faults(page: Page, axe: str, within: str = "html") -> list[str]:
    """Return what axe-core finds on a page, or in the parts of it that a selector names."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe)
    found: list[str] = page.evaluate(FAULTS, within)
    return found


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a lesson, its slides, a stepper, and the reference."""
    folder = tmp_path_factory.mktemp("site")
    run = cache(pages.run_for_page)  # for its page, and for its slides
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "run_for_page", lambda path: deepcopy(run(path)))
        build_lesson(folder, folder)
        slides.build(folder / "01_lesson.ipynb", folder / "slides")
    reference.build(folder / "docs")
    SearchStepper(alphabeta, GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])).to_html(
        folder / "steps.html"
    )
    return folder


@pytest.mark.parametrize(
    "name", ["01_lesson", "glossary", "steps", *(f"docs/{name}" for name in DOCUMENTS)]
)
def test_page_of_the_site_is_accessible(page: Page, axe: str, site: Path, name: str) -> None:
    page.goto((site / f"{name}.html").as_uri())
    found = faults(page, axe)
    assert found == [], broken(f"axe-core finds these faults on {name}.html:", found)


@pytest.mark.parametrize("name", ["03_alpha_beta"])
def test_lesson_is_accessible(
    page: Page, axe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The outputs are those of the notebook, so that no kernel has to run it."""
    monkeypatch.setattr(pages, "run_for_page", read_notebook)
    file, _ = pages.build([NOTEBOOKS / f"{name}.ipynb"], tmp_path)
    page.goto(file.as_uri())
    found = faults(page, axe)
    assert found == [], broken(f"axe-core finds these faults on {file.name}:", found)


def test_slides_are_accessible(page: Page, axe: str, site: Path) -> None:
    page.goto((site / "slides" / "01_lesson.html").as_uri())
    page.wait_for_function("Reveal.isReady()")
    found = set()
    for place in page.evaluate("Reveal.getSlides().map(one => Reveal.getIndices(one))"):
        page.evaluate("({ h, v }) => Reveal.slide(h, v, 99)", place)
        found |= set(faults(page, axe))
    assert found == set(), broken("axe-core finds these faults on slides:", found)


def test_outputs_in_jupyterlab_are_accessible(notebook_page: NotebookPage, axe: str) -> None:
    """Only the outputs are ours: JupyterLab's menus, bars and editors are not judged here."""
    notebook_page.open_and_run(notebook(**CELLS))
    found = []
    for theme in ("light", "dark"):
        notebook_page.theme(theme)
        for name in list(CELLS)[1:]:
            cell = notebook_page.cell(name)
            expect(cell.locator(".jp-OutputArea-output").first).to_be_attached()
            if name == "stepper" and theme == "light":
                press(cell, "More")
            place = cell.get_attribute("data-windowed-list-index")
            output = f".jp-Notebook [data-windowed-list-index='{place}'] .jp-OutputArea"
            found += [
                f"{theme}, {name}: {each}" for each in faults(notebook_page.page, axe, output)
            ]
    assert found == [], broken("axe-core finds these faults in outputs:", found)
