from pathlib import Path

import pytest

from course.lessons.experiments.study import Study, main, read_table, run_study

PLAN = """
games = 6
seed = 3
positions = ["Nim(1, 2)", "Nim(2, 2)"]
agents = [["mcts(simulations=20)", "random"], ["solve", "random"]]
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


def test_study_plays_every_pair_from_every_position(plan, tmp_path):
    rows = run_study(Study.read(plan), tmp_path / "games")
    played = [(row["position"], row["match"]) for row in rows if row["seat"] is None]
    assert played == [
        (position, match)
        for position in ("Nim(1, 2)", "Nim(2, 2)")
        for match in ("mcts(simulations=20) v random", "solve v random")
        for _ in range(2)
    ]


def test_resumed_study_plays_only_missing_games(plan, tmp_path):
    study, games = Study.read(plan), []

    def stop_soon(share, newest):
        games.append(newest)
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_study(study, tmp_path / "games", progress=stop_soon)
    before = sum(newest is not None for newest in games)
    games.clear()
    rows = run_study(study, tmp_path / "games", progress=lambda _, newest: games.append(newest))
    assert before + sum(newest is not None for newest in games) == 4 * study.games
    assert rows == run_study(study, tmp_path / "other")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("games = 6", "game = 6", "game"),
        ("positions", "places", "positions"),
        ("seed = 3", "seed =", "not a study"),
        ("Nim(1, 2)", "Chess()", "Chess"),
        ("solve", "stockfish", "stockfish"),
    ],
)
def test_wrong_study_raises_before_first_game(plan, before, after, message):
    plan.write_text(PLAN.replace(before, after))
    with pytest.raises(ValueError, match=message):
        Study.read(plan)


def test_study_command_writes_readable_table(plan, tmp_path, capsys):
    table = tmp_path / "table.csv"
    assert main([str(plan), "--out", str(tmp_path / "games"), "--csv", str(table)]) == 0
    assert "24 games of 4 match-ups" in capsys.readouterr().out
    rows, read = run_study(Study.read(plan), tmp_path / "games"), read_table(table)
    assert read == rows
    assert len(rows) == 4 * 6
    assert sum(row["games"] for row in rows if row["seat"] is not None) == 2 * 24
    assert [[*map(type, row.values())] for row in read] == [
        [*map(type, row.values())] for row in rows
    ]
