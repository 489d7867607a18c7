"""The bandit in a browser: by hand, by UCB1, and with another c."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import notebook

SIZES = [(1440, 900), (1024, 768), (853, 480)]


@pytest.fixture
def bandit(notebook_page):
    source = "from course import Bandit\nbandit = Bandit(seed=7)\nbandit"
    notebook_page.open_and_run(notebook(bandit=source, c="bandit._c"))
    notebook_page.command("application:toggle-left-area")
    return notebook_page


def press(cell, name: str) -> None:
    cell.get_by_role("button", name=name, exact=True).click()


def ends(cell) -> list[float]:
    """Return where the bar of each arm ends."""
    return [float(arm.get_attribute("data-score")) for arm in cell.locator("g.arm").all()]


def test_a_bandit_is_played(bandit) -> None:
    cell = bandit.cell("bandit")
    said = cell.get_by_role("status")
    press(cell, "Arm 1")
    expect(said).to_contain_text(
        re.compile("Arm 1 paid (1 coin|nothing). 1 coin played, [01] won.")
    )
    for coins in (2, 3):
        press(cell, "UCB1: a coin")
        expect(said).to_contain_text("its bar had no end. It paid")
        expect(said).to_contain_text(f"{coins} coins played")
    before = ends(cell)
    press(cell, "UCB1: a coin")
    expect(said).to_contain_text(f"its bar ended highest, at {max(before):.2f}")
    press(cell, "UCB1: 100 coins")
    expect(said).to_contain_text("104 coins played")
    assert max(ends(cell)) < min(before)
    highest = cell.locator("g.arm", has_text="highest")
    expect(highest).to_have_attribute("data-score", f"{max(ends(cell)):.4f}")
    press(cell, "Show the chances")
    expect(said).to_contain_text("Regret: ")
    press(cell, "Start again")
    expect(said).to_have_text("Put a coin into an arm.")
    press(cell, "UCB1: 100 coins")
    expect(cell.get_by_role("status")).to_contain_text("100 coins played")
    before = ends(cell)
    field = cell.get_by_label("c", exact=True)
    expect(field).to_have_value("1.41")
    field.fill("3")
    field.press("Enter")
    score = cell.locator("g.arm").first
    expect(score).not_to_have_attribute("data-score", f"{before[0]:.4f}")
    assert min(ends(cell)) > max(before)
    expect(bandit.cell("c").locator(".jp-OutputArea-output")).to_have_text("1.4142135623730951")
    assert bandit.console_errors == []
    for width, height in SIZES:
        bandit.size(width, height)
        panel = bandit.cell("bandit").locator(".gl-bandit")
        assert panel.bounding_box()["height"] < height - 130
        picture, hands = (
            panel.locator("svg").bounding_box(),
            panel.locator(".gl-hands").bounding_box(),
        )
        assert picture["x"] + picture["width"] <= hands["x"]
