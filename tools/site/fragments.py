"""Widgets as pieces of a page that works without a kernel.

`register_formatters` runs in the kernel of a notebook: from then on an output holds, beside each
widget, what a page shows in its place.  What is said there to an answer was said by the widget
itself: answers are tried when the page is made, and kept with what came back.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, combinations
from typing import Any
from zlib import crc32

from IPython import get_ipython

from course import FillInTree, PlayBoard, Predict, Quiz, SearchStepper
from course.exercises.state_space import open_positions
from course.widgets.agent_choices import display_name
from course.widgets.game_session import agent_action
from course.widgets.panel import Panel, markup_to_html
from course.widgets.quiz import PlainText
from course.widgets.stepper_export import fragment
from gamelib import GameState, Nim
from gamelib.agents import Agent
from gamelib.svg import board_svg
from tools.site import tree_widgets
from tools.site.engine import GAMES

NO_GUESS_TEXT = "no guess yet"  # what `Predict.compare` says where nobody has guessed
RUN_LINK = "#run-this-notebook"  # what a page makes a link to the notebook that runs
SMALL_GAMES = {"tic-tac-toe", "nim", "nim-2", "nim-misere"}  # an agent is asked in every position
REPEATED_CALLS, SAMPLED_POSITIONS = (
    4,
    200,
)  # so often is an agent asked in so many positions, to see whether it varies


def register_formatters(others: Mapping[type, Callable[[Any], str]] = {}) -> None:
    """Let the outputs of this kernel hold what a page shows of a widget, or `others` say of it."""
    usual = {
        SearchStepper: lambda stepper: fragment("stepper", stepper.export()),
        FillInTree: tree_fragment,
        Quiz: quiz_fragment,
        Predict: predict_fragment,
        PlayBoard: board_fragment,
        Panel: placeholder,
    }
    for kind, make in {**usual, **others}.items():
        get_ipython().display_formatter.formatters["text/html"].for_type(kind, make)
    compare = Predict.compare

    def compared(widget: Predict, measured: Any, note: str = "") -> PlainText:
        """Return what `compare` says, with the name of the question that it answers."""
        found = compare(widget, measured, note)
        return PlainText(
            found.replace(f"{NO_GUESS_TEXT};", f"{NO_GUESS_TEXT} {question_id(widget)};", 1)
        )

    Predict.compare = compared  # type: ignore[method-assign, assignment]


def question_id(widget: Predict) -> str:
    """Return what a question is called on a page: no two of a notebook ask the same."""
    return f"q{crc32(widget.question.encode()):x}"


def tree_fragment(widget: FillInTree) -> str:
    """Return a tree to fill in, or to cut."""
    kind, make = (
        ("cuts", tree_widgets.cut_tree) if widget.cuts else ("values", tree_widgets.value_tree)
    )
    return fragment(kind, make(widget))


def quiz_fragment(widget: Quiz) -> str:
    """Return a question, with what is said to each choice of answers."""
    choices = list(widget.answers)
    sizes = range(1, len(choices) + 1 if widget.several else 2)
    right = widget.right if widget.several else widget.right[0]
    again = Quiz(widget.question, widget.answers, correct=right)  # counts no misconception
    replies = {}
    for choice in chain.from_iterable(combinations(range(len(choices)), size) for size in sizes):
        said = str(again.answer(*(choices[number] for number in choice)))
        replies[",".join(map(str, choice))] = [again.correct, markup_to_html(said)]
    return fragment(
        "quiz",
        {
            "question": markup_to_html(widget.question),
            "answers": [markup_to_html(answer) for answer in choices],
            "several": widget.several,
            "replies": replies,
        },
    )


def predict_fragment(widget: Predict) -> str:
    """Return a question whose guess is kept on the page."""
    choices = widget.choices and [str(choice) for choice in widget.choices]
    board = "" if widget.state is None else str(board_svg(widget.state))
    asked = {"question": markup_to_html(widget.question), "choices": choices, "board": board}
    return fragment("predict", asked | {"name": question_id(widget)})


def board_fragment(widget: PlayBoard) -> str:
    """Return a game that the kernels play; in a small one against the board's own agent, too."""
    known = [key for key, (_, start) in GAMES.items() if start == widget.state]
    if not known:
        return placeholder(widget)
    agents = [(seat, agent) for seat, agent in widget.agents.items() if agent]
    shown: dict[str, Any] = {"game": known[0], "picture": str(board_svg(widget.state))}
    shown |= {} if agents else {"against": "another human"}
    if agents and known[0] in SMALL_GAMES:
        seat, agent = agents[0]
        try:
            found = agent_answers(agent, open_positions(widget.state))
        except Exception:  # of an agent that is a learner's, and not written yet
            return placeholder(widget)
        shown["agent"] = {"name": display_name(agent), "seat": seat, "answers": found}
    return fragment("play", shown)


def agent_answers(agent: Agent, asked: Sequence[GameState]) -> dict[str, list[int]]:
    """Return what an agent does in each position, by the numbers of the actions at the start.

    One that draws lots is asked several times, so that it answers differently on a page, too.
    """
    numbers = {action: number for number, action in enumerate(asked[0].legal_actions())}
    found: dict[str, list[int]] = {}
    for count, state in enumerate(reversed(asked)):  # small ones first: they take no time
        varies = any(len(seen) > 1 for seen in found.values())
        times = REPEATED_CALLS if varies or count < SAMPLED_POSITIONS else 1
        given = [agent_action(agent, state, lambda *_: None, lambda: False) for _ in range(times)]
        found[position_key(state)] = sorted({numbers[action] for action in given})
    return found


def position_key(state: Any) -> str:
    """Return a position as games.mjs calls it."""
    if isinstance(state, Nim):
        return f"{' '.join(map(str, state.heaps))} {state.current_player}"
    cells = ((row, col) for row in range(state.rows) for col in range(state.cols))
    owners = (state.cell(*cell) for cell in cells)
    return "".join(str(0 if owner is None else owner + 1) for owner in owners)


def placeholder(widget: Panel) -> str:
    """Return a line about a widget that needs Python, and a link to where it has it."""
    said = f'{type(widget).__name__} needs Python: <a href="{RUN_LINK}">run this section</a>.'
    return f'<p class="gl-live gl-still gl-note">{said}</p>'
