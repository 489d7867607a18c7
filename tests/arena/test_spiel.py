"""OpenSpiel's games are named, played and counted as ours are."""

import pytest

from arena.cli import main
from arena.play.parsing import parse_game
from arena.play.tournament import tournament
from arena.sandbox.file_agent import FileAgent, Limits
from gamelib import random_agent
from gamelib.games.spiel import OpenSpiel

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

BREAKTHROUGH = "breakthrough(rows=4,columns=4)"


def test_parse_game_accepts_openspiel():
    assert parse_game(f"OpenSpiel('{BREAKTHROUGH}')") == OpenSpiel(BREAKTHROUGH)
    assert parse_game(f"OpenSpiel('{BREAKTHROUGH}', ['a4a3'])") == OpenSpiel(BREAKTHROUGH, ["a4a3"])


def test_file_agents_play_openspiel(tmp_path):
    text = (
        "from gamelib import alphabeta\ndef agent(state): return alphabeta(state, depth=1).action"
    )
    (tmp_path / "agent.py").write_text(text)
    agents = [FileAgent(tmp_path / "agent.py", limits=Limits(seconds=60)), random_agent()]
    results = tournament(agents, state=OpenSpiel(BREAKTHROUGH), games=2)
    assert [record.forfeit for record in results.records] == [None, None]


def test_command_line_plays_openspiel(tmp_path, capsys):
    game, out = f"OpenSpiel('{BREAKTHROUGH}')", tmp_path / "games.jsonl"
    command = ["match", "mcts(simulations=20)", "alphabeta(depth=1)", "--game", game]
    command += ["--games", "4", "--out", str(out)]
    assert main([*command, "--workers", "2"]) == 0
    played = out.read_bytes()
    assert main(command) == 0  # nothing is left to play: the games are known again
    assert out.read_bytes() == played
    assert "4 games" in capsys.readouterr().out
