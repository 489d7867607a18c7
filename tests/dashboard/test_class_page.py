"""A class of 120 on one page: known answers in, exact counts out."""

import html
import json
import re
from fractions import Fraction

import pytest
from classroom import AMOUNT, CHOICES, MISTAKES, QUIZ, STEP, N, answers, hand_in, notebook

from course.draw import histogram
from course.exercises.answer_histograms import HistogramBar, histograms
from course.exercises.feedback import markup_to_html
from course.exercises.lesson_data import quiz_data
from tools.dashboard.__main__ import main
from tools.dashboard.class_page import class_page
from tools.dashboard.progress import StudentLog, exercise_progress, read_logs
from tools.submissions import ROOT, Submission, find_submissions


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    hand_in(folder)
    return folder


@pytest.fixture(scope="module")
def hand_ins(folder):
    return read_logs(find_submissions(folder))


def told(histogram):
    return [(bar.label, bar.count, bar.right) for bar in histogram.bars]


def of(kind, *logs, tell=True):
    """Return the histograms of students, each a list of (key, facts)."""
    students = [
        [{"n": n, "kind": kind, "key": key} | facts for n, (key, facts) in enumerate(log)]
        for log in logs
    ]
    return histograms(kind, students, reveal=tell)


def test_attempts_after_pass_are_ignored():
    steps = [("hint", "02/e2", {"number": number}) for number in (1, 2)]
    steps += [("attempt", "check_negamax", {"passed": passed}) for passed in (False, True, False)]
    steps += [("hint", "02/e2", {"number": 3}), ("solution", "02/e2", {})]
    log = [{"n": n, "kind": kind, "key": key} | facts for n, (kind, key, facts) in enumerate(steps)]
    (came,) = exercise_progress([StudentLog("ada", "02_minimax", "a.ipynb", log)])["02/e2"]
    assert (came.attempts, came.passed, came.hints, came.solution) == (2, True, 2, False)


def rows(text, under):
    """Return the table below a heading of the page as lists of texts."""
    table = text.partition(under)[2].partition("</table>")[0]
    found = re.findall(r"<tr.*?</tr>", table)
    return [
        [html.unescape(re.sub("<.*?>", "", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in found
    ]


def test_page_shows_all_counts(hand_ins):
    text = class_page(hand_ins, names=True)
    assert "121 notebooks, 120 with a record, 120 with answers." in text
    *_, first, second = rows(text, 'aria-label="Exercises in numbers"')
    assert first[1:] == ["120", "120", "30", "30", "30", "30", "0", "30", "30", "0"]
    assert second[1:] == ["24", "12", "12", "0", "0", "0", "0", "12", "0", "12"]
    assert [row[1] for row in rows(text, "The most frequent mistakes")[1:]] == ["90", "60"]
    assert all(f"E1: {mistake.replace('`', '')}" in text for mistake in MISTAKES)
    assert "<b>student-010</b>: E2 (6 attempts)" in text
    assert text.count("<li><b>") == 12


def test_page_counts_first_answers(hand_ins):
    text = class_page(hand_ins, names=True)
    powers = [[f"{10**power:,}", "20"] for power in range(1, 7)]
    quiz = quiz_data(QUIZ)
    given = dict.fromkeys(answers()[:3], "40")
    for question, bars_of_it in {
        CHOICES: [["1", "30"], ["✓ 5 (right)", "60"], ["8", "30"]],  # the guess that was compared
        AMOUNT: [*powers[:5], ["✓ 549,946 (right)", "0"], powers[5]],
        markup_to_html(quiz["question"]): [
            [f"✓ {answer} (right)" if answer == quiz["correct"] else answer, given.get(answer, "0")]
            for answer in quiz["answers"]
        ],
        STEP.format(4): [["2", "90"], ["✓ 3 (right)", "30"]],
        STEP.format(9): [["2", "106"], ["✓ 3 (right)", "14"]],
    }.items():
        assert rows(text, question)[1:] == bars_of_it
    assert f"{N} answered. Right: 5." in text


def test_page_names_skipped_files_with_reason(hand_ins):
    text = class_page(hand_ins, names=True).partition("Files without a record")[2]
    assert re.findall(r"<li>(.*?)</li>", text) == [
        "02_minimax_cleared.ipynb: no record: nothing was tried, or its outputs are cleared",
        "02_minimax_essay.ipynb: it has no cell with code",
        "02_minimax_half.ipynb: it is not a valid notebook",
        "02_minimax_nothing.ipynb: it is empty",
    ]


def test_anonymous_page_names_nobody(hand_ins):
    text = class_page(hand_ins, names=False)
    assert "student-" not in text
    assert ".ipynb" not in text
    assert "1 file: it is empty" in text
    assert rows(text, 'aria-label="Exercises in numbers"')[-1][-1] == "12"


def test_page_needs_no_network_or_script(hand_ins):
    text = class_page(hand_ins, names=True)
    assert not re.search(r"<script|https?:|src=|@import|url\(|\bon\w+=", text)


def test_questions_are_in_notebook_order(hand_ins):
    text = class_page(hand_ins, names=True)
    assert 0 < text.index(AMOUNT) < text.index(CHOICES)


def handed_in(log, name="a", student="ada"):
    """Return the notebook of a student, with one log of some name in it."""
    output = {"metadata": {"course_record": {name: log}}}
    cell = {"cell_type": "code", "source": "1", "outputs": [output]}
    content = json.dumps({"cells": [cell]}).encode()
    return Submission(student, "02_minimax", f"{student}.ipynb", content)


def test_student_text_is_escaped():
    bad = "<script>alert(1)</script>"
    log = [{"n": 0, "kind": "guess", "key": bad, "guess": bad}]
    log += [{"n": 1, "kind": "step", "key": bad, "given": bad, "truth": bad}]
    log += [{"n": 2, "kind": "attempt", "key": "check_negamax", "mistake": bad}]
    log += [{"n": 3, "kind": "solution", "key": "02/e2"}]
    both = [handed_in(log, student=bad), Submission(bad, "", f"{bad}2.ipynb", b"")]
    text = class_page(read_logs(both), names=True)
    assert "<script" not in text
    assert f"<b>{html.escape(bad)}</b>: E2 (1 attempt, solution opened)" in text


@pytest.mark.parametrize(
    "odd", [None, [], {}, [[]], {"a": 1}, True, 10**400, float("nan"), "\ud800"]
)
@pytest.mark.parametrize(
    "fact",
    ["guess", "measured", "given", "truth", "choices", "right", "number", "mistake", "passed"],
)
def test_edited_log_does_not_break_page(fact, odd):
    log = [
        {"n": 0, "kind": "guess", "key": "?", "guess": 1, "measured": 1} | {fact: odd},
        {"n": 1, "kind": "quiz", "key": QUIZ, "given": ["a"]} | {fact: odd},
        {"n": 2, "kind": "quiz", "key": "?", "given": ["a"], "right": True} | {fact: odd},
        {"n": 3, "kind": "step", "key": "?", "given": "a", "truth": "b"} | {fact: odd},
        {"n": 4, "kind": "attempt", "key": "check_negamax", "passed": False} | {fact: odd},
        {"n": 5, "kind": "hint", "key": "02/e2", "number": 1} | {fact: odd},
    ]
    found = read_logs([handed_in(log)])
    assert found[0].problem == ""
    class_page(found, names=True).encode()


def test_longer_of_two_files_counts():
    full, empty = json.dumps(notebook(3)).encode(), b""
    for contents in ((full, empty), (empty, full)):
        (one,) = read_logs([Submission("ada", "02_minimax", "a.ipynb", each) for each in contents])
        assert one.events


def test_page_names_possibly_incomplete_logs():
    log = {"n": 0, "kind": "hint", "key": "02/e1", "number": 1}
    text = class_page(read_logs([handed_in([log], name="tab-1")]), names=True)
    assert "1 from a browser tab, where a new kernel forgets" in text


def test_files_without_name_are_different_students(tmp_path):
    for number in range(3):
        (tmp_path / f"02_minimax ({number}).ipynb").write_text(json.dumps(notebook(number)))
    assert len(read_logs(find_submissions(tmp_path))) == 3


def test_command_writes_page(folder, tmp_path, capsys):
    out = tmp_path / "class.html"
    assert main([str(folder), "--out", str(out)]) == 0
    assert out.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    said = capsys.readouterr().out
    assert "124 files read, 120 with a record" in said
    assert "02_minimax_half.ipynb: it is not a valid notebook" in said


@pytest.mark.parametrize("make", ["mkdir", "touch"])
def test_folder_without_notebooks_is_reported(tmp_path, capsys, make):
    place = tmp_path / "handed-in"
    getattr(place, make)()
    assert main([str(place), "--out", str(tmp_path / "class.html")]) == 1
    assert str(place) in capsys.readouterr().err
    assert not (tmp_path / "class.html").exists()


@pytest.mark.parametrize(
    "path", sorted((ROOT / "notebooks").glob("[0-9]*.ipynb")), ids=lambda p: p.stem
)
def test_predictions_of_notebook_are_distinct(path):
    """They are told apart by what they ask."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    asked = re.findall(r'Predict\(\s*("[^"]+"|\w+)', "\n".join(sources))
    assert len(asked) == len(set(asked)) > 0


# --- the ranges of numbers ---


def guessed(*numbers, measured=None, tell=True):
    facts = {} if measured is None else {"measured": measured}
    return told(of("guess", *([("?", {"guess": n} | facts)] for n in numbers), tell=tell)["?"])


def test_many_numbers_are_counted_in_round_ranges():
    assert guessed(*range(100), measured=42) == [
        (f"{low} to {low + 19}", 20, low == 40) for low in range(0, 100, 20)
    ]


def test_outliers_have_their_own_range():
    found = guessed(*range(100), 10**6, measured=42)
    assert found[-1] == ("100 or more", 1, False)
    assert sum(count for _, count, _ in found) == 101


def test_outliers_of_agreeing_class_are_grouped():
    found = guessed(*[50] * 200, *range(1, 7), *range(90, 96))
    assert found == [("below 50", 6, False), ("50", 200, False), ("51 or more", 6, False)]


def test_distant_numbers_are_counted_by_powers_of_ten():
    assert guessed(
        *(3 * 10**n for n in range(6)), *(5 * 10**n for n in range(6)), measured=777
    ) == [
        ("1 to 9", 2, False),
        ("10 to 99", 2, False),
        ("100 to 999", 2, True),
        ("1,000 to 9,999", 2, False),
        ("10,000 to 99,999", 2, False),
        ("100,000 to 999,999", 2, False),
    ]


def test_number_on_edge_belongs_to_upper_range():
    tenths = [n / 10 for n in range(16)]  # 0.3 in binary is a little less than three tenths
    found = guessed(*tenths)
    assert [count for _, count, _ in found] == [2] * 8
    assert found[1][0] == "0.2 to below 0.4"


@pytest.mark.parametrize(
    "numbers",
    [
        [0] * 200 + [*range(1, 7)] + [-n for n in range(1, 7)],
        [1e-9 * n for n in range(1, 30)],
        [10**n for n in range(1, 29)],
        [-(2**n) for n in range(20)],
        [Fraction(n, 7).__float__() for n in range(-50, 50)],
        [10**29 + n for n in range(40)],
    ],
)
def test_every_guess_is_counted_once(numbers):
    found = guessed(*numbers, measured=3)
    assert sum(count for _, count, _ in found) == len(numbers)
    assert len(found) <= 14
    assert sum(right for _, _, right in found) == 1


def test_unrevealed_histogram_ignores_right_answer():
    for numbers in (range(3), range(100)):
        assert guessed(*numbers, measured=10**5, tell=False) == guessed(*numbers)
    (one,) = of(
        "guess", [("?", {"guess": "a", "choices": ["a", "b"], "measured": "b"})], tell=False
    ).values()
    assert (told(one), one.truth) == ([("a", 1, False), ("b", 0, False)], "")
    (one,) = of("quiz", [(QUIZ, {"given": [answers()[0]]})], tell=False).values()
    assert not any(bar.right for bar in one.bars)


def test_mirror_image_of_right_action_is_marked_right():
    first = [("?", {"guess": 0, "choices": [0, 1, 2], "measured": 2, "right": True})]
    second = [("?", {"guess": 1, "choices": [0, 1, 2], "measured": 2, "right": False})]
    (one,) = of("guess", first, second).values()
    assert one.bars == (
        HistogramBar("0", 1, True),
        HistogramBar("1", 1),
        HistogramBar("2", 0, True),
    )


def test_bars_are_accessible_table():
    text = histogram.bars([("a <b>", 3, True), ("c", 0, False)], head="answer")
    assert '<th scope="row">✓ a &lt;b&gt; (right)</th>' in text
    assert '<th scope="col">answer</th>' in text
    assert "<b>0</b>" in text
