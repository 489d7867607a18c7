"""A learner's program over a plain list: pasted into notebook 02, stepped, and its bug found."""

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell
from playwright.sync_api import Browser, expect

from course import SearchStepper
from tests.browser import max_twice
from tests.browser.conftest import ROOT, SIZES, NotebookPage, noted, press, status

BUG = "The first wrong answer: node"
PASTED = Path(max_twice.__file__).read_text(encoding="utf-8").partition('"""\n')[2].strip()
CALL = 'SearchStepper(max_twice, [*"XO.OX...."], True)'


def test_pasted_program_is_stepped_to_its_bug(notebook_page: NotebookPage) -> None:
    source = nbformat.read(ROOT / "notebooks" / "02_minimax.ipynb", as_version=4)
    source.cells.append(new_code_cell(PASTED, id="pasted"))
    source.cells.append(new_code_cell(CALL, id="pasted-stepper"))
    kept = ("setup", "list-program", "list-stepper", "pasted", "pasted-stepper")
    source.cells = [cell for cell in source.cells if cell.id in kept]
    notebook_page.open_and_run(source)
    cell = notebook_page.cell("pasted-stepper")
    expect(status(cell)).to_contain_text("Inferred: the board is board; X and O move")
    press(cell, "More")
    press(cell, "Last")
    expect(status(cell)).to_contain_text(BUG)
    press(cell, "Show me where")
    expect(status(cell)).to_contain_text("returns")
    for theme in ("light", "dark"):
        notebook_page.theme(theme)
        for size in SIZES:
            notebook_page.size(*size)
            for id in ("list-stepper", "pasted-stepper"):
                cell = notebook_page.cell(id)
                expect(status(cell)).to_be_visible()
                stage = cell.locator(".gl-stage").first
                expect(stage).to_be_visible()
                notebook_page.screenshot(f"own-program-{id}-{theme}-{size[0]}")
    notebook_page.theme("light")


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of a stepper of the program."""
    file = tmp_path_factory.mktemp("own") / "own.html"
    SearchStepper(max_twice.max_twice, [*"XO.OX...."], True).to_html(file)
    return file


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_page_without_kernel_steps_pasted_program(
    browser: Browser, exported: Path, size: tuple[int, int], scheme: str
) -> None:
    with browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme
    ) as context:
        page = context.new_page()
        wrong = noted(page, "file:")
        page.goto(exported.as_uri())
        page.keyboard.press("End")
        expect(page.get_by_role("status")).to_contain_text(BUG)
        folder = ROOT / "screenshots"
        folder.mkdir(exist_ok=True)
        page.screenshot(path=folder / f"own-program-page-{scheme}-{size[0]}.png")
        assert wrong == []
