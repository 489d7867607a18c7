"""The bandit in a browser: with another c, and on screens of several sizes."""

from playwright.sync_api import expect

from tests.browser.conftest import SIZES, notebook


def ends(cell) -> list[float]:
    """Return where the bar of each arm ends."""
    return [float(arm.get_attribute("data-score")) for arm in cell.locator("g.arm").all()]


def test_bandit_changes_c_and_fits(notebook_page) -> None:
    source = "from course import Bandit\nbandit = Bandit(seed=7)\nbandit"
    notebook_page.open_and_run(notebook(bandit=source, c="bandit._c"))
    notebook_page.command("application:toggle-left-area")
    cell = notebook_page.cell("bandit")
    cell.get_by_role("button", name="UCB1: 100 coins", exact=True).click()
    expect(cell.get_by_role("status")).to_contain_text("100 coins played")
    before = ends(cell)
    field = cell.get_by_label("c", exact=True)
    expect(field).to_have_value("1.41")
    field.fill("3")
    field.press("Enter")
    score = cell.locator("g.arm").first
    expect(score).not_to_have_attribute("data-score", f"{before[0]:.4f}")
    assert min(ends(cell)) > max(before)
    expect(notebook_page.cell("c").locator(".jp-OutputArea-output")).to_have_text(
        "1.4142135623730951"
    )
    assert notebook_page.console_errors == []
    for width, height in SIZES:
        notebook_page.size(width, height)
        panel = notebook_page.cell("bandit").locator(".gl-bandit")
        assert panel.bounding_box()["height"] < height - 130
        picture, hands = (panel.locator(part).bounding_box() for part in ("svg", ".gl-hands"))
        assert picture["x"] + picture["width"] <= hands["x"]
