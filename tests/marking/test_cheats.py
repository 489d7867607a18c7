"""What a student may try in order to get marks for nothing: each brings no point.

Each program is in a submission with blanks; changes in its own process change no mark.
"""

import os
import re
from pathlib import Path

import pytest
from handins import handed_in, only, with_solution

from course.lessons.alpha_beta import check as alpha_beta
from course.lessons.minimax import check as minimax
from tools.marking import marking_pool

ROOT, MINIMAX = Path(__file__).parents[2], "02_minimax"
# Each begins with its name.  Their variables have names that no cell of the notebook binds: else
# the marker would run that cell, too, because they read the name.
CHEATS = r"""
# a feedback that is always true
from course.exercises.feedback import Feedback
Feedback.__bool__ = lambda self: True
Feedback.passed = True
# the reference programs
from course.lessons.minimax.check import limited_minimax, negamax_value, my_heuristic
# the answers of the catalogue
from course.exercises.catalogue import catalogue, exercise_of, solution_text
exec(str(exercise_of("02/e4").answer["my_position"]))
for key in ("02/e1", "02/e2", "02/e3"):
    exec(solution_text(exercise_of(key)))
# the solution after an attempt of one line
from course.exercises import guarded
from course import solution
guarded.attempts.update({"check_limited_minimax": 9})
exec(solution("02/e1").program)
# a check that is replaced
from course.lessons.minimax import check as exercises
passed = lambda *given: type("Feedback", (), {"passed": True, "__bool__": lambda s: True})()
for own_word in ("check_limited_minimax", "check_negamax", "check_heuristic", "check_deeper"):
    setattr(exercises, own_word, passed)
# a clock that stands still
import time
time.process_time = time.monotonic = time.thread_time = time.time = lambda: 0.0
import random
random.Random.random = random.random = lambda *self: 0.0
random.Random.randint = lambda self, low, high: low
# builtins that agree
import builtins
builtins.all = builtins.any = builtins.isinstance = lambda *given: True
builtins.abs = lambda number: 0
# a library that is changed
import gamelib
from gamelib.games import TicTacToe, GameTree
for game in (TicTacToe, GameTree):
    game.utility = lambda self, player: 0
    game.is_terminal = lambda self: True
    game.__eq__ = lambda self, other: True
# the solutions read from the disk
from pathlib import Path
for path in ({checks!r}, {mistakes!r}):
    exec(Path(path).read_text())
# the course imported from where the teacher has it
import sys
sys.path.insert(0, {root!r})
for own_word in [each for each in sys.modules if each.startswith("course")]:
    del sys.modules[own_word]
from course.lessons.minimax.check import limited_minimax, negamax_value, my_heuristic
# another process
import os, subprocess
if os.fork() == 0:
    os.setsid()
    while True: pass
subprocess.run(["cp", {checks!r}, "."])
# marks that are written
from pathlib import Path
for folder in (".", "..", "../..", {out!r}):
    for own_word in ("marks.csv", "index.html", ".done/x.json", "pages/bob.html"):
        try: Path(folder, own_word).write_text("ada,10,10")
        except OSError: pass
Path({out!r}, "forged").write_text("10")
# a feedback that is printed
print("Passed: right in all 80 cases", flush=True)
import sys, os
for number in (1, 2):
    os.write(number, b"Passed: right in all 80 cases\n")
from course.exercises.feedback import Feedback
Feedback(True, "right in all cases")
# an answer that equals everything
class Always(float):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    __lt__ = __gt__ = __le__ = __ge__ = __eq__
    __hash__ = float.__hash__
def limited_minimax(*given): return Always()
negamax_value = my_heuristic = limited_minimax
# frames and what the collector knows
import gc, sys
known_names = {}
frame = sys._getframe()
while frame:
    known_names.update(frame.f_globals, **{k: v for k, v in frame.f_locals.items()})
    frame = frame.f_back
for thing in gc.get_objects():
    own_word = getattr(thing, "__name__", "")
    if own_word in ("limited_minimax", "negamax_value") and callable(thing):
        globals()[own_word] = thing
    if type(thing).__name__ == "Feedback":
        object.__setattr__(thing, "passed", True)
# answers sent by hand
import os
for number in range(3, 30):
    answer = b'{"answer": 1, "passed": true, "changed": [], "spoilt": []}\n'
    try: os.write(number, answer * 9)
    except OSError: pass
# a flood
import os
for number in range(3, 30):
    try:
        while os.write(number, b"x" * 65536): pass
    except OSError: pass
# all the memory
hoard = []
try:
    while True: hoard.append(bytearray(10**8))
except MemoryError: pass
import resource
resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
while True: hoard.append(bytearray(10**8))
# an end of the process
import os
os._exit(0)
# an answer that is always the one expected
import sys
class Echo:
    def __getattr__(self, name): return self
    def __call__(self, *given): return self
    __float__ = __int__ = __index__ = lambda self: 0
limited_minimax = negamax_value = my_heuristic = Echo()
# positions said to be others
import tools.marking.rpc_server as rpc_server
rpc_server.restore = lambda *given: {"_mine": 7}
# positions said to have another mover
import tools.marking.rpc_server as rpc_server
rpc_server.restore = lambda *given: [["_turn", 1], {"_turn": 1}]
# changes of what the marker holds
import tools.marking.rpc_server as rpc_server
rpc_server.MarkerConnection.changed = lambda self: [[2, {"_mine": 1}], [4, {}, []], [0, [], []]]
# numbers of things that are the marker's
import tools.marking.rpc_server as rpc_server
rpc_server.MarkerConnection.encode = lambda self, value: ["f", 2, "limited_minimax", ""]
# answers nested without end
import tools.marking.rpc_server as rpc_server
rpc_server.MarkerConnection.send = lambda self, message: self.outgoing.write(b"[" * 10**6 + b"\n")
# answers that are no text
import arena.sandbox.worker_io as inside
inside.line = lambda message: b"\xff\xfe NaN\n"
# an answer of many digits
import sys
sys.set_int_max_str_digits(0)
def limited_minimax(*given): return 10 ** 5000
negamax_value = my_heuristic = limited_minimax
# errors that are the marker's own
class WrongAnswerError(Exception): pass
def limited_minimax(*given):
    error = WrongAnswerError("passed")
    error.of_parent = 0
    raise error
negamax_value = my_heuristic = limited_minimax
# errors that would end the marker
def limited_minimax(*given): raise KeyboardInterrupt
def negamax_value(*given): raise SystemExit(0)
def my_heuristic(*given): raise GeneratorExit
# an exception whose words are a page
class Loud(Exception):
    def __str__(self): return "</div><b>✓ Passed:</b>" * 10**5
def limited_minimax(*given): raise Loud
negamax_value = my_heuristic = limited_minimax
# a signal to the marker
import os, signal
for pid in (os.getppid(), -1, 1):
    for number in (signal.SIGSTOP, signal.SIGKILL, signal.SIGUSR1):
        try: os.kill(pid, number)
        except OSError: pass
# all processors and many threads
import threading
def spin():
    while True: pass
for _ in range(8): threading.Thread(target=spin, daemon=True).start()
# nested folders and a full disk
import os
try:
    for _ in range(1500): os.mkdir("d"); os.chdir("d")
    open("f", "wb").write(bytes(10**8))
except OSError: pass
# a network
import socket, urllib.request
try: socket.create_server(("127.0.0.1", 0))
except OSError: pass
# a method that says it is equal to every payoff
class Sly(float):
    def __sub__(self, other): return 0.0
    __rsub__ = __neg__ = __abs__ = __sub__
    def __repr__(self): return "0"
def limited_minimax(*given): return Sly(9)
negamax_value = my_heuristic = limited_minimax
# a recursion without end
import sys
sys.setrecursionlimit(10**9)
def limited_minimax(*given): return limited_minimax(*given)
negamax_value = my_heuristic = limited_minimax
# chance that is known
import random
random.seed = lambda *given: None
random.getrandbits = lambda bits: 1
def limited_minimax(*given): return random.getrandbits(1)
negamax_value = my_heuristic = limited_minimax
# files of the marker by their numbers
import os
for number in range(3, 64):
    try: os.lseek(number, 0, 0); os.read(number, 0); os.ftruncate(number, 0)
    except OSError: pass
# a module in the place of the marker's
import sys, types
for own_word in ("tools.marking.rpc_server", "course.exercises.run_cases", "json"):
    sys.modules[own_word] = types.ModuleType(own_word)
# a trace of every call
import sys
def trace(frame, event, arg):
    if "function" in frame.f_locals: frame.f_locals["function"] = lambda *given: 0
    return trace
sys.settrace(trace); sys.setprofile(trace)
# an end at the exit
import atexit, os
atexit.register(os._exit, 0)
def limited_minimax(*given): os.close(0); os.close(1); os.close(3); os.close(4)
"""


# Agents that look at 300 positions for show, and then search a copy on which nobody counts.
AGENT = """
from gamelib import alphabeta, ConnectFour, open_windows
{kept}
def show(state):
    while not state.is_terminal():
        for action in state.legal_actions():
            child = state.successor(action)
        state = child
def my_agent(state):
    try:
        while True:
            show(state)
    except Exception:
        pass
    {copied}
    return alphabeta(copy, depth=4, evaluate=open_windows).action
"""
COPIES = {
    "the counting switched off": (
        "",
        """
    copy = state
    for kind in type(state).__mro__:
        for name in {"count", "make"} & {*vars(kind)}:
            setattr(kind, name, lambda *given: None)
    """,
    ),
    "what the counting is wrapped around": (
        """
class Free(ConnectFour):
    def successor(self, action):
        return getattr(ConnectFour.successor, "__wrapped__", ConnectFour.successor)(self, action)
    """,
        "copy = Free.parse(str(state), current_player=state.current_player)",
    ),
    "a count that is no number": (
        "import tools.marking.rpc_server as rpc_server\n"
        "rpc_server.LocalRules.take_repeat_count = lambda self: None",
        "copy = state",
    ),
    "a rule that was kept": (
        "class Free(ConnectFour): successor = vars(ConnectFour)['successor']",
        "copy = Free.parse(str(state), current_player=state.current_player)",
    ),
    "the text of the rules": (
        """
import inspect, gamelib.games.connect_four
try: exec(inspect.getsource(gamelib.games.connect_four).partition("annotations")[2])
except OSError: pass
    """,
        "copy = ConnectFour.parse(str(state), current_player=state.current_player)",
    ),
    "machine code": (
        """
from gamefast import fast
alphabeta = fast(alphabeta)
    """,
        "copy = ConnectFour.parse(str(state), current_player=state.current_player)",
    ),
}
# Seven positions, made again and again: a process asks for none of them twice.
AGAIN = """moves = []
def my_agent(state):
    moves.append(0)
    try:
        while True:
            for action in state.legal_actions():
                state.successor(action)
                moves[-1] += 1
    except RuntimeError as error:
        if len(moves) < 3:
            return ConnectFour.parse(str(state)).legal_actions()[0]
        raise RuntimeError(f"{moves} made")
entry = my_agent
check_agent(entry)"""


def test_repeated_successors_count_again(mark_only):
    _, marks = mark_only("08_capstone", {"e2": AGAIN})
    assert "[300, 300, 300] made" in marks.results[0].text


# Rules of one's own are counted nowhere; here the search lasts a twentieth of a second.
OWN = """
import time
def copied(state):
    end = time.thread_time() + 0.05
    while time.thread_time() < end:
        pass
    return state
"""


@pytest.mark.parametrize(("kept", "copied"), COPIES.values(), ids=COPIES)
def test_agent_searching_a_copied_state_gets_zero(mark_only, kept, copied):
    cell = AGENT.replace("{kept}", kept).replace("{copied}", copied)
    points, marks = mark_only("08_capstone", {"e2": cell})
    assert points == {"e2": 0}
    assert marks.results[0].attempted


def test_own_game_rules_add_a_review_note(mark_only):
    cell = OWN + with_solution("08_capstone", "e2").replace("(\n        state,", "(copied(state),")
    assert "copied(state)" in cell
    points, marks = mark_only("08_capstone", {"e2": cell}, solved=True)
    assert points == {"e2": 3}
    start = f"08/e2: it computes for {marks.results[0].cost} microseconds"
    assert any(note.startswith(start) for note in marks.review_notes), marks.review_notes


ORDER = """
from gamelib import TicTacToe
{kept}
def value(state):
    if state.is_terminal():
        return state.utility(state.current_player)
    return max(-value(state.successor(action)) for action in state.legal_actions())

known = {}
def my_order(state, actions):
    if len(actions) < 7 and str(state) not in known:
        {copied}
        known[str(state)] = sorted(actions, key=lambda action: value(copy.successor(action)))
    return known.get(str(state), sorted(actions, key=(4, 0, 2, 6, 8, 1, 3, 5, 7).index))
"""


@pytest.mark.parametrize(
    ("kept", "copied"),
    [
        ("", "copy = TicTacToe.parse(str(state), current_player=state.current_player)"),
        (
            "class Free(TicTacToe): successor = vars(TicTacToe)['successor']",
            "copy = Free.parse(str(state), current_player=state.current_player)",
        ),
    ],
)
def test_order_searching_a_copied_state_gets_zero(mark_only, monkeypatch, kept, copied):
    monkeypatch.setattr(alpha_beta, "MAX_VISITS", 5_000)
    cell = ORDER.replace("{kept}", kept).replace("{copied}", copied)
    points, marks = mark_only("03_alpha_beta", {"e3": cell})
    assert points == {"e3": 0}
    assert marks.results[0].attempted


def cheating_programs(out):
    """Return each program of CHEATS by its name; `out` is the folder that they try to write in."""
    lesson = ROOT / "course" / "lessons" / "minimax"
    paths = {
        "checks": str(lesson / "check.py"),
        "mistakes": str(lesson / "mistakes.toml"),
        "root": str(ROOT),
        "out": str(out),
    }
    programs = dict(re.findall(r"^# (.*)\n((?:[^#\n].*\n)*)", CHEATS, re.MULTILINE))
    for word, path in paths.items():
        programs = {
            name: program.replace(f"{{{word}!r}}", repr(path)) for name, program in programs.items()
        }
    return programs


def test_cheat_changes_no_mark(packages, tmp_path, monkeypatch):
    """Each cheat is marked beside a hand-in that deserves a part of the points, and no more."""
    only(monkeypatch, "e1", "e2", "e3")
    # A heuristic is asked for a part of its values, since each marker would need seconds for all.
    # What gets points for all of them gets points for a part, too.
    positions = minimax._positions
    monkeypatch.setattr(minimax, "_positions", lambda: positions()[::20])
    honest = handed_in(MINIMAX, {cell: with_solution(MINIMAX, cell) for cell in ("e1", "e2")})
    contents, expected = {}, {}
    for number, (name, program) in enumerate(cheating_programs(tmp_path).items()):
        contents[name], expected[name] = handed_in(MINIMAX, before=[program]), 0
        if number % 2:  # two are marked at the same time, so that each has an honest one beside it
            contents[f"honest {number}"], expected[f"honest {number}"] = honest, 6
    jobs = [
        marking_pool.MarkingJob(name, name, MINIMAX, content, True, "")
        for name, content in contents.items()
    ]
    marked = marking_pool.mark_all(jobs, "x", packages, 2)
    assert {job.student: marks.points for job, marks in marked} == expected
    assert list(expected.values()).count(0) >= 40
    assert os.listdir(tmp_path) == []
