"""axe-core, which others have written, finds no fault in pages of the site, light or dark.

It comes from npm, in the version and with the hash below.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from course import SearchStepper
from gamelib import GameTree, alphabeta
from tests.browser.test_pages import build_lesson
from tests.messages import broken
from tools.refresh_notebooks import read_notebook
from tools.site import downloads, pages, reference

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
AXE = (
    "axe-core",
    "4.14.1",
    "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==",
)
FAULTS = """async () => {
    const found = await axe.run(document, { resultTypes: ["violations"] });
    return found.violations.flatMap(rule => rule.nodes.map(
        node => `${rule.id} (${rule.impact}): ${node.target} ${node.html.slice(0, 120)}`));
}"""
LOOKS = [((1280, 900), "light"), ((390, 844), "dark")]
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


def faults(page: Page, axe: str) -> list[str]:
    """Return what axe-core finds on a page."""
    page.evaluate(axe)
    found: list[str] = page.evaluate(FAULTS)
    return found


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a lesson, a stepper, and the reference."""
    folder = tmp_path_factory.mktemp("site")
    build_lesson(folder, folder)
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
