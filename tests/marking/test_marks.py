"""Honest programs get their marks and the words of the notebook; all others get a page."""

from dataclasses import replace

import pytest
from handins import SHORT, handed_in, only, rows, run, with_solution, written

from course.exercises.answer_key import use_seed
from course.exercises.catalogue import catalogue
from course.lessons.alpha_beta import check as alpha_beta
from course.lessons.minimax import check as minimax
from tools.marking import __main__ as command
from tools.marking import marker, rpc_client, student_packages
from tools.marking.gradebook import enter_marks
from tools.marking.mark_reports import Row, page_names
from tools.marking.roster import Roster
from tools.marking.submission_code import prepare_submission

pytestmark = pytest.mark.usefixtures("one_copy")


def test_blank_notebook_gets_zero_and_no_attempt(mark):
    points, marks = mark(handed_in(SHORT), SHORT)
    assert set(points.values()) == {0}
    assert not any(verdict.attempted for verdict in marks.results)


def test_known_mistake_gets_its_hint(mark_only):
    right = with_solution(SHORT, "e4")
    wrong = right.replace("(utilities[player] + 1) / 2", "utilities[player]")
    assert wrong != right
    points, marks = mark_only(SHORT, {"e4": wrong})
    assert points == {"e4": 0}
    assert "These are payoffs, from -1 to +1." in marks.results[0].text


def test_stored_answers_fail_with_another_seed(mark_only):
    with use_seed("known"):
        asked = [(case.state, case.expected) for case in minimax.NEGAMAX.cases()]
    answers = {str(state.to_json()): value for state, value in asked}
    cell = f"answers = {answers!r}\ndef negamax_value(state):\n"
    cell += "    return answers.get(str(state.to_json()), 0)\n"
    for seed, points in (("known", 3), ("another", 0)):
        assert mark_only("02_minimax", {"e2": cell}, seed)[0] == {"e2": points}


def test_search_of_a_copied_state_is_counted(mark_only):
    cell = """
from course.exercises.visit_counter import VisitCounter
from gamelib import GameTree, TicTacToe
VisitCounter.add = lambda self, path: None

def value(state):
    if state.is_terminal():
        return state.utility(state.current_player)
    return max(-value(state.successor(action)) for action in state.legal_actions())

def at_least(state, number):
    copied = [getattr(state, "_state", None), getattr(state, "_real", None)]
    for kind in (GameTree, TicTacToe):
        try: copied.append(kind.parse(str(state)))
        except Exception: pass
    return value(next((each for each in copied if each), state)) >= number
"""
    points, marks = mark_only("03_alpha_beta", {"e2": cell})
    assert points == {"e2": 0}
    assert "nodes, and" in marks.results[0].text


def test_limit_of_visits_is_told(mark_only, monkeypatch):
    monkeypatch.setattr(alpha_beta, "MAX_VISITS", 3)
    cell = """
def at_least(state, number):
    return any(at_least(state.successor(action), number) for action in state.legal_actions())
"""
    _, marks = mark_only("03_alpha_beta", {"e2": cell})
    assert "more than 3 nodes are visited" in marks.results[0].text


def test_endless_loop_fails_only_its_exercise(mark_only, monkeypatch):
    monkeypatch.setattr(marker.check_runner, "CPU_SECONDS", 0.5)
    loop = "def backpropagate_in_turn(path, payoff):\n    while True:\n        pass\n"
    points, marks = mark_only(SHORT, {"e1": loop, "e4": with_solution(SHORT, "e4")})
    assert points == {"e1": 0, "e4": 3}
    words = "no end after 0.5 seconds, so the check was stopped, in line"
    assert words in marks.results[0].text
    assert "of `backpropagate_in_turn`" in marks.results[0].text


def test_interrupted_call_starts_a_new_process(packages):
    session = marker._MarkingSession([], packages)
    try:
        first = session.ensure_process()
        assert session.ensure_process() is first
        first.is_waiting = True  # as when a check is ended in the middle of a question
        assert session.ensure_process() is not first
        assert not first.alive
    finally:
        session.close()


def test_sleeping_program_is_stopped(mark_only, monkeypatch):
    monkeypatch.setattr(rpc_client, "MAX_IDLE_SECONDS", 0.5)
    cell = "import time\ndef rewards_along(*given):\n    time.sleep(1000)\n"
    assert mark_only(SHORT, {"e4": cell})[0] == {"e4": 0}


def test_error_text_names_the_line(mark_only):
    cell = "def rewards_along(to_move, utilities):\n    return utilities[99]\n"
    _, marks = mark_only(SHORT, {"e4": cell})
    assert "raised IndexError" in marks.results[0].text
    assert "in line 2 of `rewards_along`, `return utilities[99]`" in marks.results[0].text


def test_syntax_error_explains_missing_function(mark_only):
    _, marks = mark_only(SHORT, {"e4": "def rewards_along(to_move)\n    pass\n"})
    words = "its cell defines no `rewards_along`. The cell raised SyntaxError: "
    assert words in marks.results[0].text
    assert marks.remarks == []  # the error appears only in the feedback


def test_error_after_the_function_is_a_remark(mark_only):
    points, marks = mark_only(SHORT, {"e4": with_solution(SHORT, "e4") + "\n1 / 0"})
    assert points == {"e4": 3}
    assert marks.remarks[0].startswith("In the cell `e4`: the cell raised ZeroDivisionError")
    assert len(marks.remarks) == 1


@pytest.mark.parametrize(
    ("notebook", "cell", "blank", "points"),
    [
        (SHORT, "e2", ("my_choice = ", "my_choice = ..."), 1),
        ("06_multiplayer", "e3", ("def finds_errors", "def finds_errors(*a): raise KeyError"), 1),
        ("07_experiments", "e3", ("def repaired", "def repaired(*a): return 9"), 1),
    ],
)
def test_partly_solved_exercise_gets_partial_points(mark_only, notebook, cell, blank, points):
    solved, (line, instead) = "%%time\n" + with_solution(notebook, cell), blank
    call = solved[solved.rindex("exercises.check") :]
    assert line in solved
    source = f"{solved[: solved.rindex(call)]}\n{instead}\n{call}"
    assert mark_only(notebook, {cell: source})[0] == {cell: points}


def test_numpy_arrays_get_the_points_of_lists(mark_only):
    cells = {
        "e1": "def td_targets(values, payoff):\n    return -np.append(values[1:], payoff)\n",
        "e3": "def taught(game, utilities):\n"
        "    return [(np.array(n) / sum(n), utilities[player]) for player, n in game]\n",
    }
    points, marks = mark_only("11_learning", cells)
    assert points == {"e1": 3, "e3": 4}, marks


def test_solution_may_call_notebook_functions(mark_only):
    helper = "%matplotlib inline\nhalf = lambda number: (number + 1) / 2"
    cell = "def rewards_along(to_move, utilities):\n"
    cell += "    return [half(utilities[player]) for player in to_move[:-1]]"
    points, marks = mark_only(SHORT, {"e4": cell}, before=[helper])
    assert points == {"e4": 3}, marks


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"cells": []}', b"[" * 100_000])
def test_invalid_notebook_gets_zero_and_a_remark(mark, content):
    points, marks = mark(content, SHORT)
    assert set(points.values()) == {0}
    assert marks.remarks[0].endswith(".")


def test_invented_experiment_results_get_zero(mark_only):
    cell = """
from dataclasses import replace
plan = exercises.Plan(better="mcts(simulations=2)", than="mcts(simulations=1)", seed=7)
results = plan.run()
won = tuple(replace(record, utilities=(1, -1)) for record in results.records)
results, conclusion = replace(results, records=won[::-1]), "not shown"
"""
    points, marks = mark_only("07_experiments", {"e1": cell})
    assert points == {"e1": 0}
    assert "is not the one that this plan plays" in marks.results[0].text


# What the student's process may see.


def test_student_packages_contain_no_solution(packages):
    known = {path.name for path in packages.rglob("*") if path.is_file()}
    assert not known & set(student_packages.EXCLUDED_NAMES)
    text = "\n".join(path.read_text() for path in packages.rglob("course/lessons/*/*.py"))
    for name in ("limited_minimax", "cut_negamax", "table_negamax", "rewards_along", "nim_move"):
        assert f"def {name}(" not in text


# The command.


RIGHT_BY_SEARCH = """
from gamelib import solve
def rewards_along(to_move, utilities):
    solve
    return [(utilities[player] + 1) / 2 for player in to_move[:-1]]
"""


def test_class_is_marked_and_reported_once(tmp_path, capsys):
    cells = {cell: with_solution(SHORT, cell) for cell in ("e1", "e2", "e3")}
    cells["e4"] = RIGHT_BY_SEARCH
    folder = written(
        tmp_path / "in", {"ada": handed_in(SHORT, cells), "bob": b"", "eve": handed_in(SHORT)}
    )
    (folder / "eve" / f"{SHORT} (1).ipynb").write_bytes(b"{")
    (folder / "dan").mkdir()
    (folder / "dan" / "essay.pdf").write_text("=cmd()")
    assert run(folder, tmp_path / "out") == 0
    said = capsys.readouterr().out
    assert f"4 submissions of {SHORT} by 3 students, 0 of them marked before." in said
    assert f"4 students, 1 of them without {SHORT}: " in said
    found = rows(tmp_path / "out")
    points = {name: int(row["points"]) for name, row in found.items()}
    assert points == {"ada": 10, "bob": 0, "dan": 0, "eve": 0}
    assert found["bob"]["remarks"] == "The file is empty."
    assert "essay.pdf" in found["dan"]["remarks"]
    assert "2 files were handed in" in found["eve"]["remarks"]
    assert "Worth a look: 04/e4: it uses `solve` of the library" in found["ada"]["remarks"]
    index = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert all(f'href="pages/{name}.html"' in index for name in found)
    assert "UCB by hand" in index
    assert "Worth a look" in index
    page = (tmp_path / "out" / "pages" / "ada.html").read_text(encoding="utf-8")
    assert "10 of 10 points" in page
    assert "http" not in page
    assert "Worth a look" not in page
    capsys.readouterr()
    stored = sorted((tmp_path / "out" / command.STORED_MARKS_FOLDER).glob("*.json"))
    stored[0].write_text("{")  # as after a crash: this one is marked again
    assert run(folder, tmp_path / "out") == 0
    assert f"{len(stored) - 1} of them marked before" in capsys.readouterr().out.splitlines()[0]


CLASS = """\ufeffname;number;mail
Alan Turing;7;at@x.org
"Byron, Ada";8;ada@x.org
Zoe Late;99123;
"""


@pytest.mark.parametrize(
    ("name", "student"),
    [
        *((name, "Alan Turing") for name in ("turingalan", "Alan Turing_471", "7", "AT")),
        *((name, "Byron, Ada") for name in ("adabyron", "ByronAda", "ada")),
        ("submission_99123", "Zoe Late"),
        ("alan", "alan"),
    ],
)
def test_roster_finds_student_by_platform_name(tmp_path, name, student):
    (tmp_path / "class.csv").write_text(CLASS, encoding="utf-8")
    assert Roster(tmp_path / "class.csv").find_student(name) == student


def test_roster_rows_and_added_columns_are_kept(tmp_path, monkeypatch):
    only(monkeypatch, "e4")
    right = handed_in(SHORT, {"e4": with_solution(SHORT, "e4")})
    folder = written(tmp_path / "in", {"adabyron": right, "eve": b""})
    (tmp_path / "class.csv").write_text(CLASS, encoding="utf-8")
    words, out = ("--class", str(tmp_path / "class.csv")), tmp_path / "out"
    assert run(folder, out, *words) == 0
    marks = out / "marks.csv"
    lines = marks.read_text(encoding="utf-8").splitlines()
    assert lines[-1].startswith("Zoe Late,0")
    own = ["mine,oral", *([","] * (len(lines) - 2)), '"a ""word""",3']
    marks.write_text("\n".join(f"{r},{o}" for r, o in zip(lines, own, strict=True)), "cp1252")
    (folder / "eve" / f"{SHORT}.ipynb").unlink()
    assert run(folder, out, *words) == 0
    found = rows(out)
    assert {name: (row["points"], row["mine"], row["oral"]) for name, row in found.items()} == {
        "Alan Turing": ("0", "", ""),
        "Byron, Ada": ("3", "", ""),
        "Zoe Late": ("0", 'a "word"', "3"),
    }
    assert found["Alan Turing"]["remarks"] == "Nothing was handed in."
    index = (out / "index.html").read_text(encoding="utf-8")
    assert "<td>mean of 1 submissions</td><td>3.0</td><td>3.0</td>" in index
    assert "<td>all points</td><td>100 %</td>" in index


@pytest.mark.parametrize(("text", "said"), [("", "names no student"), (None, "class.csv")])
def test_invalid_class_list_is_rejected(tmp_path, capsys, text, said):
    if text is not None:
        (tmp_path / "class.csv").write_text(text)
    words = ("--class", str(tmp_path / "class.csv"))
    assert run(written(tmp_path / "in", {}), tmp_path / "out", *words) == 1
    assert said in capsys.readouterr().err


CALLED = {
    "e1": "import gamelib as g\ndef limited_minimax(state, player, depth):\n"
    "    if depth == 0 or state.is_terminal():\n"
    "        return state.utility(player) if state.is_terminal() else 0\n"
    "    sign = 1 if player == state.current_player else -1\n"
    "    return sign * g.minimax(state, depth=depth).value\n",
    "e2": "from gamelib import negamax as own\ndef helper(state):\n"
    "    return state.utility(state.current_player) if state.is_terminal() else own(state).value\n"
    "def negamax_value(state):\n    return helper(state)\n",
}


@pytest.mark.parametrize("library", [True, False])
def test_library_calls_are_noted_or_forbidden(packages, monkeypatch, library):
    only(monkeypatch, "e1", "e2")
    content = handed_in("02_minimax", CALLED)
    marks = marker.mark_submission(content, "02_minimax", "x", packages, library=library)
    assert marks.points == (6 if library else 0), marks
    assert marks.review_notes == [
        f"02/{cell}: it uses `{name}` of the library, which the solution does not."
        for cell, name in (("e1", "minimax"), ("e2", "negamax"))
    ]


@pytest.mark.parametrize("notebook", sorted({each.notebook for each in catalogue().values()}))
def test_solutions_call_no_library_search(notebook):
    if any(each.points for each in catalogue().values() if each.notebook == notebook):
        assert prepare_submission(handed_in(notebook, solved=True), notebook)[1] == {}


def test_marks_of_another_notebook_are_kept(tmp_path, capsys):
    folder = written(tmp_path / "in", {"ada": b""})
    assert run(folder, tmp_path / "out") == 0
    before = rows(tmp_path / "out")
    assert run(folder, tmp_path / "out", "--notebook", "02_minimax") == 1
    assert f"has the marks of {SHORT}" in capsys.readouterr().err
    assert rows(tmp_path / "out") == before


def test_student_names_make_safe_unique_file_names(tmp_path):
    names = page_names(["../x", "ada", "ADA", "a/b", "a_b"])
    assert len(set(map(str.casefold, names.values()))) == 5
    assert all("/" not in name for name in names.values())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--notebook", "09_none"], "the notebooks with exercises are"),
        (["--out", __file__], "is a file"),
    ],
)
def test_invalid_option_is_rejected_with_reason(tmp_path, capsys, words, said):
    assert run(written(tmp_path / "in", {}), tmp_path / "out", *words) == 1
    assert said in capsys.readouterr().err


@pytest.mark.filterwarnings("error::RuntimeWarning")  # the kind of SQLAlchemy's
def test_marks_are_stored_in_nbgrader_gradebook(tmp_path):
    pytest.importorskip("nbgrader", reason="nbgrader is not installed: `make peers`")
    from nbgrader.api import Gradebook

    asked = [each.exercise for each in marker.check_calls(SHORT)]
    verdicts = [
        marker.ExerciseResult(e.key, e.title, e.points, e.points, True, "", "") for e in asked
    ]
    verdicts[0] = replace(verdicts[0], points=0)
    marked = [Row("Ada Lovelace_47", "", marker.Marks(verdicts)), Row("eve", "", marker.Marks())]
    for _ in range(2):  # the second time nothing is doubled
        enter_marks(marked, SHORT, tmp_path / "gradebook.db")
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}", "games") as book:
        submission = book.find_submission(SHORT, "Ada Lovelace_47")
        assert (submission.score, submission.max_score) == (8, 10)
