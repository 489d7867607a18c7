"""Turn widgets into fragments of an HTML page that works without a kernel.

`register_formatters` runs in the kernel of a notebook.  From then on, the output of a widget also
contains the fragment that a page shows instead.  The replies in a fragment come from the widget:
when the page is built, all possible answers are tried, and the replies are stored.
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

NO_GUESS_TEXT = "no guess yet"  # in the text of `Predict.compare` if there is no guess
RUN_LINK = "#run-this-notebook"  # a page replaces it by a link to the running notebook
SMALL_GAMES = {"tic-tac-toe", "nim", "nim-2", "nim-misere"}  # agents are called in every position
# An agent is called repeatedly in the first positions, to see whether its actions vary.
REPEATED_CALLS, SAMPLED_POSITIONS = 4, 200


def register_formatters(others: Mapping[type, Callable[[Any], str]] = {}) -> None:
    """Make the outputs of this kernel contain the fragments of widgets.

    others  formatters for types of widgets that replace the default ones
    """
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
        """Return the text of `compare`, with the id of the question that it answers."""
        found = compare(widget, measured, note)
        return PlainText(
            found.replace(f"{NO_GUESS_TEXT};", f"{NO_GUESS_TEXT} {question_id(widget)};", 1)
        )

    Predict.compare = compared  # type: ignore[method-assign, assignment]


def question_id(widget: Predict) -> str:
    """Return the id of a question on a page, which depends on its text."""
    return f"q{crc32(widget.question.encode()):x}"


def tree_fragment(widget: FillInTree) -> str:
    """Return the fragment of a tree whose values or cuts a reader fills in."""
    kind, make = (
        ("cuts", tree_widgets.cut_tree) if widget.cuts else ("values", tree_widgets.value_tree)
    )
    return fragment(kind, make(widget))


def quiz_fragment(widget: Quiz) -> str:
    """Return the fragment of a quiz, with the reply to each choice of answers."""
    choices = list(widget.answers)
    sizes = range(1, len(choices) + 1 if widget.several else 2)
    right = widget.right if widget.several else widget.right[0]
    again = Quiz(
        widget.question, widget.answers, correct=right
    )  # a copy, so that trying the answers counts no misconception
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
    """Return the fragment of a question whose guess the page stores."""
    choices = widget.choices and [str(choice) for choice in widget.choices]
    board = "" if widget.state is None else str(board_svg(widget.state))
    asked = {"question": markup_to_html(widget.question), "choices": choices, "board": board}
    return fragment("predict", asked | {"name": question_id(widget)})


def board_fragment(widget: PlayBoard) -> str:
    """Return the fragment of a board that the compiled searches play.

    In a small game, the fragment also has the actions of the board's own agent.
    """
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
        except Exception:  # the agent of an exercise that is not written yet
            return placeholder(widget)
        shown["agent"] = {"name": display_name(agent), "seat": seat, "answers": found}
    return fragment("play", shown)


def agent_answers(agent: Agent, asked: Sequence[GameState]) -> dict[str, list[int]]:
    """Return an agent's actions in each position, by their indices in the first position.

    A random agent is called several times, so that its actions vary on a page, too.
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
    """Return the key of a position, as games.mjs computes it."""
    if isinstance(state, Nim):
        return f"{' '.join(map(str, state.heaps))} {state.current_player}"
    cells = ((row, col) for row in range(state.rows) for col in range(state.cols))
    owners = (state.cell(*cell) for cell in cells)
    return "".join(str(0 if owner is None else owner + 1) for owner in owners)


def placeholder(widget: Panel) -> str:
    """Return a line that says that a widget needs Python, with a link to the running notebook."""
    said = f'{type(widget).__name__} needs Python: <a href="{RUN_LINK}">run this section</a>.'
    return f'<p class="gl-live gl-still gl-note">{said}</p>'
