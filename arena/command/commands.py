"""The subcommands `match` and `export` of `python -m arena`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from arena.play.match_up import match_up
from arena.play.specs import AGENTS, MAKERS, VALUES, parse_agent, parse_game
from arena.results.records import read_records
from arena.results.rows import game_rows, write_csv
from gamelib.search.limits import Progress

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

HOW_TO_WRITE = f"""\
An agent is a search with its options: random, lookahead, "minimax(depth=3)",
"mcts(simulations=500, rollout=nim_sum_rollout)"; as machine code "fast(mcts)(simulations=500)".
  searches: {", ".join(AGENTS)}
  values with a name: {", ".join(VALUES)}
  values made by a call, as heuristic=lines_heuristic(): {", ".join(MAKERS)}
A game is written like "Nim(3, 4, 5)", "TicTacToe()", "ConnectFour(rows=5)", or
"TicTacToe.parse('X../.O./...')".

With --out, every game is kept when it ends. A run that was stopped, or killed, goes on
when the same command is given again.
"""


def add_match(subparsers: Subparsers) -> None:
    """Add the subcommand `match`."""
    parser = subparsers.add_parser(
        "match",
        help="play many games between the same agents, who change seats",
        description="Play many games between the same agents, who change seats.",
        epilog=HOW_TO_WRITE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="one for each player")
    parser.add_argument("--game", required=True, help='for example "Nim(3, 4, 5)"')
    add_run_options(parser, games=1000)
    parser.set_defaults(run=_match)


def add_export(subparsers: Subparsers) -> None:
    """Add the subcommand `export`."""
    parser = subparsers.add_parser(
        "export",
        help="write stored games as a table",
        description="Write the games of a file that --out has made as a table, a row for each.",
    )
    parser.add_argument("file", help="the file that --out has made")
    parser.add_argument("--csv", required=True, metavar="FILE", help="the table to write")
    parser.set_defaults(run=_export)


def add_run_options(parser: argparse.ArgumentParser, games: int) -> None:
    """Add the options of every command that plays games."""
    parser.add_argument("--games", type=int, default=games, help="how many (default: %(default)s)")
    parser.add_argument(
        "--seed", type=int, default=0, help="another one plays other games (default: %(default)s)"
    )
    parser.add_argument(
        "--workers", type=int, default=1, help="processes that play (default: %(default)s)"
    )
    parser.add_argument(
        "--out", metavar="FILE", help="keep the games in this file, or go on with it"
    )


@contextmanager
def progress_bar(games: int) -> Iterator[Progress]:
    """Yield a progress function that shows a bar, where the error output is a terminal."""
    from tqdm import tqdm

    with tqdm(total=games, unit="game", disable=None, smoothing=0.1) as bar:

        def progress(share: float, newest: Any) -> None:
            done = round(share * games)
            if newest is None:
                bar.initial = done  # games of an earlier run say nothing about the speed of this
            bar.update(done - bar.n)

        yield progress


def _match(chosen: argparse.Namespace) -> None:
    agents = [parse_agent(text) for text in chosen.agents]
    with progress_bar(chosen.games) as progress:
        results = match_up(
            *agents,
            state=parse_game(chosen.game),
            games=chosen.games,
            seed=chosen.seed,
            path=chosen.out,
            workers=chosen.workers,
            progress=progress,
        )
    print(results, results.verdict, sep="\n\n")


def _export(chosen: argparse.Namespace) -> None:
    known, records = read_records(chosen.file)
    write_csv(chosen.csv, game_rows(known["agents"], records))
