"""The stepper, driven from code."""

import re
import threading
import time
from html import unescape

import pytest
from textbook import HAND, THREE, TREE

from course import SearchStepper
from course.draw.tree import tree_drawing
from course.exercises import covered_lines
from course.lessons.alpha_beta import check_cuts, reference
from course.tracing.events import (
    Backpropagate,
    Cut,
    Enter,
    Expand,
    Improve,
    Proof,
    Return,
    Rollout,
    Select,
)
from course.widgets import stepper as stepping
from gamelib import (
    ConnectFour,
    GameTree,
    Nim,
    TicTacToe,
    alphabeta,
    maxn,
    mcts,
    minimax,
    negamax,
    solve,
)
from tests.messages import names
from tests.widgets.conftest import stepper_of


def shown(stepper):
    """Return all that the stepper shows, as text."""
    return unescape(stepper._tree.svg + stepper._words.value)


def click(stepper, *path):
    """Press the button that lies on a node."""
    stepper._tree._buttons[stepper._tree._paths.index(path)].click()


BOTH_WAYS = ("minimax", "negamax", "alphabeta", "maxn", "paranoid", "nim", "mcts, the solver")


@pytest.mark.parametrize("name", BOTH_WAYS)
def test_forwards_and_backwards_show_the_same(name) -> None:
    stepper = stepper_of(name)
    there = [shown(stepper)]
    while stepper.step < len(stepper.timeline) - 1:
        stepper.next()
        there.append(shown(stepper))
    back = [shown(stepper)]
    while stepper.step:
        stepper.back()
        back.append(shown(stepper))
    assert back == there[::-1]
    assert len(set(there)) == len(there)
    assert stepper._back.disabled
    stepper.back()
    assert repr(stepper).endswith(f", step 0 of {len(there) - 1})")
    stepper.last()
    stepper.next()
    assert stepper._next.disabled
    assert stepper.step == len(there) - 1


def test_active_line_is_marked_with_its_changes() -> None:
    stepper, lit = SearchStepper(alphabeta, TREE), {}
    for step in range(1, len(stepper.timeline) - 1):
        stepper.go_to(step)
        (line,) = re.findall("gl-runs[^>]*>([^<]*)</div>", stepper.shown.program)
        lit.setdefault(type(stepper.timeline[step].event), set()).add(unescape(line).split("(")[0])
        if step == 18:
            changed = re.search("gl-changes[^>]*>([^<]*)<", stepper.shown.program)
            assert changed[1].startswith("beta: 14 → 5 · best: 14 → 5")
    assert lit == {
        Enter: {"def search_root", "def value"},
        Improve: {"beta = min", "alpha = max"},
        Cut: {"break"},
        Return: {"return self.leaf", "return best, line"},
    }


def test_active_function_of_several_is_shown() -> None:
    stepper, seen = SearchStepper(solve, Nim((1, 2))), set()
    for step in range(1, len(stepper.timeline) - 1):
        stepper.go_to(step)
        (acts,) = re.findall("gl-acts>(.*?)</div></div>(?:</div>|<div>)", stepper.shown.program)
        seen.add(re.search('aria-label="(.*?)"', acts)[1])
    assert {"search_root", "score"} <= seen


def test_monte_carlo_shows_the_lines_of_the_lesson() -> None:
    for solver in (False, True):
        stepper, lit = SearchStepper(mcts, Nim((1, 2)), simulations=50, solver=solver, rng=1), {}
        for step in range(1, len(stepper.timeline) - 1):
            stepper.go_to(step)
            (line,) = re.findall("gl-runs[^>]*>([^<]*)</div>", stepper.shown.program)
            lit.setdefault(type(stepper.timeline[step].event), set()).add(line)
            assert "def " not in stepper.shown.program
        lines = {
            Select: {"add the child with the highest score to path"},
            Expand: {"add a new node for it to path"},
            Rollout: {"play at random from there to the end of the game"},
            Backpropagate: {"count a visit, and add the reward"},
        }
        assert lit == lines | ({Proof: {"the result of node is certain, too"}} if solver else {})


def test_stepper_hides_line_until_learner_wrote_it() -> None:
    asked = check_cuts.check_my_alphabeta.__name__
    stepper = SearchStepper(alphabeta, TREE)
    covered_lines.cover_line(asked, "if beta < alpha")
    before = covered_lines._covered[asked]
    try:
        covered_lines._covered[asked] = "if beta < alpha"
        stepper.go_to(18)
        assert "beta == alpha" not in stepper.scene.program
        assert "break" in stepper.scene.program
        assert check_cuts.check_my_alphabeta(reference.my_alphabeta)
        assert "beta == alpha" in stepper.scene.program
    finally:
        covered_lines._covered[asked] = before


def test_stepper_waits_for_answer() -> None:
    stepper = SearchStepper(alphabeta, TREE, ask=True)
    while stepper.question is None:
        stepper.next()
    here = stepper.step
    stepper.next()
    assert stepper.step == here
    with pytest.raises(ValueError, match=names("answer must be one of cut, go on; got 'perhaps'")):
        stepper.answer("perhaps")
    assert stepper.score == (0, 0)
    said = stepper.answer("cut")
    assert said == "Not so. Compare alpha with beta. Try once more."
    stepper.next()
    assert stepper.step == here
    said = stepper.answer("cut")
    assert said.startswith("Not so. Alpha -∞ is below beta 3")
    stepper.next()
    assert stepper.step == here + 1


@pytest.mark.parametrize("search", [minimax, negamax, alphabeta, maxn, mcts])
def test_first_wrong_answer_gets_hint_only(search) -> None:
    options = {"simulations": 15, "rng": 1} if search is mcts else {}
    stepper = SearchStepper(search, HAND, ask=True, **options)
    for step, question in stepper.questions.items():
        stepper.go_to(step)
        right = (question.correct, *question.ties)
        wrong = [c for c in question.choices if c not in right][:1] or [-77]
        said = stepper.answer(wrong[0])
        assert question.explanation not in said
        assert stepper.question is question
        assert question.explanation in stepper.answer(wrong[0])
        assert stepper.question is None


def test_enter_then_button_gives_one_answer() -> None:
    stepper = SearchStepper(alphabeta, TREE, ask=True)
    stepper.go_to(next(step for step, q in stepper.questions.items() if q.kind == "value"))
    field, check = stepper._choices.children
    field.value = "<b>"
    assert "&lt;b&gt;" in stepper.reply
    field.value = "77"  # what Enter, or leaving the field for the button, sends
    check.click()
    assert "Try once more" in stepper.reply
    field.value = str(stepper.questions[stepper.step].correct)
    assert "Right." in stepper.reply
    assert stepper.score == (0, 1)  # the first answer counts
    assert repr(stepper).endswith("0 of 1 right)")


def test_play_stops_at_end_or_question(monkeypatch) -> None:
    monkeypatch.setitem(stepping.SPEEDS, "normal", 0)
    for ask in (False, True):
        stepper = SearchStepper(alphabeta, TREE, ask=ask)
        stepper.play()
        stepper.wait()
        end = next(iter(stepper.questions)) if ask else len(stepper.timeline) - 1
        assert (stepper.step, stepper._play.description) == (end, "Play")


def test_pause_and_close_stop_playing(monkeypatch) -> None:
    monkeypatch.setitem(stepping.SPEEDS, "normal", 0.05)
    for stop in (SearchStepper.pause, SearchStepper.close, lambda it: it._first.click()):
        stepper = SearchStepper(minimax, TREE)
        stepper.play()
        time.sleep(0.12)
        thread = stepper.runner._thread
        stop(stepper)
        assert isinstance(thread, threading.Thread)
        thread.join(60)
        assert not thread.is_alive()
        assert stepper.step < len(stepper.timeline) - 1


@pytest.mark.parametrize(("moved", "twin"), [("_number", "_slider"), ("_slider", "_number")])
def test_number_and_slider_stay_synchronized(moved: str, twin: str) -> None:
    stepper = SearchStepper(minimax, TREE)
    getattr(stepper, moved).value = 7
    assert stepper.step == getattr(stepper, twin).value == 7
    stepper.next()
    assert stepper._number.value == stepper._slider.value == 8
    for typed, step in ((-5, 0), (10**6, 24)):
        stepper._number.value = typed
        assert stepper.step == stepper._number.value == step


def test_folded_node_can_be_opened() -> None:
    stepper = SearchStepper(minimax, GameTree([list(range(20)) for _ in range(20)]))
    stepper.last()
    assert 'data-path="17/19"' not in stepper._tree.svg
    click(stepper, "...")
    click(stepper, 17)
    stepper._open.click()
    assert 'data-path="17/19"' in stepper._tree.svg
    stepper.fold()
    assert 'data-path="17/19"' not in stepper._tree.svg


def test_click_on_node_inspects_it() -> None:
    stepper = SearchStepper(mcts, HAND, simulations=15, rng=1)
    stepper.last()
    click(stepper, 8, 5)
    assert "Node 8 → 5, X: 3 visits; mean reward" in unescape(stepper.shown.narration)
    assert "row 1: O empty X; row 2: X X O; row 3: O O X" in stepper.shown.board
    click(stepper, 8, 5)
    assert stepper.inspected_path is None
    assert stepper._inspector.layout.display == "none"


def test_click_does_not_reveal_asked_value() -> None:
    stepper = SearchStepper(alphabeta, TREE, ask=True)
    step = next(step for step, question in stepper.questions.items() if question.kind == "value")
    stepper.go_to(step)
    stepper.inspect(*stepper.question.path)
    assert "value" not in stepper.shown.narration
    assert f"<td>{stepper.question.correct}</td>" not in stepper.shown.table.split("<tr>")[-1]


def test_changed_leaf_updates_cuts_and_values() -> None:
    stepper = SearchStepper(alphabeta, TREE)
    stepper.last()
    assert stepper.trace.pruned() == ((1, 1), (1, 2))
    click(stepper, 1, 0)
    stepper._leaf.value = "5"
    assert stepper.trace.state == GameTree([[3, 12, 8], [5, 4, 6], [14, 5, 2]])
    assert "[3 12 8] [5 4 6] [14 5 2]" in repr(stepper)
    assert stepper.trace.result == alphabeta(stepper.trace.state)
    assert stepper.trace.pruned() == ()
    click(stepper, 1, 0)
    assert stepper.inspected_path == (1, 0)  # clicked again, it takes another number
    stepper.stop_inspecting()
    assert "Max plays 1: its value, 4, is the best." in stepper.shown.narration
    assert 'data-kind="cut"' not in stepper._tree.svg
    assert stepper._number.max == stepper._slider.max == stepper.step == len(stepper.timeline) - 1


def test_leaf_of_three_players_can_be_changed() -> None:
    stepper = SearchStepper(maxn, THREE)
    stepper.change_leaf((0, 1), (9, 0, 0))
    assert stepper.trace.state == GameTree([[(1, 2, 3), (9, 0, 0)], [(6, 1, 2), (7, 4, -1)]])
    below = SearchStepper(minimax, TREE.successor(1))
    below.change_leaf((2,), -7)
    assert below.trace.result.value == minimax(GameTree([2, 4, -7], [1])).value
    assert below.trace.state.current_player == 1


@pytest.mark.parametrize(
    ("slip", "said"),
    [
        (lambda: SearchStepper(minimax), "SearchStepper takes a search and a position: "),
        (lambda: SearchStepper(TREE, minimax), "SearchStepper takes a search and a position"),
        (lambda: SearchStepper(minimax, TicTacToe), "write TicTacToe() with brackets"),
        (lambda: SearchStepper(minimax, TREE).go_to(25), "step must be an int from 0 to 24"),
        (lambda: SearchStepper(minimax, TREE).answer(3), "no question to answer at step 0"),
        (lambda: SearchStepper(minimax, TREE).change_leaf((0,), 3), "node 0 is no leaf"),
        (lambda: SearchStepper(minimax, HAND).change_leaf((1, 5), 3), "is no leaf of a GameTree"),
    ],
)
def test_slip_error_names_the_argument(slip, said) -> None:
    with pytest.raises((TypeError, ValueError), match=names(said)):
        slip()


@pytest.mark.parametrize("typed", ["many", "1, 2, 3", "inf", "nan"])
def test_invalid_leaf_value_is_explained(typed: str) -> None:
    stepper = SearchStepper(minimax, TREE)
    stepper._node_clicked((0, 0))
    stepper._leaf.value = typed
    assert "gl-note" in stepper.reply
    assert stepper.trace.state == TREE


def test_unvisited_leaves_can_be_covered() -> None:
    stepper = SearchStepper(alphabeta, TREE)

    def texts():
        return re.findall(r">(14|12)</text>", stepper._tree.svg)

    assert texts() == ["12", "14"]
    stepper._cover.value = True
    assert texts() == []
    stepper.go_to(8)
    assert texts() == ["12"]


def test_value_is_shown_while_backed_up() -> None:
    stepper = SearchStepper(alphabeta, TREE)
    rising = {}
    for step, frame in enumerate(stepper.timeline):
        stepper.go_to(step)
        risen = re.search('<g class="risen">.*?>([^<>]+)</text>', stepper._tree.svg)
        assert bool(risen) == (type(frame.event).__name__ == "Return" and bool(frame.focus))
        if risen:
            rising[frame.focus] = unescape(risen[1])
    assert (rising[(0,)], rising[(0, 1)], rising[(1,)]) == ("3", "12", "≤ 2")


def test_rollout_and_backpropagation_are_shown_step_wise() -> None:
    stepper = SearchStepper(mcts, TicTacToe(), simulations=5, rng=1)
    trace, film = stepper.trace, stepper.timeline
    for step, event in enumerate(trace, 1):
        frames = [frame for frame in film if frame.step == step and frame.played_action is None]
        if type(event).__name__ == "Rollout":
            boards = [frame.state for frame in frames]
            leaf = trace.visit_of(step - 1).state
            assert boards == [leaf.play(*event.actions[: n + 1]) for n in range(len(boards))]
            assert boards[-1].utilities() == event.utilities
        if type(event).__name__ == "Backpropagate":
            ends = range(len(event.path), -1, -1)
            assert [frame.focus for frame in frames] == [event.path[:end] for end in ends]
            for frame in frames:
                for end in ends:
                    path = event.path[:end]
                    at = step if end >= len(frame.focus) else step - 1
                    assert frame.node(path).visits == trace.at(at).node(path).visits


def test_skip_stops_at_simulation_end_or_question() -> None:
    stepper = SearchStepper(mcts, HAND, simulations=6, rng=1)
    done = []
    while stepper.step < len(stepper.timeline) - 1:
        stepper.skip()
        done.append(stepper.timeline[stepper.step].node(()).visits)
    assert done == [1, 2, 3, 4, 5, 6, 6]
    stepper.first()
    stepper.ask_mode = True
    stepper.skip()
    assert stepper.step == next(iter(stepper.questions))


def test_nodes_keep_their_places() -> None:
    for search, state, options in (
        (alphabeta, TREE, {}),
        (minimax, HAND, {}),
        (mcts, HAND, {"simulations": 8, "rng": 0}),
    ):
        stepper = SearchStepper(search, state, **options)
        places, sizes = {}, set()
        for frame in stepper.timeline:
            shown = tree_drawing(frame, boards=stepper._boards, width=760)
            sizes.add((shown.width, shown.height))
            for path, (left, top, wide, _) in shown.boxes.items():
                places.setdefault(path, set()).add((round(left + wide / 2, 3), round(top, 3)))
        assert len(sizes) == 1
        assert all(len(seen) == 1 for seen in places.values())


def test_step_sends_few_messages(messages_of) -> None:
    # Each is a millisecond or more in the browser; a new button on a node was four.
    stepper = SearchStepper(mcts, ConnectFour(), simulations=200, rng=0)
    stepper.go_to(1900)
    counts = sorted(len(messages_of(stepper.next)) for _ in range(200))
    assert counts[100] <= 4
    assert counts[190] <= 10


def test_disabled_button_passes_focus_on(monkeypatch) -> None:
    focused = []
    monkeypatch.setattr("ipywidgets.DOMWidget.focus", lambda widget: focused.append(widget))
    stepper = SearchStepper(alphabeta, TREE)
    stepper._next.click()
    assert focused == []
    stepper._last.click()
    stepper._first.click()
    stepper.ask_mode = True
    while stepper.question is None:
        stepper._next.click()
    assert focused == [stepper._back, stepper._next, stepper._choices.children[0]]


def test_failing_program_is_shown_up_to_error() -> None:
    def broken(state):
        return [broken(state.successor(action)) for action in state.legal_actions()][5]

    stepper = SearchStepper(broken, TREE)
    stepper.last()
    assert len(stepper.timeline) > 3
    assert stepper.shown.narration == "broken raised IndexError: list index out of range."
