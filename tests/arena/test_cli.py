import csv
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena import match_up
from arena.__main__ import main
from gamelib import Nim, SearchAgent, mcts, random_agent, random_choice
from tests.messages import names

ROOT = Path(__file__).parents[2]
COMMAND = ["match", "mcts(simulations=20)", "random", "--game", "Nim(3, 4, 5)", "--seed", "3"]
AGENTS = SearchAgent(mcts, simulations=20), random_agent()
NIM = Nim((3, 4, 5))


def test_match_prints_table_and_stores_games(path, tmp_path, capsys, stored):
    table = tmp_path / "games.csv"
    assert main([*COMMAND, "--games", "20", "--out", str(path), "--csv", str(table)]) == 0
    games = match_up(*AGENTS, state=NIM, games=20, seed=3)
    assert capsys.readouterr().out == f"{games}\n\n{games.verdict}\n"
    assert stored(path) == games.records
    with table.open(encoding="utf-8", newline="") as file:
        names = {row["agent_0"] for row in csv.DictReader(file)}
    assert names == {"mcts(simulations=20)", "random"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["match", "chess", "random", "--game", "Nim(1, 2)"], "an agent must be one of random"),
        (["match", "mcts(simulations=0)", "random", "--game", "Nim(1, 2)"], "got 0"),
        (["match", "mcts(sims=9)", "random", "--game", "Nim(1, 2)"], "mcts has no option sims"),
        (["match", "random", "random", "--game", "Chess()"], "a game must be one of"),
        (["match", "random", "--game", "Nim(1, 2)"], "agents must be one per player"),
        (
            ["match", "random", "random", "--game", "Nim(1)", "--out", "missing/a.jsonl"],
            "cannot write results to a.jsonl in the folder missing: No such file",
        ),
        (["tournament", "x.py", "--with", "chess", "--game", "Nim(1)"], "an agent must be one of"),
    ],
)
def test_error_prints_one_line_and_exits_1(arguments, message, capsys):
    assert main(arguments) == 1
    shown = capsys.readouterr()
    assert message in shown.err
    assert (shown.err.count("\n"), shown.out) == (1, "")


@pytest.mark.parametrize("name", ["=1+1", "+1", "@SUM(A1)", "-2+3+cmd|' /C calc'!A0", "\t=1"])
def test_csv_cells_are_not_formulas(name, tmp_path):
    agents = SearchAgent(random_choice, name), random_agent()
    games = match_up(*agents, state=NIM, games=2)
    games.to_csv(tmp_path / "games.csv")
    with open(tmp_path / "games.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["agent_0"] == f"'{name}"
    assert rows[0]["utility_0"] in ("1", "-1")
    assert rows[0]["actions"].startswith("(")


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such pipes")
def test_csv_can_be_written_to_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    games = match_up(*AGENTS, state=NIM, games=2)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit((tmp_path / "pipe").read_text)
        games.to_csv(tmp_path / "pipe")
        assert read.result(30).startswith("game,seed,agent_0")


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such pipes")
@pytest.mark.parametrize("buffered", [True, False])
def test_closed_pipe_prints_no_error(buffered):
    """As `| head` does."""
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, *(["-u"] if not buffered else []), "-m", "arena", *COMMAND]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    process = subprocess.run(
        [*command, "--games", "2"], stdout=write, stderr=subprocess.PIPE, cwd=ROOT, env=environment
    )
    os.close(write)
    assert (process.returncode, process.stderr) == (141, b"")


def test_numpy_numbers_are_accepted():
    numpy = pytest.importorskip("numpy")
    two, one = numpy.int64(2), numpy.int64(1)
    ours = match_up(*AGENTS, state=NIM, games=two, seed=one, workers=one)
    assert ours == match_up(*AGENTS, state=NIM, games=2, seed=1)
    for wrong in (True, 2.0, "2"):
        with pytest.raises(ValueError, match=names("games must be a multiple of 2")):
            match_up(*AGENTS, state=NIM, games=wrong)


def test_csv_does_not_replace_stored_games(path, capsys):
    main([*COMMAND, "--games", "4", "--out", str(path)])
    stored = path.read_bytes()
    assert main([*COMMAND, "--games", "4", "--out", str(path), "--csv", str(path)]) == 1
    assert "games.jsonl has stored games" in capsys.readouterr().err
    assert path.read_bytes() == stored


def in_a_process(folder, *arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "arena", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        timeout=120,
    )


FIRST = "import sys\nprint('run by', __name__, file=sys.stderr)\ndef agent(state):\n    return 0\n"
TWO_GAMES = ("--game", "Nim(1)", "--games", "2", "--seed", "1")


def test_agents_named_like_stdlib_modules_are_not_imported(tmp_path):
    for name in sys.stdlib_module_names:
        (tmp_path / f"{name}.py").write_text(FIRST)
    run = in_a_process(tmp_path, "tournament", "random.py", "json.py", *TWO_GAMES)
    assert run.returncode == 0
    assert b"run by" not in run.stderr
    assert b"1. " in run.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere such names cannot be made")
def test_unprintable_names_are_escaped_in_tables(tmp_path):
    names = [b"caf\xe9.py", "\u00fcber.py".encode(), b"red\x1b[31m\n.py"]
    for name in names:
        (tmp_path / os.fsdecode(name)).write_text(FIRST)
    said = {"PYTHONIOENCODING": "ascii:strict"}
    table = tmp_path / "games.jsonl"
    run = in_a_process(
        tmp_path, "tournament", ".", *TWO_GAMES, "--out", table, "--csv", "t.csv", **said
    )
    assert run.returncode == 0, run.stderr
    assert rb"caf\udce9" in run.stdout
    assert rb"\xfcber" in run.stdout
    assert b"red?[31m?" in run.stdout


@pytest.mark.parametrize("command", [[], ["match"]])
def test_help_prints_usage(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*command, "--help"])
    assert ended.value.code == 0
    assert "usage: python -m arena" in capsys.readouterr().out


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
@pytest.mark.usefixtures("hears_interrupts")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_prints_how_to_continue(path, workers):
    arguments = ["match", "mcts(simulations=300)", "random", "--game", "Nim(3, 4, 5)"]
    arguments += ["--out", str(path), "--workers", workers]
    command = [sys.executable, "-m", "arena", *arguments]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while run.poll() is None and not (path.exists() and path.read_bytes().count(b"\n") > 3):
        time.sleep(0.005)
    run.send_signal(signal.SIGINT)
    _, error = run.communicate(timeout=60)
    assert run.returncode == 130
    assert re.search(r"stopped\n\d+ of 1000 games are stored; make the same call again", error)
    assert "Traceback" not in error
