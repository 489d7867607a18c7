"""The command line `python -m arena`, with the commands match and tournament."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from io import TextIOWrapper
from math import ceil, comb, inf
from pathlib import Path
from time import monotonic
from typing import Any

from arena.play import parsing
from arena.play.executors import ExecutorPool
from arena.play.parsing import parse_agent, parse_game
from arena.play.run import match_up
from arena.play.tournament import estimate_hours, find_absent, load_entrants, tournament
from arena.play.worker_pool import WorkerPool
from arena.progress_line import progress_line
from arena.results.record_file import stored_header
from arena.sandbox.containment import contained
from arena.sandbox.file_agent import BUDGET, SECONDS, Limits
from gamelib.search.callbacks import Progress
from gamelib.state import GameState

SPEC_HELP = """\
An agent is a search with its options: random, lookahead, "minimax(depth=3)",
"mcts(simulations=500, rollout=nim_sum_rollout)"; compiled, "fast(mcts)(simulations=500)".
  searches: {agents}
  values with a name: {values}
  values from a call, as in evaluate=lines_heuristic(): {makers}
A game is written like "Nim(3, 4, 5)", "TicTacToe()", "ConnectFour(rows=5)",
"TicTacToe.parse('X../.O./...')", or "OpenSpiel('breakthrough(rows=5,columns=5)')".

With --out, every game is stored when it ends. A run that was stopped, or killed,
continues when you give the same command again.
"""
TOURNAMENT_HELP = """\
Every agent plays every other agent, in every seat. Agents are files, and searches that you
add. --games is the number of games for every two agents, or for as many as the game has
players.

A big class plays Swiss rounds instead, in which an agent meets another with about the same
number of points. --hours limits the time; it is required if everyone against everyone would
take more than an hour.

An agent is a file with a function agent(state) that returns an action. It plays each game in
a separate process. An agent that breaks a rule forfeits that game, and the others continue.
A file that cannot be loaded plays no game.

This protects against accidents: endless loops, too much memory, crashes, floods of text. The
protection against attacks depends on the machine, and is described at the start.
"""
MIN_GAMES_FOR_TRIAL = 2_000  # from which a few games are played first, to estimate the time


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return the exit status: 0, 1 after an error, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="python -m arena", description="Fair experiments with agents, and tournaments."
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for add_command in (_add_match, _add_tournament):
        add_command(commands)
    chosen = parser.parse_args(arguments)
    if isinstance(sys.stdout, TextIOWrapper):  # so that any name in a table can be printed
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: _print_lines(f"note: {message}")
            chosen.run(chosen)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has closed the pipe, as `head` does; Python flushes again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + 13  # the exit status of other programs in this case
    except (ValueError, TypeError, OSError, RuntimeError, ImportError) as error:
        message = str(error)
        if isinstance(error, OSError) and error.filename:
            message = f"{Path(str(error.filename)).name}: {error.strerror}"
        _print_lines(f"error: {message}", *getattr(error, "__notes__", []))
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
    text = "end after H hours; play Swiss rounds if everyone against everyone would take longer"
    add("--hours", type=float, metavar="H", help=text)
    text = "a search that takes part, such as random; can be given several times"
    add("--with", dest="others", action="append", default=[], metavar="AGENT", help=text)
    text = "positions that a file may generate for one move (default: %(default)s)"
    add("--budget", type=int, default=BUDGET, help=text)
    text = "time limit for one move; a safety net, so be generous (default: %(default)g)"
    add("--seconds", type=float, default=SECONDS, help=text)
    add("--logs", metavar="FOLDER", help="store here what agents print, and why they forfeit")


def _add_command(
    commands: Any, run: Callable[[argparse.Namespace], None], text: str, **others: str
) -> argparse.ArgumentParser:
    """Return the parser of the command that is called like `run`, with `text` as its help."""
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
    add("--seed", type=int, default=0, help="another seed plays other games (default: %(default)s)")
    text = "begin with a few plies drawn by the seed, the same ones with each agent in each seat; "
    text += "by default if two agents may be deterministic, as agents in files may be"
    add("--openings", action=argparse.BooleanOptionalAction, help=text)
    text = "processes that play (default: 1; for a tournament one for each core)"
    add("--workers", type=int, default=1, help=text)
    add_cluster_option(parser)
    add("--out", metavar="FILE", help="store the games in this file, or continue its run")
    add("--csv", metavar="FILE", help="write a table with a row for each game, too")


def add_cluster_option(parser: argparse.ArgumentParser) -> None:
    """Add the option --cluster, which `open_executor` reads."""
    text = "use the workers of this dask scheduler, such as tcp://host:8786, not this machine's"
    parser.add_argument("--cluster", metavar="ADDRESS", help=text)


@contextmanager
def open_executor(address: str | None) -> Iterator[Executor | None]:
    """Yield an executor of the cluster at an address; None if there is no address."""
    if address is None:
        yield None
        return
    from arena.play.cluster import ClusterExecutor

    with ClusterExecutor(address) as executor:
        if number := executor.num_workers:
            workers = "1 worker" if number == 1 else f"{number} workers"
            _print_lines(f"note: the work is shared among {workers} at {address}")
        yield executor


@contextmanager
def show_progress(games: int) -> Iterator[Progress]:
    """Yield a progress function that shows the games played and the time left in a terminal."""
    with progress_line(games, "games") as update:

        def progress(fraction: float, newest: Any) -> None:
            update(round(fraction * games), newest is None)  # None: games of an earlier run

        yield progress


def available_cpus() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _run_options(chosen: argparse.Namespace) -> dict[str, Any]:
    names = ("games", "seed", "openings", "workers")
    return {"path": chosen.out, **{name: getattr(chosen, name) for name in names}}


def _match(chosen: argparse.Namespace) -> None:
    agents = [parse_agent(text) for text in chosen.agents]
    state = parse_game(chosen.game)
    with open_executor(chosen.cluster) as executor, show_progress(chosen.games) as progress:
        results = match_up(
            *agents, state=state, progress=progress, executor=executor, **_run_options(chosen)
        )
    if chosen.csv:
        results.to_csv(chosen.csv)
    print(results, results.verdict, sep="\n\n")


def _tournament(chosen: argparse.Namespace) -> None:
    with open_executor(chosen.cluster) as executor:
        _play_tournament(chosen, executor)


def _play_tournament(chosen: argparse.Namespace, executor: Executor | None) -> None:
    limits = Limits(chosen.budget, chosen.seconds)
    state = parse_game(chosen.game)
    others = [parse_agent(text) for text in chosen.others]
    agents = load_entrants([*chosen.files, *others], limits, chosen.logs)
    _print_lines(*(f"note: {sentence}" for sentence in contained()))
    absent = find_absent(agents, chosen.out)
    for name, reason in absent.items():
        _print_lines(f"note: {name} could not start: {reason}; it plays no game")
    chosen.workers = available_cpus() if chosen.workers is None else chosen.workers
    rounds, games = _rounds_and_games(chosen, agents, state, absent, executor)
    end = monotonic() + 3600 * chosen.hours if chosen.hours else inf
    present, players = len(agents) - len(absent), state.num_players
    planned = (present // players * rounds if rounds else comb(present, players)) * games
    with show_progress(planned) as progress:
        results = tournament(
            agents,
            state=state,
            rounds=rounds,
            logs=chosen.logs,
            progress=progress,
            stop=lambda: monotonic() > end,
            executor=executor,
            budget=chosen.budget,
            seconds=chosen.seconds,
            **_run_options(chosen) | {"games": games},
        )
    if chosen.out and len(results.records) < planned:
        played = f"{len(results.records):,} of {planned:,} games are played"
        _print_lines(f"note: {played}; give the same command again to play the rest")
    if chosen.csv:
        results.to_csv(chosen.csv)
    print(results)


def _rounds_and_games(
    chosen: argparse.Namespace,
    agents: Sequence[Any],
    state: GameState,
    absent: Collection[str],
    executor: Executor | None,
) -> tuple[int | None, int]:
    """Return the Swiss rounds, or None for everyone against everyone, and the games per meeting."""
    present, players = len(agents) - len(absent), state.num_players
    games = chosen.games or 20
    everyone, meetings = comb(present, players) * games, max(1, present // players)
    games_per_round = meetings * (chosen.games or players)
    if header := stored_header(chosen.out):
        return header.get("rounds"), chosen.games or header["games"]
    if everyone < MIN_GAMES_FOR_TRIAL and not chosen.hours:
        return None, games
    _print_lines(
        f"note: a few of the {everyone:,} games are played first, to estimate the time of all"
    )
    pool = ExecutorPool(executor, agents) if executor else WorkerPool(chosen.workers)
    hours = estimate_hours(agents, state, games, absent, pool)
    if hours > 1 and not chosen.hours:
        where = "this cluster" if chosen.cluster else f"--workers {chosen.workers}"
        raise ValueError(
            f"everyone against everyone takes about {hours:.1f} hours with {where}, because these "
            f"are {everyone:,} games. Give --hours 1 for Swiss rounds, in which agents with "
            f"similar points meet, or --hours {ceil(hours)} for all"
        )
    if hours <= (chosen.hours or 1):
        return None, games
    rounds = max(1, round(everyone * chosen.hours / hours / games_per_round))
    return rounds, chosen.games or players
