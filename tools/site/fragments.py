"""Widgets as pieces of a page that works without a kernel.

`register` runs in the kernel of a notebook: from then on an output holds, beside each widget, what
a page shows in its place.  What is said there to an answer was said by the widget itself: answers
are tried when the page is made, and kept with what came back.
"""

from itertools import chain, combinations

from IPython import get_ipython

from course import FillInTree, PlayBoard, Predict, Quiz, SearchStepper
from course.widgets.panel import Panel, marked_up
from course.widgets.reel import fragment
from gamelib.picture import position
from tools.site import boards, trees
from tools.site.think import GAMES

RUN = "#run-this-notebook"  # what a page makes a link to the notebook that runs
MOST_ANSWERS = 8  # of a quiz in which several are right: each choice of them is tried


def register() -> None:
    """Let the outputs of this kernel hold what a page shows of a widget."""
    html = get_ipython().display_formatter.formatters["text/html"]
    for kind, make in {
        SearchStepper: lambda stepper: fragment("stepper", stepper.reel()),
        FillInTree: tree,
        Quiz: quiz,
        Predict: predict,
        PlayBoard: board,
        Panel: still,
    }.items():
        html.for_type(kind, make)


def tree(widget: FillInTree) -> str:
    """Return a tree to fill in, or to cut."""
    return (
        fragment("cuts", trees.cuts(widget))
        if widget.cuts
        else fragment("values", trees.values(widget))
    )


def quiz(widget: Quiz) -> str:
    """Return a question, with what is said to each choice of answers."""
    answers = list(widget.answers)
    if len(answers) > MOST_ANSWERS:
        return still(widget)
    sizes = range(1, len(answers) + 1 if widget.several else 2)
    choices = chain.from_iterable(combinations(range(len(answers)), size) for size in sizes)
    right = widget._right if widget.several else widget._right[0]
    again = Quiz(widget.question, widget.answers, correct=right)  # counts no misconception
    replies = {}
    for choice in choices:
        said = str(again.answer(*(answers[number] for number in choice)))
        replies[",".join(map(str, choice))] = [again.correct, marked_up(said)]
    return fragment(
        "quiz",
        {
            "question": marked_up(widget.question),
            "answers": [marked_up(answer) for answer in answers],
            "several": widget.several,
            "replies": replies,
        },
    )


def predict(widget: Predict) -> str:
    """Return a question whose guess is kept on the page."""
    choices = widget.choices and [str(choice) for choice in widget.choices]
    board = "" if widget.state is None else str(position(widget.state))
    asked = {"question": marked_up(widget.question), "choices": choices, "board": board}
    return fragment("predict", asked)


def board(widget: PlayBoard) -> str:
    """Return a game to play by a table, or by the kernels where it has too many positions."""
    try:
        table = boards.game(widget)
    except Exception:  # of an agent that is a learner's, and not written yet
        table = None
    if table is None:
        known = [key for key, (_, start) in GAMES.items() if start == widget.state]
        return fragment("play", {"game": known[0]}) if known else still(widget)
    more = f'Hints and other opponents need Python: <a href="{RUN}">run it</a>.'
    return fragment("game", table | {"more": more})


def still(widget: Panel) -> str:
    """Return a line about a widget that needs Python, and a link to where it has it."""
    name = type(widget).__name__
    said = f'<p class="gl-note">{name} needs Python: <a href="{RUN}">run this notebook</a>.</p>'
    state = getattr(widget, "state", None)
    shown = str(position(state)) if state is not None and state.spots() else ""
    return f'<div class="gl-live gl-still">{said}<div inert>{shown}</div></div>'
