"""What was tried and answered is kept in what a notebook shows, and found there again."""

import json
import sys
from types import SimpleNamespace

import numpy
import pytest
from IPython.core.formatters import DisplayFormatter

from course import GameTree, Predict, Quiz, SearchStepper, hint, quiz, solution
from course.exercises import activity_log
from course.exercises.catalogue import catalogue
from course.exercises.check_runner import attempts
from course.exercises.mistakes import with_edits
from course.lessons.minimax.check import check_negamax
from course.lessons.minimax.reference import negamax_value
from course.widgets.sharing import share
from gamelib import alphabeta
from tests.fresh import fresh
from tools.dashboard.progress import exercises_by_check


@pytest.fixture(autouse=True)
def nothing_has_happened(monkeypatch):
    """Begin with a notebook in which nothing has happened."""
    monkeypatch.setattr(activity_log, "LOG_ID", "a-log")
    monkeypatch.setattr(activity_log, "_events", [])
    monkeypatch.setattr(activity_log, "_listeners", [])
    monkeypatch.delenv("COURSE_SHARE", raising=False)
    attempts.clear()


def zero(state):
    return 0


def one(state):
    return 1


# The mistake that the lesson names: the value of the child as the child's player sees it.
sign_forgotten = with_edits(negamax_value, ("else -negamax", "else negamax"))


def said(kind):
    """Return the facts of all events of a kind."""
    return [
        {name: fact for name, fact in event.items() if name not in ("n", "kind", "mark")}
        for event in activity_log.events()
        if event["kind"] == kind
    ]


def notebook(*metadata):
    cells = [
        {"cell_type": "code", "source": "", "outputs": [{"metadata": one}]} for one in metadata
    ]
    return {"cells": [{"cell_type": "markdown", "source": ""}, *cells]}


def test_repeated_answer_is_logged_once():
    for program in (zero, zero, one, one, negamax_value, negamax_value):
        check_negamax(program)
    assert [event["passed"] for event in said("attempt")] == [False, False, True]
    assert {event["key"] for event in said("attempt")} == {"check_negamax"}


def test_check_output_carries_log_without_blank_attempts():
    def blank(state):
        raise NotImplementedError

    assert DisplayFormatter().format(check_negamax(blank))[1] == {}
    shown, metadata = DisplayFormatter().format(check_negamax(zero))
    assert {"text/plain", "text/html"} <= set(shown)
    assert metadata == {"course_record": {"a-log": activity_log.events()}}
    assert json.loads(json.dumps(metadata)) == metadata


def test_hints_and_solutions_are_logged():
    hint("02/e2")
    hint("02/e2")
    solution("02/e2")  # not shown before an attempt
    check_negamax(zero)
    shown = DisplayFormatter().format(solution("02/e2"))
    assert said("hint") == [{"key": "02/e2", "number": number} for number in (1, 2)]
    assert said("solution") == [{"key": "02/e2"}]
    assert shown[1]["course_record"]["a-log"] == activity_log.events()


def test_answers_and_mistakes_are_logged_only_if_shared():
    Predict("How many?").answer(3).compare(5)
    quiz("minimax/value").answer(next(iter(quiz("minimax/value").answers)))
    assert "sign" in check_negamax(sign_forgotten).message
    share()  # which keeps nothing of what was before
    assert [event["kind"] for event in activity_log.events()] == ["attempt"]
    assert "mistake" not in activity_log.events()[0]


def test_shared_notebook_logs_guesses_and_quiz_answers():
    share()
    Predict("How many?").compare(5)  # no guess was made
    Predict("How many?").answer(3).compare(5)
    Predict("Which?", choices=["a", "b"]).answer("b").compare("b")
    assert said("guess") == [
        {"key": "How many?", "guess": 3},
        {"key": "How many?", "guess": 3, "measured": 5, "right": False},
        {"key": "Which?", "guess": "b", "choices": ["a", "b"]},
        {"key": "Which?", "guess": "b", "measured": "b", "right": True},
    ]
    first, *_ = (asked := quiz("minimax/value")).answers
    asked.answer(first)
    Quiz("Your own?", {"yes": "Why not.", "no": "It is."}, correct="no").answer("yes")
    assert said("quiz") == [
        {"key": "minimax/value", "given": [first], "right": asked.correct},
        {"key": "Your own?", "given": ["yes"], "right": False},
    ]


def test_shared_notebook_logs_first_answer_in_stepper():
    share()
    stepper = SearchStepper(alphabeta, GameTree([[3, 12, 8], [2, 4, 6]]), ask=True)
    stepper.go_to(next(step for step, q in stepper.questions.items() if q.kind == "value"))
    stepper.answer(-7)
    stepper.answer(stepper.question.correct)
    (event,) = said("step")
    assert event["key"].startswith("alphabeta, GameTree([[3 12 8] [2 4 6]], max to move), step ")
    assert event["key"].endswith("What does node 0 return?")
    assert (event["given"], event["right"], event["truth"]) == ("-7", False, "3")


def test_facts_become_plain_json():
    share()
    activity_log.log_event(
        "guess", "?", guess=numpy.int64(3), choices=(numpy.float64(0.5), float("inf"), [zero])
    )
    (event,) = activity_log.events()
    assert event["guess"] == 3
    assert event["choices"][:2] == [0.5, "inf"]
    json.dumps(event, allow_nan=False)


def test_log_is_limited_but_a_pass_is_kept():
    for number in range(500):
        activity_log.log_event("attempt", "check", passed=False, mark=str(number))
    activity_log.log_event("attempt", "check", passed=True, mark="right")
    assert len(activity_log.events()) == activity_log.MAX_ENTRIES + 1
    assert activity_log.events()[-1]["passed"]


def test_shared_and_hidden_outputs_merge_without_duplicates(monkeypatch):
    share()
    Predict("How many?").answer(3)
    message = check_negamax(sign_forgotten).message
    open_ = activity_log.metadata()
    monkeypatch.setattr(activity_log, "_listeners", [])
    check_negamax(negamax_value)
    hidden = activity_log.metadata()
    assert [event["kind"] for event in hidden["course_record"]["a-log"]] == ["attempt", "attempt"]
    for both in ((hidden, open_), (open_, hidden)):
        found = activity_log.logged_events(notebook(*both))
        assert [event["kind"] for event in found] == ["guess", "attempt", "attempt"]
        assert found[1]["mistake"] in message


def test_events_after_hidden_ones_get_new_numbers(monkeypatch):
    monkeypatch.setattr(
        activity_log, "_events", [{"n": 7, "kind": "hint", "key": "02/e1", "number": 1}]
    )
    check_negamax(zero)
    assert [event["n"] for event in activity_log.events()] == [7, 8]


def test_log_of_browser_tab_has_prefix(monkeypatch):
    monkeypatch.setattr(sys, "platform", "emscripten")
    name, events = activity_log._restored_log()
    assert name.startswith("tab-")
    assert events == []


HINT = {"n": 0, "kind": "hint", "key": "02/e1"}
NO_EVENTS = [3, None, {}, HINT | {"n": "0"}, HINT | {"kind": "wrote marks"}, HINT | {"key": None}]


def test_logged_events_joins_logs_and_drops_invalid_ones():
    found = [{"a": [HINT], "b": [*NO_EVENTS, HINT]}, 3, [], {"a": 3}]
    notebooks = notebook(*({"course_record": one} for one in found))
    assert activity_log.logged_events(notebooks) == [HINT, HINT]


def in_a_new_kernel(path):
    """Return the name and the events with which a kernel of the notebook at `path` begins."""
    show = "import json; from course.exercises import activity_log; "
    show += "print(json.dumps([activity_log.LOG_ID, activity_log._events]))"
    return json.loads(fresh("-c", show, JPY_SESSION_NAME=str(path)).stdout)


def test_new_kernel_continues_log_of_notebook(tmp_path):
    share()
    Predict("How many?").answer(3)
    check_negamax(zero)
    path = tmp_path / "02_minimax.ipynb"
    path.write_text(json.dumps(notebook(activity_log.metadata())), encoding="utf-8")
    assert in_a_new_kernel(path) == ["a-log", activity_log.events()]


def kernel_of(file):
    """Return a kernel whose ports are listed in a file."""
    return SimpleNamespace(get_connection_file=lambda: str(file))


def test_unsaved_log_is_kept_next_to_connection_file(tmp_path, monkeypatch):
    for name in ("kernel-1.json", "kernel-2.record", "tmp3.json"):
        (tmp_path / name).touch()
    monkeypatch.setitem(sys.modules, "ipykernel.kernelapp", None)
    monkeypatch.setitem(sys.modules, "ipykernel", kernel_of(tmp_path / "tmp3.json"))
    check_negamax(zero)
    monkeypatch.setitem(sys.modules, "ipykernel", kernel_of(tmp_path / "kernel-1.json"))
    check_negamax(one)
    assert activity_log._restored_log() == ("a-log", activity_log.events())
    # That of a kernel that has ended is gone.
    assert {file.name for file in tmp_path.glob("*.record")} == {"kernel-1.record"}


@pytest.mark.parametrize("text", [None, "", "{}", '{"cells": [{"outputs": [{"metadata": null}]}]}'])
def test_unreadable_notebook_begins_new_log(tmp_path, monkeypatch, text):
    path = tmp_path / "02_minimax.ipynb"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    monkeypatch.setenv("JPY_SESSION_NAME", str(path))
    name, events = activity_log._restored_log()
    assert len(name) == 8
    assert events == []


def test_share_lists_what_is_logged():
    assert "without your name, without times" in repr(share())
    assert repr(share()).endswith("Kept so far: nothing.")
    Predict("How many?").answer(3)
    check_negamax(zero)
    hint("02/e2")
    assert repr(share()).endswith("Kept so far: guesses 1, attempts 1, hints 1.")


class Publisher:
    def __init__(self):
        self.published = []
        self.display_pub = self

    def publish(self, data, metadata, *, transient, update):
        self.published.append((data["text/plain"], metadata, transient["display_id"], update))


def test_share_notice_is_updated_by_each_event():
    shell = Publisher()
    sharing = share()
    sharing._shell = shell
    Predict("How many?").answer(3)
    Predict("How many?").answer(3)  # says nothing new
    check_negamax(zero)
    assert [metadata for _, metadata, _, _ in shell.published][-1] == activity_log.metadata()
    assert len(shell.published) == 2
    assert {(name, update) for _, _, name, update in shell.published} == {
        ("course_record-a-log", True)
    }
    assert shell.published[-1][0] == repr(sharing)


def test_class_folder_receives_answers_only(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_SHARE", str(tmp_path))  # a hub names it so
    assert share().file == share(tmp_path).file == tmp_path / "a-log.json"
    Predict("How many?").answer(3)
    check_negamax(sign_forgotten)
    hint("02/e2")
    (file,) = tmp_path.iterdir()
    written = json.loads(file.read_text(encoding="utf-8"))
    assert written == {"a-log": [{"n": 0, "kind": "guess", "key": "How many?", "guess": 3}]}


@pytest.mark.parametrize("folder", ["nowhere", "/dev/null"])
def test_share_with_missing_folder_raises(folder):
    with pytest.raises(ValueError, match=f"place .*{folder}"):
        share(folder)


def test_unwritable_folder_does_not_lose_guess(tmp_path):
    sharing = share(tmp_path)
    sharing.file = tmp_path / "gone" / "a-log.json"
    assert Predict("How many?").answer(3).guess == 3
    assert "Your answers are NOT in" in repr(sharing)
    sharing.file = tmp_path / "a-log.json"
    Predict("How many?").answer(4)
    assert "Your answers are also in" in repr(sharing)


def test_every_exercise_is_found_by_its_log_key():
    assert sorted(one.key for one in exercises_by_check().values()) == sorted(catalogue())
