"""The first page of the site, and the boards of a lesson, in Chromium: without Python."""

import re
from collections.abc import Iterator

import nbformat
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.site.conftest import serving
from tools.site import downloads, engine, index, pages, wasm_kernels

pytest.importorskip("numba", reason="Numba is not installed: the extra `fast`")


BOARD = """from course import PlayBoard
from gamelib import Nim, SearchAgent, minimax
PlayBoard(Nim((10,), max_take=2), agents={1: SearchAgent(minimax)})"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("front")
    engine.write(folder, wasm_kernels.build(downloads.CACHE))
    index.write(folder, 25)
    text, code = nbformat.v4.new_markdown_cell("# 1 · A lesson"), nbformat.v4.new_code_cell(BOARD)
    nbformat.write(nbformat.v4.new_notebook(cells=[text, code]), folder / "01_lesson.ipynb")
    pages.build([folder / "01_lesson.ipynb"], folder)
    with serving(folder) as where:
        yield where


@pytest.fixture(params=[(1440, "light"), (1024, "dark"), (390, "dark")], ids=str)
def front(request: pytest.FixtureRequest, chromium: Browser, address: str) -> Iterator[Page]:
    wide, theme = request.param
    context = chromium.new_context(viewport={"width": wide, "height": 844}, color_scheme=theme)
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.route(
        "**/*", lambda route: route.continue_() if address in route.request.url else route.abort()
    )
    page.goto(address)
    yield page
    assert wrong == []
    assert page.evaluate("document.documentElement.scrollWidth") <= wide
    context.close()


# The part of the window that moves while the page appears, times how far it moves; above 0.1,
# readers lose their place.
NOTE_SHIFTS = """window.shifts = 0;
new PerformanceObserver(list => { for (const { value } of list.getEntries()) shifts += value; })
    .observe({ type: "layout-shift", buffered: true });"""


def test_front_page_stays_in_place_while_loading(front: Page) -> None:
    front.add_init_script(NOTE_SHIFTS)
    front.reload()
    expect(front.locator(".gt-status")).to_contain_text("begin where you like")
    front.wait_for_timeout(200)  # entries arrive a frame later
    assert front.evaluate("shifts") < 0.05


def act(page: Page, action: int) -> None:
    page.locator(f".gt-board [data-action='{action}']:not(:disabled)").click()


def test_front_page_answers_and_judges_an_action(front: Page) -> None:
    act(front, 3)
    expect(front.locator(".gt-owner-0")).to_have_count(1)
    expect(front.locator(".gt-owner-1")).to_have_count(1)
    expect(front.locator(".gt-status")).to_contain_text("your turn")
    expect(front.locator(".gt-verdict")).to_have_text(
        "✓ column 3 wins in 41 plies: nothing is better."
    )
    assert front.evaluate("document.activeElement.dataset.action") == "3"
    front.get_by_role("button", name="Verdicts").click()
    expect(front.locator(".gt-mark.gt-wins, .gt-mark.gt-draws, .gt-mark.gt-loses")).to_have_count(7)
    front.get_by_role("button", name="Undo").click()
    expect(front.locator(".gt-owner-1")).to_have_count(0)
    front.get_by_role("button", name="Hint").click()
    expect(front.locator(".gt-status")).to_have_text("Hint: column 3 wins in 41 plies.")


@pytest.mark.parametrize("game", engine.GAMES)
@pytest.mark.parametrize("front", [(390, "light")], indirect=True)
def test_game_against_each_agent_ends(front: Page, game: str) -> None:
    front.locator(".gt-controls select").first.select_option(game)
    against, status = front.locator(".gt-controls select").last, front.locator(".gt-status")
    free = front.locator(".gt-board [data-action]:not(:disabled)")
    for agent in against.locator("option").all_inner_texts():
        against.select_option(label=agent)
        front.get_by_role("button", name="New game").click()
        while free.count():
            free.first.click()
            expect(status).not_to_contain_text("thinks", timeout=60_000)
        expect(status).to_have_text(re.compile(r" wins\.$|^A draw\.$"))
        if agent == "the exact solver":  # clicks without thought never win
            expect(status).not_to_contain_text("(you)")


@pytest.mark.parametrize("front", [(390, "light")], indirect=True)
def test_stopped_search_plays_its_best_action(front: Page) -> None:
    front.locator(".gt-controls select").last.select_option(label="MCTS, 200,000 simulations")
    front.evaluate("""async () => {
        document.querySelector(".gt-board [data-action='3']").click();
        const stop = [...document.querySelectorAll("button")].find(b => b.textContent === "Stop");
        while (stop.disabled) await new Promise(requestAnimationFrame);
        stop.click();
    }""")  # in the page: there is a third of a second for it
    expect(front.locator(".gt-owner-1")).to_have_count(1)
    visits = front.locator(".gt-bar b").all_inner_texts()[1:]
    assert sum(int(each.split(", ")[0].replace(",", "")) for each in visits) < 200_000


@pytest.mark.parametrize("front", [(1440, "light")], indirect=True)
def test_playground_and_labs_mark_optimal_actions(front: Page) -> None:
    front.locator(".gt-controls select").first.select_option("tic-tac-toe")
    act(front, 0)
    expect(front.locator(".gt-status")).to_contain_text("your turn")
    front.get_by_text("Look inside").click()
    ground, depth, stability = (front.locator(".gt-lab").nth(number) for number in range(3))
    ground.get_by_label("Algorithm").select_option("minimax")
    ground.get_by_label("depth").fill("9")
    ground.get_by_role("button", name="Run").click()
    expect(ground.locator("tbody tr td").last).to_contain_text("✓ draws")
    depth.get_by_role("button", name="Measure").click()
    expect(depth.locator(".gt-note")).to_contain_text(
        "At depth 7 alpha-beta visits", timeout=60_000
    )
    stability.get_by_role("button", name="Measure").click()
    expect(stability.locator(".gt-note")).to_contain_text("Optimal:", timeout=60_000)
    assert stability.locator("rect.gt-good").count() >= 8


@pytest.mark.parametrize("front", [(390, "dark")], indirect=True)
def test_lesson_board_works_by_keyboard_and_after_reload(front: Page) -> None:
    front.goto(f"{front.url}01_lesson.html")
    status = front.locator(".gt-status")
    expect(status).to_contain_text("begin where you like")
    assert "minimax" in front.get_by_label("Against").inner_text().splitlines()[0]
    stone = front.get_by_role("button", name="take 1 from heap 0")
    stone.focus()
    front.keyboard.press("Enter")  # takes 1; minimax answers
    expect(status).to_contain_text("your turn")
    left = front.locator(".gt-stone").count()
    assert left in (7, 8)
    assert front.evaluate("document.activeElement.dataset.action") == "0"
    front.reload()
    expect(status).to_contain_text("your turn")
    assert front.locator(".gt-stone").count() == left
    while "your turn" in status.inner_text():
        stone.focus()
        front.keyboard.press("Enter")
        expect(status).to_have_text(re.compile("your turn|wins"))
    expect(status).to_contain_text("The second player (the program) wins.")
