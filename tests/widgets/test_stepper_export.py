"""A stepper as differences: put together again, they are what the widget shows."""

import json
import re

import pytest
from textbook import TREE

from course import SearchStepper
from course.widgets.stepper_export import _parts
from course.widgets.stepper_model import LEAF_HINT
from gamelib import TicTacToe, alphabeta, minimax
from tests.widgets.conftest import stepper_of

NAMES = ("minimax on a board", "negamax", "alphabeta", "deepening", "maxn", "mcts")


@pytest.fixture(params=[*NAMES, "mcts, nim with proofs"], scope="module")
def stepper(request):
    few = {"simulations": 12} if request.param == "mcts" else {}  # each has a dozen steps
    return stepper_of(request.param, **few)


@pytest.fixture(scope="module")
def exported(stepper):
    """Return the data of a stepper, and the frames that they describe."""
    data = stepper.export()
    return data, restored(data)


def restored(data):
    """Return all frames that the data of a reel describe, as lists of parts."""
    frames = []
    for before, *changes in data["frames"]:
        parts = [list(part) for part in frames[before]] if before >= 0 else [[] for _ in changes]
        for part, splices in zip(parts, changes, strict=True):
            for at, gone, *added in splices:
                part[at : at + gone] = added
        frames.append(parts)
    return [["".join(map(data["pieces"].__getitem__, part)) for part in f] for f in frames]


def test_exported_steps_equal_widget(stepper, exported):
    stepper.ask_mode = False
    data, frames = exported
    assert data["last"] == len(stepper.timeline) - 1
    for step in range(len(stepper.timeline)):
        stepper.go_to(step)
        for part, value in zip(
            frames[step], (stepper._words.value, stepper._tree.svg), strict=True
        ):
            assert without(part) == without(value)


def without(shown):
    """Return a part of a moment without what a page has in another place."""
    return re.sub(f'<b>{LEAF_HINT}</b> |</?div[^>]*>|<i class="gl-here".*?</i>', "", shown)


def test_exported_questions_hide_what_widget_hides(stepper, exported):
    data, frames = exported
    for step, question in stepper.questions.items():
        asked = data["questions"][step]
        assert frames[asked["waits"]] == _parts(stepper.scene_at(step, question, True))
        assert frames[asked["told"]] == _parts(stepper.scene_at(step, question, False))


def test_exported_replies_equal_widget(stepper, exported):
    stepper.ask_mode = True
    data, _ = exported
    for step, question in stepper.questions.items():
        asked = data["questions"][step]
        for answer, right, first, second in asked.get("choices", asked.get("values")):
            stepper.answered.clear()
            stepper.go_to(step)
            given = answer if question.choices else ", ".join(answer)
            said = plain(str(stepper.answer(given)))
            assert said.startswith("Right" if right else "Not so")
            assert plain(first) in said
            if not right:
                assert plain(second) in plain(str(stepper.answer(given)))


def plain(html):
    return re.sub("<[^>]*>|`", "", html).replace("&#x27;", "'").replace("&lt;", "<")


def test_exported_reply_names_any_other_value():
    stepper = SearchStepper(minimax, TREE, ask=True)
    step = next(step for step, q in stepper.questions.items() if q.kind == "value")
    stepper.go_to(step)
    _, first, _ = stepper.export()["questions"][step]["other"]
    assert first.replace("{}", "99") in str(stepper.answer(99))


def test_exported_file_needs_no_other_file(tmp_path):
    stepper = SearchStepper(alphabeta, TREE, ask=True)
    stepper.go_to(7)
    stepper.to_html(tmp_path / "steps.html")
    page = (tmp_path / "steps.html").read_text(encoding="utf-8")
    assert re.findall(r"\b(?:src|href)=|@import|url\(", page) == []
    (data,) = re.findall(r'<script type="application/json">(.*?)</script>', page, re.S)
    shown = json.loads(data)
    assert (shown["step"], shown["asks"]) == (7, True)


def test_exported_text_cannot_end_script(tmp_path):
    class Loud(TicTacToe):
        def player_name(self, player):
            return "</script><!-- <script>"

    SearchStepper(minimax, Loud(2, 2, 2), depth=1).to_html(tmp_path / "loud.html")
    page = (tmp_path / "loud.html").read_text(encoding="utf-8")
    assert page.count("</script>") == 2
    assert "<!-- <script" not in page
