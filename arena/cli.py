"""The command line, `python -m arena`: match, tournament."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from math import ceil, comb, inf
from pathlib import Path
from time import monotonic
from typing import Any

from arena.play import parsing
from arena.play.parsing import parse_agent, parse_game
from arena.play.run import match_up
from arena.play.tournament import estimate_hours, find_absent, load_entrants, tournament
from arena.results.record_file import stored_header
from arena.sandbox.containment import contained
from arena.sandbox.file_agent import BUDGET, SECONDS, Limits
from gamelib.search.callbacks import Progress
from gamelib.state import GameState

SPEC_HELP = """\
An agent is a search with its options: random, lookahead, "minimax(depth=3)",
"mcts(simulations=500, rollout=nim_sum_rollout)"; as machine code "fast(mcts)(simulations=500)".
  searches: {agents}
  values with a name: {values}
  values made by a call, as evaluate=lines_heuristic(): {makers}
A game is written like "Nim(3, 4, 5)", "TicTacToe()", "ConnectFour(rows=5)",
"TicTacToe.parse('X../.O./...')", or "OpenSpiel('breakthrough(rows=5,columns=5)')".

With --out, every game is kept when it ends. A run that was stopped, or killed, goes on
when the same command is given again.
"""
TOURNAMENT_HELP = """\
Everyone plays everyone, in every seat: agents in files, and searches beside them. --games is
for every two of them, or as many as the game has players.

A big class plays Swiss rounds instead: in each, an agent meets one who has about as many
points. --hours says how long; without it this is asked where everyone against everyone
would take more than an hour.

An agent is a file with a function agent(state) that returns an action. It plays each game in
a child process of its own. An agent that breaks a rule forfeits that game; the others play
on. A file that cannot be loaded plays no game.

This contains accidents: endless loops, too much memory, crashes, floods of text. What it
contains of attacks is said at the start: it depends on the machine.
"""
MIN_GAMES_FOR_TRIAL = 2_000  # games: so many are tried before, to see how long they take


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; return the exit status: 0, 1 after an error, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="python -m arena", description="Fair experiments with agents, and tournaments."
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for add_command in (_add_match, _add_tournament):
        add_command(commands)
    chosen = parser.parse_args(arguments)
    if isinstance(sys.stdout, TextIOWrapper):  # a name that cannot be printed must not cost a table
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: _print_lines(f"note: {message}")
            chosen.run(chosen)
        sys.stdout.flush()
    except BrokenPipeError:  # who reads has had enough, as `head` has; Python flushes once more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + 13  # as other programs end there
    except (ValueError, TypeError, OSError, RuntimeError, ImportError) as error:
        said = str(error)
        if isinstance(error, OSError) and error.filename:
            said = f"{Path(str(error.filename)).name}: {error.strerror}"
        _print_lines(f"error: {said}", *getattr(error, "__notes__", []))
        return 1
    except KeyboardInterrupt as stopped:
        _print_lines("stopped", *getattr(stopped, "__notes__", []))
        return 130
    return 0


def _print_lines(*lines: str) -> None:
    print(*lines, sep="\n", file=sys.stderr)


def _add_match(commands: Any) -> None:
    text = "play many games between the same agents, who change seats"
    parser = _add_command(commands, _match, text, epilog=_spec_help())
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="one for each player")
    _add_run_options(parser, "Nim(3, 4, 5)", games=1000)


def _add_tournament(commands: Any) -> None:
    text = "let the agents of a class play each other"
    parser = _add_command(
        commands, _tournament, text, description=TOURNAMENT_HELP, epilog=_spec_help()
    )
    add = parser.add_argument
    text = "a file, or a folder of files NAME.py"
    add("files", nargs="+", metavar="FILE", type=Path, help=text)
    text = "for each meeting (default: 20, in Swiss rounds one for each seat)"
    _add_run_options(parser, "ConnectFour()", games=None, text=text)
    parser.set_defaults(workers=None)
    text = "end after so long; Swiss rounds, if everyone against everyone would take longer"
    add("--hours", type=float, metavar="H", help=text)
    text = "a search that takes part, such as random; can be given several times"
    add("--with", dest="others", action="append", default=[], metavar="AGENT", help=text)
    text = "positions that a file may make for one move (default: %(default)s)"
    add("--budget", type=int, default=BUDGET, help=text)
    text = "for one move; a safety net, so be generous (default: %(default)g)"
    add("--seconds", type=float, default=SECONDS, help=text)
    add("--logs", metavar="FOLDER", help="keep there what agents print, and why they forfeit")


def _add_command(
    commands: Any, run: Callable[[argparse.Namespace], None], text: str, **others: str
) -> argparse.ArgumentParser:
    """Return the parser of the command that has the name of `run`; `text` says what it does."""
    parser: argparse.ArgumentParser = commands.add_parser(
        run.__name__.removeprefix("_"),
        help=text,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        **{"description": f"{text[0].upper()}{text[1:]}.", **others},
    )
    parser.set_defaults(run=run)
    return parser


def _spec_help() -> str:
    tables = {
        "agents": parsing.searches_by_name(),
        "values": parsing.values_by_name(),
        "makers": parsing.VALUE_MAKERS,
    }
    return SPEC_HELP.format(**{name: ", ".join(table) for name, table in tables.items()})


def _add_run_options(
    parser: argparse.ArgumentParser,
    game: str,
    games: int | None,
    text: str = "how many (default: %(default)s)",
) -> None:
    """Add the options of every command that plays one game many times."""
    add = parser.add_argument
    add("--game", required=True, help=f'for example "{game}"')
    add("--games", type=int, default=games, help=text)
    add("--seed", type=int, default=0, help="another one plays other games (default: %(default)s)")
    text = "begin with a few plies drawn by the seed, the same ones with each agent in each seat; "
    text += "by default where two agents draw no chance, as agents in files may not"
    add("--openings", action=argparse.BooleanOptionalAction, help=text)
    text = "processes that play (default: 1; for a tournament one for each core)"
    add("--workers", type=int, default=1, help=text)
    add("--out", metavar="FILE", help="keep the games in this file, or go on with it")
    add("--csv", metavar="FILE", help="write a table with a row for each game, too")


@contextmanager
def progress_bar(games: int) -> Iterator[Progress]:
    """Yield a progress function: a bar and the time left, in a terminal."""
    from tqdm import tqdm

    with tqdm(total=games, unit="game", disable=None, smoothing=0.1) as bar:

        def progress(share: float, newest: Any) -> None:
            done = round(share * games)
            if newest is None:  # games of an earlier run say nothing about the speed of this
                bar.initial = done
            bar.update(done - bar.n)

        yield progress


def available_cpus() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _run_options(chosen: argparse.Namespace) -> dict[str, Any]:
    names = ("games", "seed", "openings", "workers")
    return {"path": chosen.out, **{name: getattr(chosen, name) for name in names}}


def _match(chosen: argparse.Namespace) -> None:
    agents = [parse_agent(text) for text in chosen.agents]
    state = parse_game(chosen.game)
    with progress_bar(chosen.games) as progress:
        results = match_up(*agents, state=state, progress=progress, **_run_options(chosen))
    if chosen.csv:
        results.to_csv(chosen.csv)
    print(results, results.verdict, sep="\n\n")


def _tournament(chosen: argparse.Namespace) -> None:
    limits = Limits(chosen.budget, chosen.seconds)
    state = parse_game(chosen.game)
    others = [parse_agent(text) for text in chosen.others]
    agents = load_entrants([*chosen.files, *others], limits, chosen.logs)
    _print_lines(*(f"note: {sentence}" for sentence in contained()))
    absent = find_absent(agents, chosen.out)
    for name, why in absent.items():
        _print_lines(f"note: {name} could not start: {why}; it plays no game")
    chosen.workers = available_cpus() if chosen.workers is None else chosen.workers
    rounds, games = _rounds_and_games(chosen, agents, state, absent)
    end = monotonic() + 3600 * chosen.hours if chosen.hours else inf
    present, players = len(agents) - len(absent), state.num_players
    planned = (present // players * rounds if rounds else comb(present, players)) * games
    with progress_bar(planned) as progress:
        results = tournament(
            agents,
            state=state,
            rounds=rounds,
            logs=chosen.logs,
            progress=progress,
            stop=lambda: monotonic() > end,
            budget=chosen.budget,
            seconds=chosen.seconds,
            **_run_options(chosen) | {"games": games},
        )
    if chosen.out and len(results.records) < planned:
        played = f"{len(results.records):,} of {planned:,} games are played"
        _print_lines(f"note: {played}; the same command goes on from there")
    if chosen.csv:
        results.to_csv(chosen.csv)
    print(results)


def _rounds_and_games(
    chosen: argparse.Namespace, agents: Sequence[Any], state: GameState, absent: Collection[str]
) -> tuple[int | None, int]:
    """Return (Swiss rounds, or None for everyone against everyone; games for each meeting)."""
    present, players = len(agents) - len(absent), state.num_players
    games = chosen.games or 20
    everyone, meetings = comb(present, players) * games, max(1, present // players)
    each = meetings * (chosen.games or players)  # games of a round
    if known := stored_header(chosen.out):
        return known.get("rounds"), chosen.games or known["games"]
    if everyone < MIN_GAMES_FOR_TRIAL and not chosen.hours:
        return None, games
    _print_lines(
        f"note: a few of the {everyone:,} games are tried, to see how long all of them take"
    )
    hours = estimate_hours(agents, state, games, absent, chosen.workers)
    if hours > 1 and not chosen.hours:
        raise ValueError(
            f"everyone against everyone is {everyone:,} games: about {hours:.1f} hours with "
            f"--workers {chosen.workers}. Say --hours 1: then agents with like points meet, in "
            f"Swiss rounds. --hours {ceil(hours)} plays all"
        )
    if hours <= (chosen.hours or 1):
        return None, games
    return max(1, round(everyone * chosen.hours / hours / each)), chosen.games or players
