"""Pages without a kernel in a real browser: files, no server, and no request to anybody."""

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, Page, expect

from course import SearchStepper
from gamelib import GameTree, TicTacToe, alphabeta, mcts
from tests.browser.conftest import noted, press
from tools.site import pages

TEXTBOOK = GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
HAND = TicTacToe.parse("O.X / XX. / OO.")
PHONE, LAPTOP = (390, 844), (1440, 900)

# One of each kind, and two of what must not get in each other's way.
CELLS = [
    "# 1 · A lesson\n\nA formula: $b^{\\lceil d/2\\rceil} - 1$, and [minimax](02_minimax.ipynb).",
    """from course import FillInTree, Playground, Predict, quiz, SearchStepper
from gamelib import alphabeta, GameTree, mcts, TicTacToe
tree = GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
SearchStepper(alphabeta, tree, ask=True)""",
    "SearchStepper(mcts, TicTacToe.parse('O.X / XX. / OO.'), simulations=4, rng=0)",
    "FillInTree(tree)",
    "FillInTree(tree, cuts=True)",
    "quiz('minimax/value')",
    "quiz('minimax/horizon')",
    "which = Predict('Which?', choices=[1, 2])\nwhich",
    "many = Predict('How many nodes?')\nmany",
    "which.compare(2)",
    "print(many.compare(13))",
    "Playground(TicTacToe())",
    "tree",
    """from course.draw import charts
charts.nodes_by_depth({"minimax": {1: 9, 2: 65}})""",
    "Predict('Where?', choices=[1, 5], state=TicTacToe.parse('O.X / XX. / OO.'))",
]


@pytest.fixture(params=[(PHONE, "dark"), (LAPTOP, "light")], ids=["phone", "laptop"])
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    (width, height), scheme = request.param
    size = {"width": width, "height": height}
    with browser.new_context(viewport=size, color_scheme=scheme) as context:
        page = context.new_page()
        wrong = noted(page, "file:")
        yield page
        assert wrong == []
        wide, room = page.evaluate("[document.body.scrollWidth, window.innerWidth]")
        assert wide <= room


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of alpha-beta on the textbook's tree."""
    file = tmp_path_factory.mktemp("steps") / "steps.html"
    SearchStepper(alphabeta, TEXTBOOK).to_html(file)
    return file


def build_lesson(folder: Path, out: Path) -> list[Path]:
    """Write the notebook of CELLS to a folder, and its pages to another, and return these."""
    first, *code = CELLS
    cells = [nbformat.v4.new_markdown_cell(first), *map(nbformat.v4.new_code_cell, code)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "01_lesson.ipynb")
    return pages.build([folder / "01_lesson.ipynb"], out)


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of a notebook with each kind of widget."""
    folder = tmp_path_factory.mktemp("lesson")
    file, glossary = build_lesson(folder, folder / "out")
    assert "<title>Glossary and references</title>" in glossary.read_text(encoding="utf-8")
    return file


def test_page_steps_like_the_widget(page: Page, steps: Path) -> None:
    page.goto(steps.as_uri())
    widget = SearchStepper(alphabeta, TEXTBOOK)
    sentence = page.get_by_role("status")
    for key, move in {
        "ArrowRight": widget.next,
        "End": widget.last,
        "ArrowLeft": widget.back,
        "Home": widget.first,
    }.items():
        page.keyboard.press(key)
        move()
        expect(page).to_have_url(re.compile(f"#step={widget.step}$"))
        expect(sentence).to_have_text(re.sub("<[^>]*>", "", widget.scene.narration))
    for _ in range(8):
        press(page, "Next")
    widget.go_to(8)
    same = """drawing => {
        const widget = document.createElement('div');
        widget.innerHTML = drawing;
        const inside = within => within.querySelector('svg').innerHTML;
        return inside(document.querySelector('.gl-stage')) === inside(widget); }"""
    assert page.evaluate(same, widget._tree.svg)
    page.get_by_role("slider", name="Step").fill("13")
    expect(page).to_have_url(re.compile("#step=13$"))


def test_address_selects_a_step(page: Page, steps: Path) -> None:
    page.goto(f"{steps.as_uri()}#step=13")
    expect(page.get_by_role("slider", name="Step")).to_have_value("13")
    page.evaluate("location.hash = 'step=9'")
    expect(page.get_by_role("slider", name="Step")).to_have_value("9")
    page.goto(f"{steps.as_uri()}#step=99999")
    expect(page.get_by_role("slider", name="Step")).to_have_value("24")


def test_current_node_is_in_view(page: Page, steps: Path) -> None:
    page.goto(steps.as_uri())
    inside = """() => {
        const pane = document.querySelector('.gl-tree').getBoundingClientRect();
        const mark = document.querySelector('.gl-here:not([style*=none])');
        const here = (mark ?? document.querySelector('.node')).getBoundingClientRect();
        return here.left >= pane.left && here.right <= pane.right
            && here.top >= pane.top && here.bottom <= pane.bottom; }"""
    for step in range(25):
        page.get_by_role("slider", name="Step").fill(str(step))
        assert page.evaluate(inside), step


def test_page_asks_the_widgets_questions(page: Page, steps: Path) -> None:
    widget = SearchStepper(alphabeta, TEXTBOOK, ask=True)
    value = next(step for step, q in widget.questions.items() if q.kind == "value")
    page.goto(f"{steps.as_uri()}#step={value}")
    said = page.get_by_role("status")
    page.get_by_label("Ask me").check()
    widget.go_to(value)
    expect(said).to_have_text("What comes next?")
    expect(page.get_by_role("button", name="Next")).to_be_disabled()
    assert page.locator('.gl-tree .node[data-value="?"]').count() == 1
    for answer in ("9876", "987"):
        page.get_by_label("Your answer").fill(answer)
        press(page, "Check")
        expect(said).to_contain_text(str(widget.answer(answer)))
    expect(page.get_by_role("button", name="Next")).to_be_enabled()
    cut = next(step for step, q in widget.questions.items() if q.kind == "cut")
    page.get_by_role("slider", name="Step").fill(str(cut))
    widget.go_to(cut)
    press(page, str(widget.questions[cut].correct))
    expect(said).to_contain_text(str(widget.answer(widget.questions[cut].correct)))
    expect(said).to_contain_text("(1 of 2 right)")


def test_arrow_keys_work_after_an_answer(page: Page, lesson: Path) -> None:
    """A button that was pressed goes away with its question; the arrow keys still arrive."""
    page.goto(lesson.as_uri())
    stepper = page.locator(".gl-stepper").nth(0)
    while not stepper.locator(".gl-asked button").count():
        press(stepper, "Next")
    stepper.locator(".gl-asked button").first.click()
    stepper.locator(".gl-asked button").nth(1).click()
    before = int(stepper.get_by_role("slider", name="Step").input_value())
    page.keyboard.press("ArrowRight")
    expect(stepper.get_by_role("slider", name="Step")).to_have_value(str(before + 1))


def test_two_steppers_keep_separate_steps(page: Page, lesson: Path) -> None:
    page.goto(f"{lesson.as_uri()}#step2=3")
    one, other = (page.locator(".gl-stepper").nth(number) for number in (0, 1))
    expect(other.get_by_role("slider", name="Step")).to_have_value("3")
    expect(one.get_by_role("slider", name="Step")).to_have_value("0")
    expect(other).to_be_in_viewport()
    press(other, "More")
    press(other, "Skip")
    widget = SearchStepper(mcts, HAND, simulations=4, rng=0)
    widget.go_to(3)
    widget.skip()
    expect(other.get_by_role("slider", name="Step")).to_have_value(str(widget.step))
    other.get_by_role("group", name="Tree").focus()
    page.keyboard.press("End")
    expect(other.get_by_role("button", name="Last")).to_be_disabled()
    expect(one.get_by_role("slider", name="Step")).to_have_value("0")


def test_page_checks_entered_values(page: Page, lesson: Path) -> None:
    page.goto(lesson.as_uri())
    tree = page.locator(".gl-values")
    said = tree.get_by_role("status")
    press(tree, "Check")
    expect(said).to_contain_text("Not yet. Enter a value first.")
    tree.get_by_label("Value of node 0").fill("12")
    press(tree, "Check")
    expect(said).to_have_text("Not yet. Node 0: not 12. Yours is what the other player would take.")
    tree.get_by_label("Value of node 0").fill("seven")
    press(tree, "Check")
    expect(said).to_contain_text("Node 0: 'seven' is no value")
    tree.get_by_label("Value of node 0").fill("8")
    press(tree, "Check")
    expect(said).to_contain_text("takes the lowest of 3, 12 and 8: 3.")
    for name, value in {"node 0": "3", "node 1": "2", "node 2": "2"}.items():
        tree.get_by_label(f"Value of {name}").fill(value)
    press(tree, "Check")
    expect(said).to_contain_text("What you have entered is right; of 4 values 1 is missing.")
    tree.get_by_label("Value of the root").fill("3")
    tree.get_by_label("Value of the root").press("Enter")
    expect(said).to_have_text("Right. All 4 values are right; the root is worth 3.")


def test_page_checks_marked_cuts(page: Page, lesson: Path) -> None:
    page.goto(lesson.as_uri())
    tree = page.locator(".gl-cuts")
    said, crosses = tree.get_by_role("status"), tree.locator('.edge[data-kind="cut"]')
    press(tree, "Cut the edge to node 2 → 0")
    expect(crosses).to_have_count(1)
    press(tree, "Check")
    expect(said).to_contain_text("Node 2 → 0 is visited. What are max and min sure of before it?")
    press(tree, "Cut the edge to node 2 → 0")
    expect(crosses).to_have_count(0)
    press(tree, "Cut the edge to node 1 → 1")
    press(tree, "Check")
    expect(said).to_contain_text("there is more")
    press(tree, "Cut the edge to node 1 → 2")
    press(tree, "Check")
    expect(said).to_have_text("Right. Alpha-beta visits 11 of 13 nodes, as you say.")


def test_page_checks_quiz_answers(page: Page, lesson: Path) -> None:
    page.goto(lesson.as_uri())
    single, several = (page.locator(".gl-quiz").nth(number) for number in (0, 1))
    press(single, "Check")
    expect(single.get_by_role("status")).to_have_text("Choose an answer first.")
    verdicts = set()
    for choice in single.get_by_role("radio").all():
        choice.check()
        press(single, "Check")
        verdicts.add(single.locator(".gl-reply > *").get_attribute("class"))
    assert verdicts == {"gl-right", "gl-wrong"}
    several.get_by_role("checkbox").nth(0).check()
    press(several, "Check")
    expect(several.get_by_role("status")).to_contain_text("2 more are right.")
    several.get_by_role("checkbox").nth(1).check()
    several.get_by_role("checkbox").nth(2).check()
    press(several, "Check")
    expect(several.locator(".gl-right")).to_be_visible()


def test_guesses_survive_a_reload(page: Page, lesson: Path) -> None:
    page.goto(lesson.as_uri())
    which, many = (page.locator(".gl-predict").nth(number) for number in (0, 1))
    compared = page.locator(".gl-guess")
    expect(compared.first).to_be_hidden()  # what was measured, until somebody has guessed
    expect(compared).to_have_text(["no guess yet", "no guess yet"])
    press(many, "Keep my guess")
    expect(many.get_by_role("status")).to_have_text("Enter a number first.")
    many.get_by_label("Your guess").fill("5,000")
    press(many, "Keep my guess")
    which.get_by_role("radio").nth(1).check()
    press(which, "Keep my guess")
    expect(compared).to_have_text(["your guess: 2", "your guess: 5,000"])
    page.reload()
    expect(compared).to_have_text(["your guess: 2", "your guess: 5,000"])
    expect(compared.first).to_be_visible()


def test_page_links_to_python_and_names_pictures(page: Page, lesson: Path) -> None:
    page.goto(lesson.as_uri())
    link = page.locator(".gl-still").get_by_role("link", name="run this section")
    expect(link).to_have_attribute("href", "run/notebooks/index.html?path=01_lesson.ipynb")
    expect(page.get_by_role("link", name="minimax")).to_have_attribute("href", "02_minimax.html")
    formula = page.get_by_role("img", name="b^{\\lceil d/2\\rceil} - 1")
    expect(formula).to_be_visible()
    drawing = page.locator(".drawing").get_by_role("img", name="Tree of GameTree")
    expect(drawing).to_have_count(1)  # a picture of it, screen readers could not read
    chart = page.get_by_role("img", name=re.compile("^chart: Nodes by depth.*2: 65"))
    expect(chart).to_be_visible()
    asked = page.locator(".gl-predict").filter(has_text="Where?")
    expect(asked.get_by_role("img", name=re.compile("TicTacToe, X to move"))).to_be_visible()
    about = page.locator("meta[name=description]")
    expect(about).to_have_attribute(
        "content", "A formula: $b^{\\lceil d/2\\rceil} - 1$, and minimax."
    )
