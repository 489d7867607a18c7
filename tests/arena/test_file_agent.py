"""Agents in files, which lose at most one game and leave nothing behind, whatever they do."""

import os
import random
import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import pytest
from agent_fixtures import (
    AGENTS,
    agent,
    first,
    game_of,
    limited,
    linux,
    posix,
    text_agent,
    wait_until,
)

import gamelib
from arena import ForfeitError
from arena.sandbox import in_process
from arena.sandbox.file_agent import FileAgent, Limits
from arena.sandbox.process_handle import LOG_END_BYTES, LOG_START_BYTES
from gamelib import ConnectFour, GameTree, Nim, TicTacToe
from tests.messages import broken, names

FLOOD = AGENTS / "honest" / "prints_much.py"


def answer(folder, text, state=None, **limits):
    """Return what an agent with this text answers to a position."""
    with text_agent(folder, text, **limits).for_game(0) as player:
        return player.search_result(state or TicTacToe())


def reason(folder, text, state=None, **limits):
    """Return why an agent with this text forfeits."""
    with pytest.raises(ForfeitError) as caught:
        answer(folder, text, state, **limits)
    return str(caught.value)


def log_of(agent):
    """Return what an agent prints in its first move, and why it forfeits if it does."""
    with agent.for_game(0) as player, suppress(ForfeitError):
        player(TicTacToe())
    return player.log()


# Agents that break the rules

SHORT = {"seconds": 0.5}
SHORT_WORDS = "no answer within 0.5 seconds"
SLOW = ("loops", "swallows_everything", "loops_in_c", "sleeps", "ignores_signals", "hangs_later")
# The others have time, memory and positions in plenty.
NARROW = {
    **dict.fromkeys(SLOW, SHORT),
    "hangs_at_import": SHORT | {"start_seconds": 0.5},
    "grows": {"megabytes": 100},
    "too_many_positions": {"budget": 50},
}
OFFENCES = {
    **dict.fromkeys(SLOW, SHORT_WORDS),
    "raises": r"ZeroDivisionError: .* by zero \(raises\.py, line 6: "
    r"return actions\[len\(.*\) // among\]",
    "exits": r"SystemExit: the agent asked Python to exit \(status 3\) "
    r"\(exits.py, line 5: sys.exit\(3",
    "ends_its_process": r"its process exited without an answer \(exit status 0\)",
    "allocates": r"MemoryError: .* \(allocates.py, line 2: memory = bytearray\(",
    "grows": r"MemoryError: .* \(grows.py, line 6: KEPT.append\(",
    "illegal": "returned 99: an action is a cell, an int from 0 to 8; got 99",
    "wrong_type": "returned '1': an action is a cell, an int from 0 to 8; got '1'",
    "answers_nothing": "returned None: an action is a cell",
    "crashes": r"its process crashed \(SIGSEGV\)",
    "recurses": r"RecursionError: .* \(recurses.py, line 2: return agent\(state\)\)",
    "asks_the_user": r"EOFError: .* \(asks_the_user.py, line 2: ",
    "fills_the_disk": r"OSError: .*File too large \(fills_the_disk.py, line 4: ",
    "closes_all_files": "its process was killed, or closed the connection",
    "too_many_positions": r"BudgetExceededError: all 50 positions allowed for this move have been "
    r"generated \(too_many_",
    "starts_processes": r"PermissionError: \[Errno 1\] Operation not permitted "
    r"\(starts_processes.py, line 16: sub",
    "uses_machine_code": "ImportError: gamefast cannot be used in a tournament, "
    "because the nodes of compiled",
    "cannot_be_imported": r"ModuleNotFoundError: No module .* \(cannot_be_.*, line 1: ",
    "has_no_agent": r"AttributeError: has_no_agent.py must define a function agent\(state",
    "hangs_at_import": "its file was not loaded within 0.5 seconds",
    "exits_at_import": r"SystemExit: the agent asked Python to exit \(status None\)",
}
ON_LINUX = {"allocates", "grows", "starts_processes"}


def test_every_hostile_agent_has_an_expectation():
    files = {file.stem for file in (AGENTS / "hostile").glob("*.py")}
    rule = "Each hostile agent has its reason in OFFENCES, and no other agent has: edit the table"
    assert set(OFFENCES) == files, broken(rule, sorted(files ^ set(OFFENCES)))


@posix
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[linux] if name in ON_LINUX else []) for name in OFFENCES]
)
def test_hostile_agent_forfeits_with_its_reason(name, left_behind):
    record = game_of(first, agent(name, **NARROW.get(name, {})))
    assert record.utilities == (1, -1)
    assert record.forfeit.player == 1
    assert re.match(OFFENCES[name], record.forfeit.reason), record.forfeit.reason
    assert left_behind() == []


# Agents that only look dangerous


@posix
@pytest.mark.parametrize(
    "file", sorted(set((AGENTS / "honest").glob("*.py")) - {FLOOD}), ids=lambda file: file.stem
)
def test_honest_agents_finish_their_games(file, left_behind):
    record = game_of(first, limited(file))
    assert record.forfeit is None
    assert left_behind() == []


@pytest.mark.parametrize("name", ["prints_answers", "prints_junk", "closes_stdout"])
def test_printed_text_is_not_an_answer(name):
    assert game_of(first, agent(name)).actions == (0, 1, 2, 3, 4, 5, 6)


@linux
def test_left_behind_processes_are_found_without_sandbox(left_behind, nothing_contained):
    # Otherwise the tests above would prove nothing.
    with agent("starts_processes").for_game(0) as player:
        player(TicTacToe())
        assert len(left_behind()) == 5  # the child, three of its own, and the folder
    assert left_behind() == []


# What an agent is given


@pytest.mark.parametrize(
    "state",
    [TicTacToe(3, 4, 3, 3), ConnectFour().play(3, 3), Nim((3, 4, 5)), GameTree([[3, 12], [2, 4]])],
)
def test_agent_gets_position_and_returns_legal_action(state, tmp_path):
    text = "def agent(state):\n    print(repr(state))\n    return state.legal_actions()[-1]"
    with text_agent(tmp_path, text).for_game(0) as player:
        assert player(state) == state.legal_actions()[-1]
    assert player.log() == f"{state!r}\n"


def test_seed_determines_the_game(tmp_path):
    text = (
        "from gamelib import mcts\ndef agent(state):\n    return mcts(state, simulations=9).action"
    )
    own = text_agent(tmp_path, text)
    games = [game_of(own, own, state=ConnectFour(), seed=seed) for seed in (1, 1, 2)]
    assert games[0] == games[1]
    assert games[0].actions != games[2].actions


def test_each_game_has_its_own_process(tmp_path):
    text = "calls = 0\ndef agent(state):\n    global calls\n    calls += 1\n    return calls"
    counts = text_agent(tmp_path, text)
    for _ in range(2):
        with counts.for_game(0) as player:
            assert [player(TicTacToe()), player(TicTacToe())] == [1, 2]


def test_agent_runs_in_empty_folder_and_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("A_SECRET", "of the user's")
    text = (
        "import os\ndef agent(state):\n"
        "    at_home = os.path.samefile(os.environ['HOME'], '.')\n"
        "    print(os.listdir(), at_home, 'A_SECRET' in os.environ)\n"
        "    return 0"
    )
    assert log_of(text_agent(tmp_path, text)) == "[] True False\n"


def test_file_is_read_once_without_traces(tmp_path):
    (folder := tmp_path / "class").mkdir()
    four = text_agent(folder, "def agent(state):\n    return 4")
    (folder / "mine.py").unlink()
    assert four(TicTacToe()) == 4
    assert [*folder.iterdir()] == []


@pytest.mark.parametrize(
    "source",
    [
        b"\xef\xbb\xbfdef agent(state):\n    return 4",
        b"# coding: latin-1\nNAME = '\xe9'\ndef agent(state):\n    return 4",
        b"from __future__ import annotations\r\ndef agent(state):\r\n    return 4",
        b"from dataclasses import dataclass\n@dataclass\nclass A:\n    x: 'int'\n"
        b"def agent(state):\n    return A(4).x",
        b"class Mine:\n    def __call__(self, state):\n        return 4\nagent = Mine()",
        b"if __name__ == '__main__':\n    raise SystemExit\ndef agent(state):\n    return 4",
    ],
)
def test_files_of_any_encoding_are_loaded(source, tmp_path):
    # Nor does its name hide a module.
    assert text_agent(tmp_path, source, "random.py")(TicTacToe()) == 4


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            b"def agent(state:\n    return 4",
            r"SyntaxError: .* \(mine.py, line 1: def agent\(state:",
        ),
        (b"def agent(state):\nreturn 4", r"IndentationError: .* \(mine.py, line 2: return 4\)"),
        (b"x = '\xff'", r"SyntaxError: .*mine.py"),
        (b"\x00", r"SyntaxError: "),
        (b"", r"AttributeError: mine.py must define a function agent\(state\)"),
        (b"agent = 4", r"AttributeError: mine.py must define a function agent\(state\)"),
    ],
)
def test_invalid_files_have_a_load_error(source, expected, tmp_path):
    found = text_agent(tmp_path, source).load_error
    assert re.match(expected, found), found
    assert str(tmp_path) not in found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def agent(state):\n    return 'x' * 10**7", "returned 'xxx.* ...: an action is a cell"),
        (
            "def agent(state):\n    raise ValueError('\\ud800 \\x1b[2J')",  # steers a terminal
            r"ValueError: \? \?\[2J \(mine.py, line 2: raise ValueError",
        ),
    ],
)
def test_unusual_errors_are_reported(text, expected, tmp_path):
    found = reason(tmp_path, text)
    assert re.match(expected, found), found


def test_failing_stream_of_agent_is_ignored(tmp_path):
    text = (
        "import io, sys\nclass Own(io.StringIO):\n    def flush(self):\n"
        "        raise KeyboardInterrupt\nsys.stdout = Own()\ndef agent(state):\n    return 4"
    )
    assert answer(tmp_path, text).action == 4


def test_process_that_cannot_start_raises_oserror(monkeypatch):
    def no_process(*_):
        raise OSError("no more processes")

    monkeypatch.setattr("arena.sandbox.process_handle.start_process", no_process)
    with pytest.raises(OSError, match="no more processes"):
        game_of(first, agent("first"))


@linux
def test_agent_outside_its_group_is_killed(nothing_contained, left_behind, tmp_path):
    text = (
        "import os\ndef agent(state):\n    os.setpgid(0, os.getpgid(os.getppid()))\n"
        "    while True:\n        pass"
    )
    assert reason(tmp_path, text, **SHORT) == SHORT_WORDS
    assert left_behind() == []


@linux
@pytest.mark.parametrize("limit", ["AS", "FSIZE", "CORE"])
def test_agent_cannot_raise_its_limits(tmp_path, limit):
    text = (
        "import resource\ndef agent(state):\n"
        f"    resource.setrlimit(resource.RLIMIT_{limit}, (resource.RLIM_INFINITY,) * 2)"
    )
    assert "not allowed to raise maximum limit" in reason(tmp_path, text)


# The budget

ASK = "from gamelib import *\ndef agent(state):\n    action = state.legal_actions()[0]\n"
TRY = """    for _ in range(9):
        try:
            state.successor({action})
            made += 1
        except {error}:
            pass
    return made"""
CAUGHT = "from arena import BudgetExceededError\ndef agent(state):\n    made = 0\n"


def making(number):
    return f"{ASK}    for _ in range({number}):\n        state.successor(action)\n    return action"


@pytest.mark.parametrize(
    ("text", "budget", "made"),
    [
        *((making(number), 50, number) for number in (0, 1, 49, 50)),
        (CAUGHT + TRY.format(action=0, error="BudgetExceededError"), 5, 5),
        (CAUGHT + TRY.format(action=99, error="ValueError"), 1, 0),
        (f"{ASK}    minimax(state, depth=2)\n    return 0", 100, 9 + 9 * 8),
        (f"{ASK}    state.play(0, 1, 2)\n    return 0", 100, 3),
        (f"{ASK}    TicTacToe().successor(0)\n    return 0", 100, 1),
    ],
)
def test_positions_are_counted_exactly_per_move(text, budget, made, tmp_path):
    with text_agent(tmp_path, text, budget=budget).for_game(0) as player:
        assert [player.search_result(TicTacToe()).stats.nodes for _ in range(2)] == [made, made]


def test_loading_has_budget_of_one_move(tmp_path):
    text = "from gamelib import *\nminimax(TicTacToe(), depth=2)\ndef agent(state):\n    return 0"
    assert answer(tmp_path, text, budget=81).action == 0
    assert re.match("BudgetExceededError: .*mine.py, line 2", reason(tmp_path, text, budget=80))


def test_thread_cannot_generate_positions_between_moves(tmp_path):
    text = (
        "import threading, time\n"
        "tried, made, threads = 0, 0, []\n"
        "def think(state):\n"
        "    global tried, made\n"
        "    while True:\n"
        "        time.sleep(0.001)\n"
        "        tried += 1\n"
        "        try:\n"
        "            state.successor(0)\n"
        "            made += 1\n"
        "        except RuntimeError:\n"
        "            pass\n"
        "def agent(state):\n"
        "    if not threads:\n"
        "        threads.append(threading.Thread(target=think, args=(state,)))\n"
        "        threads[0].start()\n"
        "        return 0\n"
        "    return 0 if tried < 100 else 1 if made < 50 else 2"
    )
    with text_agent(tmp_path, text).for_game(0) as player:
        while (told := player(TicTacToe())) == 0:
            time.sleep(0.3)
    assert told == 1  # while it moves, it may make some


# The log


@pytest.mark.parametrize(
    ("lines", "log"),
    [
        (
            "print('one'); os.write(1, b'two\\n'); print('three', file=sys.stderr)",
            "one\ntwo\nthree\n",
        ),
        ("os.write(1, b'one\\r\\ntwo\\r')", "one\ntwo?"),  # as programs of Windows end lines
        ("print('\\x1b[2J\\x9b\\a\\tü 👍')", "?[2J??\tü 👍\n"),  # harmless in a terminal
    ],
)
def test_output_is_in_the_log(lines, log, tmp_path):
    text = f"import os, sys\ndef agent(state):\n    {lines}\n    return 0"
    assert log_of(text_agent(tmp_path, text)) == log


def test_long_log_is_shortened_and_marked():
    log = log_of(agent("prints_much"))
    assert len(log) < LOG_START_BYTES + LOG_END_BYTES + 100
    assert log.startswith("this is where it begins\n")
    assert log.endswith("this is where it ends\n")
    printed = 100 * (2**20 + 1) + len("this is where it begins\nthis is where it ends\n")
    assert f"[... {printed - LOG_START_BYTES - LOG_END_BYTES:,} bytes are left out here ...]" in log


def test_forfeit_traceback_shows_lines_without_folders():
    log = log_of(agent("raises"))
    assert log.lstrip().startswith(
        "Traceback (most recent call last):\n"
        '  File "raises.py", line 2, in agent\n'
        "    return share(state.legal_actions(), 0)\n"
    )
    assert 'File "raises.py", line 6, in share\n    return actions[len(actions) // among]' in log
    assert "forfeit: ZeroDivisionError: " in log
    assert "agent_worker.py" not in log
    assert str(AGENTS) not in log


@posix
@pytest.mark.parametrize("name", ["loops", "loops_in_c", "sleeps"])
def test_log_shows_stack_of_slow_agent(name):
    log = log_of(agent(name, **SHORT))
    assert re.search(rf'File "{name}.py", line \d+ in agent', log)
    assert log.endswith(f"forfeit: {SHORT_WORDS}\n")
    assert str(Path(gamelib.__file__).parents[1]) not in log


def test_log_has_no_folders(tmp_path, own_folder):
    text = (
        "import os, sys, json, numpy\n"
        "def agent(state):\n"
        "    print(os.getcwd(), sys.prefix, json.__file__, numpy.__file__, sys.path)\n"
        "    open('missing')"
    )
    log = log_of(text_agent(tmp_path, text))
    assert "__init__.py" in log
    for folder in (own_folder, Path.home(), sys.prefix, sys.base_prefix):
        assert f"{folder}{os.sep}" not in log


def test_loading_has_its_own_time_limit(tmp_path):
    text = "import time\ntime.sleep(1.5)\ndef agent(state):\n    return 0"
    assert answer(tmp_path, text, seconds=1).action == 0
    assert "not loaded within 0.5 seconds" in reason(tmp_path, text, start_seconds=0.5)


def test_logs_are_written_to_given_folder(tmp_path):
    logs = tmp_path / "logs"
    logs.mkdir()
    for _ in range(2):
        for name in ("illegal", "first"):
            game_of(first, agent(name, logs=logs))
    assert [file.name for file in logs.iterdir()] == ["illegal.log"]  # the other has said nothing
    assert (logs / "illegal.log").read_text().count("forfeit: returned 99: ") == 2


@pytest.mark.parametrize("folder", ["file.py", "missing/logs"])
def test_unwritable_log_folder_raises(folder, tmp_path):
    (file := tmp_path / "file.py").touch()
    with pytest.raises(OSError, match=r"folder (file.py|logs)"):
        FileAgent(file, logs=tmp_path / folder)


def test_deeply_nested_folders_are_removed(tmp_path, left_behind):
    text = (
        "import os\ndef agent(state):\n    for _ in range(2000):\n        os.mkdir('d')\n"
        "        os.chdir('d')\n    open('file', 'w').close()\n    os.mkdir('x', 0)\n    return 0"
    )
    assert answer(tmp_path, text).action == 0
    assert left_behind() == []


def test_deeply_nested_answer_forfeits(tmp_path, capfd):
    text = (
        "import gc\ndef agent(state):\n"
        "    for each in gc.get_objects():\n"
        "        if type(each).__name__ == 'BufferedWriter':\n"
        "            each.write(b'{\"id\":' * 10_000 + b'\\n')\n            each.flush()\n"
        "    return 0"
    )
    assert answer(tmp_path, text).action == 0
    assert "Traceback" not in capfd.readouterr().err


@posix
@pytest.mark.parametrize("flood", ["x" * 65536, "{}\\n" * 20_000])
def test_endless_output_is_a_timeout(tmp_path, flood):
    text = (
        "import os\ndef agent(state):\n    while True:\n        for number in range(3, 64):\n"
        f"            try: os.write(number, b'{flood}')\n            except OSError: pass"
    )
    assert reason(tmp_path, text, **SHORT) == SHORT_WORDS


# When the tournament itself is killed

RUNNER = """
import sys, tempfile
from gamelib import TicTacToe
from arena.sandbox.file_agent import FileAgent, Limits
tempfile.tempdir = sys.argv[2]
while True:
    with FileAgent(sys.argv[1], limits=Limits(seconds=9)).for_game(0) as player:
        print("started", flush=True)
        player(TicTacToe())
"""
# An agent with many files: to remove its folder takes as long as to play.
LITTERS = "for n in range(2000): open(str(n), 'w').close()\ndef agent(state):\n    return 0"


@posix
@pytest.mark.parametrize("name", ["sleeps", "loops_in_c", "swallows_everything", "litters"])
def test_workers_exit_with_killed_runner(name, own_folder, left_behind, tmp_path):
    (file,) = [*AGENTS.glob(f"hostile/{name}.py")] or [tmp_path / "litters.py"]
    if name == "litters":
        file.write_text(LITTERS)
    for moment in range(5 if name == "litters" else 1):
        runner = subprocess.Popen(
            [sys.executable, "-c", RUNNER, file, own_folder], stdout=subprocess.PIPE
        )
        assert runner.stdout.readline() == b"started\n"
        time.sleep(moment * 0.04)
        runner.kill()
        runner.wait()
        wait_until(lambda: left_behind() == [])


# Limits


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"budget": 0}, "budget must be an int, 1 or more"),
        ({"seconds": 0}, "seconds must be a number above 0"),
        ({"seconds": float("nan")}, "seconds must be a number above 0"),
        ({"start_seconds": True}, "start_seconds must be a number above 0"),
        ({"megabytes": 1.5}, "megabytes must be an int, 1 or more"),
    ],
)
def test_invalid_limits_raise(limits, message):
    with pytest.raises(ValueError, match=names(message)):
        Limits(**limits)


# --- where no process can be started ---


@pytest.fixture
def no_processes(no_threads, monkeypatch):
    monkeypatch.setattr(in_process, "warn_once", lambda: None)


# What only a process of its own contains, or allows.
CONTAINED = {"closes_stdout"}
HERE = [file for file in (AGENTS / "honest").glob("*.py") if file.stem not in CONTAINED]
FORFEITS_HERE = [
    "raises", "exits", "loops", "swallows_everything", "illegal", "wrong_type", "answers_nothing",
    "recurses", "too_many_positions", "uses_machine_code", "cannot_be_imported", "has_no_agent",
    "hangs_at_import", "exits_at_import",
]  # fmt: skip


@pytest.mark.parametrize("name", FORFEITS_HERE)
def test_in_process_agent_forfeits_for_same_reason(no_processes, name):
    record = game_of(first, agent(name, **NARROW.get(name, {})))
    assert re.match(OFFENCES[name], record.forfeit.reason), record.forfeit.reason


@pytest.mark.parametrize("file", sorted(HERE), ids=lambda file: file.stem)
def test_in_process_game_is_the_same(file, request):
    there = game_of(first, limited(file, budget=50), state=ConnectFour())
    request.getfixturevalue("no_processes")
    before = random.getstate(), random.Random, ConnectFour.successor, ConnectFour.playout
    assert game_of(first, limited(file, budget=50), state=ConnectFour()) == there
    assert (random.getstate(), random.Random, *before[2:]) == before


def test_in_process_agents_do_not_share_state(no_processes, tmp_path):
    text = (
        "import sys\nCALLS = []\ndef agent(state):\n    calls = sys.modules[__name__].CALLS\n"
        "    calls.append(1)\n    return len(calls) - 1"
    )
    counts = text_agent(tmp_path, text)
    with counts.for_game(1) as one, counts.for_game(2) as other:
        assert [one(TicTacToe()), one(TicTacToe()), other(TicTacToe())] == [0, 1, 0]


def test_in_process_gamefast_is_refused_only_for_agents(no_processes, tmp_path):
    text = (
        "from gamefast import fast\nfrom gamelib import mcts\n"
        "def agent(state):\n    return fast(mcts)(state, simulations=9).action"
    )
    assert "cannot be used in a tournament" in reason(tmp_path, text)
    assert in_process.compiled_searches.failure_reason() == ""


def test_in_process_agent_finds_no_loaded_search(no_processes, tmp_path, monkeypatch):
    solver = ModuleType("gamefast.solver")
    monkeypatch.setitem(sys.modules, "gamefast.solver", solver)
    assert "cannot be used in a tournament" in reason(tmp_path, "import gamefast.solver")
    assert sys.modules["gamefast.solver"] is solver


def test_missing_sandbox_is_reported_once(no_threads, capsys):
    in_process.warn_once.cache_clear()
    for _ in range(2):
        game_of(first, agent("chance"))
    assert capsys.readouterr().out == f"{in_process.WARNING_MESSAGE}\n"
    assert "there is no sandbox" in in_process.WARNING_MESSAGE
