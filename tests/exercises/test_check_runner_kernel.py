"""Checks in a real kernel: it survives what would end it or wait for somebody at the keyboard."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.kernels import new_kernel, run

SETUP = (
    "from course.exercises import check_runner; from course.lessons.solver import check as solver;"
    "check_runner.CPU_SECONDS = check_runner.STOP_SECONDS = 60"
)
SOON = "check_runner.CPU_SECONDS = 0.5"  # from then on a check has so long, and not before


@pytest.fixture(scope="module")
def kernel():
    with new_kernel() as client:
        run(client, SETUP)
        yield client


def check(client, body):
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return run(client, f"def proven(player, children):\n{lines}\n\nsolver.check_proven(proven)")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("exit()", "raised SystemExit, in line 2 of `proven`, `exit()`"),
        ("quit()", "it must not end the program"),
        ("import os\nos._exit(1)", "in line 3 of `proven`"),
        ("return input()", "EOFError: `input` cannot be used"),
        (f"{SOON}\nwhile True:\n    print('again')", "no end after 0.5 seconds"),
        ("for _ in range(999):\n    display(children)\nreturn 'win'", "the first 5 of"),
    ],
)
def test_kernel_survives_bad_program_and_shows_sentence(kernel, body, words):
    shown = check(kernel, body)
    assert shown.startswith("Not yet: ")
    assert words in shown
    assert "Traceback" not in shown
    assert run(kernel, "check_runner.CPU_SECONDS = 60; 6 * 7") == "42"


HANGS = {"a loop": "while True:\n        pass", "sleep": "while True:\n        time.sleep(0.01)"}


@pytest.mark.parametrize("body", HANGS.values(), ids=HANGS)
def test_interrupt_ends_hanging_program(kernel, tmp_path, body):
    begun = tmp_path / "begun"
    code = (
        "import pathlib, time\n"
        f"def proven(player, children):\n    pathlib.Path({str(begun)!r}).touch()\n    {body}\n"
        "solver.check_proven(proven)"
    )
    with ThreadPoolExecutor(1) as pool:
        shown = pool.submit(run, kernel, code)
        while not begun.exists():
            assert not shown.done(), shown.result()
            time.sleep(0.01)
        kernel.parent.interrupt_kernel()
        assert "KeyboardInterrupt" in shown.result(120)
    names = "print([t.name for t in threading.enumerate() if t.name == 'check'])"
    assert run(kernel, f"import threading\n{names}") == "[]\n"
    used = "before = time.process_time(); time.sleep(0.5); print(time.process_time() - before)"
    assert float(run(kernel, used)) < 0.1
    assert run(kernel, "print('here')") == "here\n"
