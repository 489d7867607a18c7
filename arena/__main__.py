"""`python -m arena`: match-ups and tournaments from the command line."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence

from arena.command import commands, tournament_command
from arena.play import study


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; return the exit status: 0, 1 after an error, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="python -m arena", description="Fair experiments with agents, and tournaments."
    )
    subparsers = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for add_parser in (
        commands.add_match,
        tournament_command.add_parser,
        commands.add_export,
        study.add_parser,
    ):
        add_parser(subparsers)
    chosen = parser.parse_args(arguments)
    with warnings.catch_warnings():
        warnings.showwarning = _say
        return _run(chosen)


def _run(chosen: argparse.Namespace) -> int:
    try:
        chosen.run(chosen)
    except (ValueError, TypeError, OSError, RuntimeError, ImportError) as error:
        _say_error(f"error: {error}", error)
        return 1
    except KeyboardInterrupt as stopped:
        _say_error("stopped", stopped)
        return 130
    return 0


def _say(message: Warning | str, *_: object, **__: object) -> None:
    print(f"note: {message}", file=sys.stderr)


def _say_error(text: str, error: BaseException) -> None:
    print("\n".join([text, *getattr(error, "__notes__", [])]), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
