"""A class of odd and hostile hand-ins in one run: each has its row, and no mark is another's."""

import io
import json
import os
import sys
import zipfile
from functools import cache

import pytest
from handins import SHORT, handed_in, only, rows, run, with_solution

from tools.marking import marker, rpc_client

FULL = 3  # points of the exercise that is marked
NAME, CHECK = f"{SHORT}.ipynb", "check_rewards_along"


@cache
def solution():
    return with_solution(SHORT, "e4")


def right(**how):
    return handed_in(SHORT, {"e4": how.pop("cell", solution())}, **how)


def changed(change):
    """Return a right notebook of which the data were changed."""
    data = json.loads(right())
    change(data)
    return json.dumps(data).encode()


def without_ids(data):
    for cell in data["cells"]:
        cell.pop("id", None)


def as_lists(data):
    for cell in data["cells"]:
        cell["source"] = "".join(cell["source"]).splitlines(keepends=True)


def long_output(data):
    cell = next(cell for cell in data["cells"] if cell["cell_type"] == "code")
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * 5 * 10**6}]


def packed(files, method=zipfile.ZIP_DEFLATED):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def nested(levels, name):
    content = packed({name: right()})
    for _ in range(levels - 1):
        content = packed({name: content}, zipfile.ZIP_STORED)  # it cannot become smaller
    return content


# Each file by its path below the folder of the student.  Functions make them, because every process
# of pytest imports this file, and one of them runs the test.


def honest_files():
    return {
        "line ends of Windows": {NAME: right(cell=solution().replace("\n", "\r\n"))},
        "a line end of Word in a comment": {NAME: right(cell=f"# a\u2028b\x0bc\n{solution()}")},
        "a byte order mark": {NAME: b"\xef\xbb\xbf" + right()},
        "UTF-16": {NAME: right().decode().encode("utf-16")},
        "sources as lists": {NAME: changed(as_lists)},
        "no ids": {NAME: changed(without_ids)},
        "an output of 5 MB": {NAME: changed(long_output)},
        "an error in another cell": {NAME: right(before=["1 / 0"])},
        "a name of their own": {
            NAME: right(
                cell=solution()
                .replace("rewards_along", "mine")
                .replace("check_mine", "check_rewards_along")
            )
        },
        "an archive in an archive": {"mine.zip": packed({"mine.zip": packed({NAME: right()})})},
        "an environment beside it": {
            "mine.zip": packed({NAME: right()} | {f"venv/lib/{n}.py": "" for n in range(3000)})
        },
    }


PROGRAMS = {
    "the reference": "from course.lessons.mcts.reference import *",
    "the answers of the check": "from course.lessons.mcts.check import _credit_cases",
    "every name of the check": "for name in dir(exercises):\n    if 'reward' in name.lower():\n"
    "        rewards_along = getattr(exercises, name)",
    "every function of the process": "import gc, types\nfor thing in gc.get_objects():\n"
    "    if isinstance(thing, types.FunctionType) and 'reward' in thing.__name__:\n"
    "        rewards_along = thing",
    "the solution": "from course import solution\nexec(solution('04/e4').program)",
    "the key": "from course.exercises.answer_key import AnswerKey\n"
    "rewards_along = AnswerKey('mcts', 'rewards_along', lambda: ()).reference()",
    "a feedback that is true": "from course.exercises.feedback import Feedback\n"
    "Feedback.__bool__ = lambda self: True\nFeedback.passed = True",
    "a loop in a cell": "while True: pass",
    "a sleep in a cell": "import time; time.sleep(10**6)",
    "a loop in C": "sum(iter(int, 1))",
    "a loop that swallows all": "while True:\n    try:\n        while True: pass\n"
    "    except BaseException: pass",
    "all memory": "hoard = []\nwhile True: hoard.append(bytearray(10**8))",
    "a fork": "import os\nwhile True: os.fork()",
    "a signal by a file": "import fcntl, os\nr, w = os.pipe()\n"
    "fcntl.fcntl(r, fcntl.F_SETOWN, os.getppid()); fcntl.fcntl(r, fcntl.F_SETSIG, 9)\n"
    "fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC); os.write(w, b'x')",
    "a signal": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
    "the hand-in of another": "print(open({other!r}).read())",
    "a written mark": "open({marks!r}, 'w').write('student,points\\nthis,10')",
    "a server": "import socket; socket.create_server(('0.0.0.0', 8080))",
    "an end": "import os; os._exit(0)",
    "a flood": "while True: print('x' * 10**6)",
    "a recursion": "import sys; sys.setrecursionlimit(10**9)\ndef f(): f()\nf()",
    "an answer sent by hand": "import os\nfor n in range(3, 20):\n"
    "    try: os.write(n, b'{\"answer\": 1}\\n' * 99)\n    except OSError: pass",
    "an escape in an error": "raise ValueError(chr(27) + '[2J')",
    "half a letter": "raise ValueError('\\ud83d')",
}


def faulty_files():
    return {
        "a cell of 4 MB": {NAME: handed_in(SHORT, {"e4": "x=1;" * 10**6})},
        "brackets": {NAME: b"[" * 10**6},
        "a list of lists": {NAME: b'{"cells": [' + b"[]," * 10**6 + b"[]]}"},
        "archives called .": {"mine.zip": nested(300, ".")},
        "archives inside each other": {"mine.zip": nested(50, "x.zip")},
        "6,000 files": {"mine.zip": packed({f"{n}.txt": "" for n in range(6_000)})},
        "a long name": {"mine.zip": packed({"_" * 60_000 + ".ipynb": "{}"})},
        "the name of another": {
            "mine.zip": packed({f"honest 0_assignsubmission_file_/{NAME}": bytes(30 * 2**20)})
        },
        "a number as a source": {NAME: b'{"cells": [{"cell_type": "code", "source": 7}]}'},
        "forty copies": {f"{SHORT} ({n}).ipynb": b"{%d" % n for n in range(40)},
    }


def write_class(folder, marks):
    """Write the hand-ins of a class; return the points that each student must get."""
    honest = {f"honest {n}": files for n, files in enumerate(honest_files().values())}
    known = {"other": str(folder / "honest 0" / NAME), "marks": str(marks)}
    hostile = {}
    for name, program in PROGRAMS.items():
        for word, path in known.items():
            program = program.replace(f"{{{word}!r}}", repr(path))
        hostile[name] = {NAME: handed_in(SHORT, before=[program])}
    faulty = faulty_files()
    for student, files in {**honest, **hostile, **faulty}.items():
        for name, content in files.items():
            (folder / student).mkdir(parents=True, exist_ok=True)
            (folder / student / name).write_bytes(content)
    (folder / "a link").mkdir()
    os.symlink(folder / "honest 1" / NAME, folder / "a link" / NAME)
    return dict.fromkeys(honest, FULL) | dict.fromkeys([*hostile, *faulty, "a link"], 0)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process is not contained")
def test_odd_hand_ins_have_own_marks_and_rows(tmp_path, monkeypatch):
    only(monkeypatch, "e4")
    # What does not end gets half of this, as usual; what is right needs a hundredth of a second.
    monkeypatch.setattr(marker, "MAX_LOST_SECONDS", 1.2)
    monkeypatch.setattr(marker, "MIN_LEFT_SECONDS", 0.6)
    monkeypatch.setattr(rpc_client, "MAX_IDLE_SECONDS", 1.0)
    out = tmp_path / "out"
    expected = write_class(tmp_path / "in", out / "marks.csv")
    assert sum(points == FULL for points in expected.values()) >= 10
    assert sum(points == 0 for points in expected.values()) >= 30
    assert run(tmp_path / "in", out, "--workers", "2") == 0
    found = rows(out)
    assert {student: int(row["points"]) for student, row in found.items()} == expected
    assert len(list((out / "pages").iterdir())) == len(expected)
    assert not any("the marker has met" in row["remarks"] for row in found.values())
