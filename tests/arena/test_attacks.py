"""Attacks by agents, which fail or are reported."""

import re
import sys
import tracemalloc
from dataclasses import replace

import pytest
from agent_fixtures import AGENTS, agent, change_line, game_of, text_agent

from arena import RecordsError, tournament
from arena.play.match import replay_for_audit
from gamelib import ConnectFour, Nim, TicTacToe, random_agent

FIRST, ATTACKER = AGENTS / "honest" / "first.py", AGENTS / "attacks" / "everything.py"
REWRITES = AGENTS / "attacks" / "rewrites_results.py"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux contains attacks")

# Rules in a closure are counted nowhere in play; so is a copy of the rules in the agent's own file.
NOT_CONTAINED = {"rules by their file", "rules in a closure"}


@pytest.fixture(scope="module")
def attack(tmp_path_factory):
    """Return the results of a tournament with the attacker, and what it has printed."""
    folder = tmp_path_factory.mktemp("attack")
    results = tournament(
        [ATTACKER, FIRST, random_agent()],
        state=ConnectFour(),
        games=4,
        budget=2000,
        seconds=60,
        path=folder / "results.jsonl",
        logs=folder / "logs",
    )
    return results, (folder / "logs" / "everything.log").read_text(), folder / "results.jsonl"


def test_attacks_fail_or_are_reported(attack):
    _, log, _ = attack
    came = dict(line.split(": ", 1) for line in log.splitlines() if ": " in line)
    done = {name for name, what in came.items() if what == "done"}
    assert len(came) >= 13
    assert done == NOT_CONTAINED


def test_audit_reports_uncounted_positions(attack):
    results, _, _ = attack
    (name, why), *_ = results.remarks
    assert (name, why[:36]) == ("everything", "differs in 1 of 1 games that it play")
    assert "IndexError" in why or "PermissionError" in why or "TypeError" in why
    assert "Worth a look\n\neverything differs" in str(results)
    assert "Worth a look" in results._repr_html_()


def test_stored_games_equal_played_games(attack, stored):
    results, _, path = attack
    assert stored(path) == results.records
    assert replace(results, records=stored(path)).remarks == results.remarks


def test_changed_file_without_sandbox_raises(nothing_contained, tmp_path):
    path = tmp_path / "rewrite_me.jsonl"
    with pytest.raises(RecordsError, match=r"changed or removed rewrite_me\.jsonl"):
        tournament([REWRITES, FIRST], state=TicTacToe(), games=6, path=path)


def test_file_changed_between_runs_raises_with_line(tmp_path):
    path = tmp_path / "results.jsonl"
    two = {"agents": [FIRST, random_agent()], "state": TicTacToe(), "games": 4, "path": path}
    tournament(**two)
    change_line(path, 4, lambda row: row | {"utilities": row["utilities"][::-1]})
    with pytest.raises(RecordsError, match="line 4 "):
        tournament(**two)


def part_of(agent, state):
    """Return the record of a game against random actions; the agent's part is played again."""
    agents = [random_agent(), agent]
    return replay_for_audit(game_of(*agents, state=state), agents, state, [1])


SMALL = ConnectFour(4, 4, 3)


@pytest.mark.parametrize(
    ("name", "state"),
    [("first", SMALL), ("chance", SMALL), ("looks_ahead", SMALL), ("looks_ahead", Nim((3, 4))),
     ("takes_a_win", TicTacToe()), ("deepens", TicTacToe())],
)  # fmt: skip
def test_audits_of_honest_agents_find_nothing(name, state):
    assert part_of(agent(name, budget=200), state).audit == (None, "")


def test_audits_of_random_searches_find_nothing(tmp_path):
    pytest.importorskip("numpy")
    text = (
        "import numpy\nfrom gamelib import mcts\ndef agent(state):\n"
        "    state.successor(numpy.int64(state.legal_actions()[0]))\n"
        "    return numpy.int64(mcts(state, simulations=9).action)"
    )
    record = part_of(text_agent(tmp_path, text), SMALL)
    assert record.audit == (None, "")
    assert record.forfeit is None


FORGED = """import gc
from arena.sandbox.node_budget import NodeBudget
def agent(state):
    budget = next(each for each in gc.get_objects() if isinstance(each, NodeBudget))
    for action in state.legal_actions():
        state.successor(action)
    budget.generated = {}
    return state.legal_actions()[0]"""


def test_audit_finds_hidden_count(tmp_path):
    record = part_of(text_agent(tmp_path, FORGED.format(0)), TicTacToe())
    made = [9 - ply for ply in range(1, len(record.actions), 2)]
    assert record.counts[1]["nodes"] == 0
    found = f"its process reported 0 positions, but {sum(made)} were counted from outside"
    assert record.audit[1] == found


@pytest.mark.parametrize("made", [-(10**9), 2001, 10**30])
def test_impossible_count_forfeits(tmp_path, made):
    record = game_of(random_agent(), text_agent(tmp_path, FORGED.format(made), budget=2000))
    assert record.forfeit.reason == f"its process reported {made:,} positions for a move"


def test_audit_names_different_action(tmp_path):
    text = (
        "import os\ndef agent(state):\n    actions = state.legal_actions()\n"
        "    return actions[os.getpid() % len(actions)]"
    )
    records = [part_of(text_agent(tmp_path, text), ConnectFour()) for _ in range(5)]
    record = next(each for each in records if "in the audit" in each.audit[1])
    ply, was = map(int, re.findall(r"\d+", record.audit[1])[:2])
    assert record.actions[ply - 1] == was


def test_huge_position_does_not_fill_parent_memory(tmp_path):
    text = (
        "from gamelib import ConnectFour\ndef agent(state):\n"
        "    ConnectFour(50, 50, 50).successor(0)\n    return state.legal_actions()[0]"
    )
    found = part_of(text_agent(tmp_path, text), ConnectFour()).audit[1]
    assert re.search(r"must not have more than \d+ characters", found)


def test_huge_actions_do_not_fill_parent_memory(tmp_path):
    text = (
        "from gamelib import IllegalActionError\ndef agent(state):\n    for _ in range(25):\n"
        "        try:\n            state.successor('x' * 10**6)\n"
        "        except IllegalActionError:\n            pass\n    return state.legal_actions()[0]"
    )
    tracemalloc.start()
    assert part_of(text_agent(tmp_path, text), TicTacToe()).audit[1] == ""
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 20 * 10**6


def test_records_have_cpu_seconds_of_agents(tmp_path):
    text = "def agent(state):\n    sum(range(3_000_000))\n    return state.legal_actions()[0]"
    busy = part_of(text_agent(tmp_path, text), TicTacToe()).cpu
    idle = part_of(agent("first"), TicTacToe()).cpu
    assert busy[0] == idle[0] == 0  # no process of its own
    assert busy[1] > 10 * idle[1] > 0
