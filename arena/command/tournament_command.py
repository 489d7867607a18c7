"""The subcommand `tournament` of `python -m arena`."""

from __future__ import annotations

import argparse
import sys
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING

from arena.command.commands import HOW_TO_WRITE, add_run_options, progress_bar
from arena.play.specs import parse_agent, parse_game
from arena.play.tournament import absentees, entrants, tournament
from arena.sandbox.guard import BUDGET, MEGABYTES, SECONDS, Limits

if TYPE_CHECKING:
    from arena.command.commands import Subparsers

DESCRIPTION = """\
Everyone plays everyone, in every seat: agents in files, and searches beside them. --games is
for every two of them, or as many as the game has players.

An agent is a file with a function agent(state) that returns an action. It plays each game in
a child process of its own. An agent that breaks a rule forfeits that game; the others play
on. A file that cannot be loaded plays no game.

This contains accidents: endless loops, too much memory, crashes, floods of text. It is not a
sandbox: code that attacks on purpose can get out, so do not run files of people you do not
trust.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the subcommand `tournament`."""
    parser = subparsers.add_parser(
        "tournament",
        help="let the agents of a class play each other",
        description=DESCRIPTION,
        epilog=HOW_TO_WRITE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE", type=Path, help="a file, or a folder of files NAME.py"
    )
    parser.add_argument("--game", required=True, help='for example "ConnectFour()"')
    parser.add_argument(
        "--with", dest="others", action="append", default=[], metavar="AGENT",
        help="a search that takes part, such as random; can be given several times",
    )  # fmt: skip
    add_run_options(parser, games=20)
    _add_limits(parser)
    parser.add_argument(
        "--logs", metavar="FOLDER", help="keep there what agents print, and why they forfeit"
    )
    parser.set_defaults(run=_tournament)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--budget", type=int, default=BUDGET,
        help="positions that a file may make for one move (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--seconds", type=float, default=SECONDS,
        help="for one move; a safety net, so be generous (default: %(default)g)",
    )  # fmt: skip
    parser.add_argument(
        "--megabytes", type=int, default=MEGABYTES,
        help="of memory that a file may use (default: %(default)s)",
    )  # fmt: skip


def _tournament(chosen: argparse.Namespace) -> None:
    limits = Limits(budget=chosen.budget, seconds=chosen.seconds, megabytes=chosen.megabytes)
    state = parse_game(chosen.game)
    others = [parse_agent(text) for text in chosen.others]
    agents = entrants([*chosen.files, *others], limits, chosen.logs)
    absent = absentees(agents, chosen.out)
    for name, why in absent.items():
        print(f"note: {name} could not start: {why}; it plays no game", file=sys.stderr)
    groups = comb(len(agents) - len(absent), state.num_players)
    with progress_bar(groups * chosen.games) as progress:
        results = tournament(
            agents,
            state=state,
            games=chosen.games,
            seed=chosen.seed,
            path=chosen.out,
            workers=chosen.workers,
            budget=chosen.budget,
            seconds=chosen.seconds,
            megabytes=chosen.megabytes,
            logs=chosen.logs,
            progress=progress,
        )
    print(results)
