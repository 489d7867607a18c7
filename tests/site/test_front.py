"""The first page of the site in Chromium: it plays and thinks, without Python."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.site.conftest import serving
from tools.site import index, kernels, sources, think

pytest.importorskip("numba", reason="Numba is not installed: the extra `fast`")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("front")
    think.write(folder, kernels.build(sources.CACHE))
    index.write(folder, 25)
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


def act(page: Page, action: int) -> None:
    page.locator(f".gt-board [data-action='{action}']:not(:disabled)").click()


def test_an_action_is_answered_and_judged(front: Page) -> None:
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


@pytest.mark.parametrize("game", [key for key in think.GAMES if key != "connect-four"])
@pytest.mark.parametrize("front", [(390, "light")], indirect=True)
def test_a_game_against_the_solver_ends(front: Page, game: str) -> None:
    front.locator(".gt-knobs select").first.select_option(game)
    front.locator(".gt-knobs select").last.select_option(label="the exact solver")
    status = front.locator(".gt-status")
    for _ in range(30):
        thinks = "/thinks/.test(document.querySelector('.gt-status').textContent)"
        front.wait_for_function(f"!{thinks}", timeout=60_000)
        if front.locator(".gt-board [data-action]:not(:disabled)").count() == 0:
            break
        front.locator(".gt-board [data-action]:not(:disabled)").first.click()
    assert "(the program) wins" in status.inner_text() or status.inner_text() == "A draw."


@pytest.mark.parametrize("front", [(1024, "light")], indirect=True)
def test_a_search_is_stopped_and_plays_what_it_knows(front: Page) -> None:
    front.locator(".gt-knobs select").last.select_option(label="MCTS, 200,000 simulations")
    act(front, 3)
    front.get_by_role("button", name="Stop").click()
    expect(front.locator(".gt-owner-1")).to_have_count(1)


@pytest.mark.parametrize("front", [(1440, "light")], indirect=True)
def test_the_playground_and_the_labs_say_what_is_optimal(front: Page) -> None:
    front.locator(".gt-knobs select").first.select_option("tic-tac-toe")
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
