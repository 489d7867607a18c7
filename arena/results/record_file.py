"""The file that keeps the games of a run.

The file is JSON lines: the configuration first, then a game to a line.  Each game is written in one
go when it ends, so that a run that was killed at any moment is gone on with by the same call.  The
operating system has it then; it is forced to the disk four times a second, for the case that the
power fails.
"""

from __future__ import annotations

import errno
import json
import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from math import isfinite
from pathlib import Path
from time import monotonic
from typing import Any

from arena.results.game_records import GameRecord, forfeit_utilities, to_json_action
from arena.results.schedule import Schedule, dice_rng
from gamelib.games import GAMES
from gamelib.state import CHANCE, GameState, draw_outcome, is_number

Header = dict[str, Any]
PathLike = str | os.PathLike[str]
VERSION = 2
SYNC_SECONDS = 0.25
# what a lock that is held says, by system
LOCK_ERRNOS = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
# an agent, and the hash of its program: so a header names what changed
DIGEST_PREFIX = "the text of "
FORMAT_HEADER = {"format": "gamelib records", "version": VERSION}  # of the first line
REQUIRED_KEYS = {"kind", "agents", "start", "games", "seed", "openings"}  # there, too
FORMAT_PREFIX = b'{"format":"gamelib records"'


class RecordsError(ValueError):
    """A file of results that cannot be written, or be gone on with."""


def start_json(state: GameState) -> dict[str, Any]:
    """Return a position as plain data: what its `to_json` makes, or its text where it has none.

    "own" marks a game that is not gamelib's, and says in its data that it is: as a subclass does
    that inherits `to_json`, or a student's own Nim.
    """
    data = state.to_json()
    if data is None:
        data = {"game": type(state).__name__, "text": str(state)}
    named = GAMES.get(data.get("game", ""))
    return data if named in (None, type(state)) else {**data, "own": True}


class Records:
    """The games played so far, by number; `add` also writes them to the file, if there is one.

    RecordsError as soon as somebody else has written to that file, or put another in its place.
    """

    def __init__(
        self, games: Mapping[int, GameRecord] | None = None, path: Path | None = None, file: int = 0
    ) -> None:
        self.games = dict(games or {})
        self._path, self._file, self._synced = path, file, monotonic()
        if path is not None:
            self._content, self._seen = sha256(path.read_bytes()), os.fstat(file)

    def add(self, record: GameRecord) -> None:
        """Keep a game, durably."""
        self.games[record.game] = record
        if self._path is None:
            return
        self.check_exclusive()
        self._content.update(data := _line(record.to_json()))
        _write(self._file, data)
        self._seen = os.fstat(self._file)
        if monotonic() - self._synced >= SYNC_SECONDS:
            os.fsync(self._file)
            self._synced = monotonic()

    def check_exclusive(self) -> None:
        """Raise a RecordsError unless the file holds what this run has found and written there."""
        if self._path is None:
            return
        try:
            now = os.stat(self._path)
            moved = not os.path.samestat(now, self._seen)
            touched = (now.st_size, now.st_ctime_ns) != (self._seen.st_size, self._seen.st_ctime_ns)
            same = not touched or sha256(self._path.read_bytes()).digest() == self._content.digest()
        except OSError:
            moved = True
        if moved or not same:
            raise RecordsError(
                f"path: another program has changed {self._path.name} during this run, or taken it "
                "away; an agent may have. Do not use the file: name another one and play again"
            )

    def sorted_games(self) -> tuple[GameRecord, ...]:
        """Return the games by their numbers."""
        return tuple(self.games[game] for game in sorted(self.games))


@contextmanager
def open_records(path: PathLike | None, header: Header, state: GameState) -> Iterator[Records]:
    """Yield the records at `path`, ready for more games; without a path they are not kept.

    A file that exists is gone on with, if its games follow from their actions by the rules.
    RecordsError if it is of another configuration, damaged, or in use by another run, and if it
    cannot be written.
    """
    if path is None:
        yield Records()
        return
    path = Path(path)
    if " at 0x" in (text := str(header["start"].get("text"))):  # its place in memory
        raise RecordsError(
            f"path: games cannot be kept that start from {text}, for no later run could tell that "
            "it is this position; give its class a __repr__, as a dataclass has, or to_json"
        )
    if path.exists() and not (path.is_file() or path.is_dir()):  # a folder is refused as it opens
        raise RecordsError(f"path: {path.name} is no file; results are kept in a file")
    file = _open(path)
    try:
        records = Records(_reload(path, file, header, state), path, file)
        yield records
        os.fsync(file)
        records.check_exclusive()
    finally:
        os.close(file)  # this also gives up the lock


def stored_header(path: PathLike | None) -> Header:
    """Return the first line of a file of results; nothing where there is none."""
    if path is None or not Path(path).is_file():
        return {}
    with suppress(ValueError), open(path, "rb") as file:
        return _header(_loads(file.readline()))
    return {}


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    try:
        file = os.open(path, flags, 0o666)
    except OSError as error:
        raise RecordsError(
            f"path: cannot write results to {path.name} in the folder {path.parent.name or '.'}: "
            f"{error.strerror}"
        ) from error
    try:
        _lock(file)
    except OSError as error:
        if error.errno not in LOCK_ERRNOS:
            warnings.warn(
                f"nothing keeps a second run from writing to {path.name} at the same time, since "
                f"its file system has no locks ({error.strerror})",
                stacklevel=2,
            )
            return file
        os.close(file)
        raise RecordsError(
            f"path: another run is writing to {path.name}; wait for it to end, or name another file"
        ) from error
    return file


def _lock(file: int) -> None:
    """Lock the file for this process, or raise an OSError; a process that ends gives it up."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(file, 1 << 40, os.SEEK_SET)  # far behind the end: others can read what is written
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    elif sys.platform != "emscripten":  # a browser has no second process, and no locks
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _reload(path: Path, file: int, expected: Header, state: GameState) -> dict[int, GameRecord]:
    """Return the stored games, played again; their configuration must be the expected one.

    A last line that is torn is left out; where there is none at all, the configuration is written.
    """
    header: Header | None = None
    games: dict[int, GameRecord] = {}
    good, lines = 0, path.read_bytes().splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        data = _loads(line)
        # A file of something else must not lose its only line.
        ours = header or FORMAT_PREFIX.startswith(line[: len(FORMAT_PREFIX)])
        if data is None and number == len(lines) and ours:
            text = f"the last line of {path.name} was cut short and is dropped"
            warnings.warn(f"{text}; its game is played again", stacklevel=2)
            os.ftruncate(file, good)
            break
        try:
            if header is None:
                _check_same(path.name, header := _header(data), expected)
            else:
                record = _record(data, state)
                if games.setdefault(record.game, record) is not record:
                    raise ValueError(f"game {record.game} is there twice")
        except RecordsError:
            raise
        except (ValueError, TypeError, KeyError) as error:
            raise _damaged_error(path.name, number, error) from error
        good += len(line)
    if header is None:
        _write(file, _line(expected))
        os.fsync(file)
    else:
        _check_games(path.name, games, header, state)
    return games


def _line(data: Mapping[str, Any]) -> bytes:
    # NaN is no JSON: other programs could not read the file.
    return json.dumps(data, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _write(file: int, data: bytes) -> None:
    while data:  # a full disk may take a part, and then says so
        data = data[os.write(file, data) :]


def _header(data: Header | None) -> Header:
    if (
        data is None
        or not FORMAT_HEADER.items() <= data.items()
        or not data.keys() >= REQUIRED_KEYS
    ):
        raise ValueError(f"these are not results of gamelib, version {VERSION}")
    return data


def _record(data: dict[str, Any] | None, state: GameState) -> GameRecord:
    if data is None:
        raise ValueError("not a line of JSON")
    record = GameRecord.from_json(data)
    check_utilities(record, state)
    _check_measured(record)
    return record


def _loads(line: bytes) -> dict[str, Any] | None:
    """Return the data of a whole line; None if it is torn."""
    try:
        data = json.loads(line, parse_constant=_refuse) if line.endswith(b"\n") else None
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _check_same(name: str, known: Header, header: Header) -> None:
    header = json.loads(json.dumps(header))  # as it comes back from a file: tuples are lists there
    for key in [*header, *known]:
        if known.get(key) != header.get(key):
            raise RecordsError(
                f"path: {name} holds results of another configuration: "
                f"{_difference(key, known.get(key), header.get(key))}; name another file"
            )


def _difference(key: str, known: object, new: object) -> str:
    """Return in words how what a file says differs from what is asked for now."""
    if isinstance(known, dict) and isinstance(new, dict):
        name = next(name for name in [*new, *known] if known.get(name) != new.get(name))
        return f"{key}: {_difference(name, known.get(name), new.get(name))}"
    if isinstance(known, list) and isinstance(new, list):  # of perhaps 120 agents
        gone, added = ([one for one in a if one not in b] for a, b in ((known, new), (new, known)))
        if gone or added:
            return f"{key}: only there {gone}, only here {added}"
    if key.startswith(DIGEST_PREFIX) and known and new:
        return f"{key} has changed since"
    return f"{key} is {known!r} there, {new!r} here"


def _check_games(
    name: str, games: Mapping[int, GameRecord], header: Header, state: GameState
) -> None:
    jobs = {job.game: job for job in Schedule(header, state).jobs(games)}
    for line, (game, record) in enumerate(games.items(), 2):
        job = jobs.get(game)
        begun = job and tuple(map(to_json_action, job.opening))
        if not job or (job.seats, job.seed, begun) != (record.seats, record.seed, record.opening):
            raise _damaged_error(name, line, f"game {game} is not one of this run")


def _damaged_error(name: str, line: int, why: object) -> RecordsError:
    remedy = "remove that line and its game is played again, or " if line > 1 else ""
    return RecordsError(f"path: line {line} of {name} is damaged: {why}; {remedy}name another file")


# --- games are believed as far as the rules bear them out ---


def _check_measured(record: GameRecord) -> None:
    """Raise a ValueError unless there are numbers for each player of what no rules can tell."""
    counts = [number for counts in record.counts for number in counts.values()]
    measured: list[object] = [*counts, *record.seconds, *record.cpu]
    if not len(record.seconds) == len(record.cpu) == len(record.seats) or not all(
        is_number(number) and isfinite(number) for number in measured
    ):
        raise ValueError(f"game {record.game} has not one entry for each of its players")


def check_utilities(record: GameRecord, state: GameState) -> None:
    """Raise a ValueError unless the payoffs of a game follow from its actions, by the rules."""
    if record.actions[: len(record.opening)] != record.opening:
        raise ValueError(f"game {record.game} does not begin with its opening")
    moves, dice = [0] * state.num_players, dice_rng(record.seed)
    for ply, stored in enumerate(record.actions, 1):
        legal = state.legal_actions()
        action = (
            stored
            if stored in legal
            else next((a for a in legal if to_json_action(a) == stored), None)
        )
        if action not in legal:
            raise ValueError(f"game {record.game}: {stored!r} is no legal action at ply {ply}")
        if state.current_player == CHANCE:
            if action != draw_outcome(state, dice):
                rolled = f"its seed does not roll {stored!r} at ply {ply}"
                raise ValueError(f"game {record.game}: {rolled}")
        elif ply > len(record.opening):
            moves[state.current_player] += 1
        state = state.successor(action)
    due = _payoffs(record, state)
    if record.utilities != due:
        raise ValueError(
            f"game {record.game}: its payoffs are {record.utilities}, by the rules {due}"
        )
    counted = [counts.get("moves") for counts in record.counts]
    if counted != moves:
        raise ValueError(f"game {record.game} counts {counted} moves; there were {moves}")


def _payoffs(record: GameRecord, end: GameState) -> tuple[float, ...]:
    """Return the payoffs by the rules; ValueError for a game that could not end like this."""
    forfeit = record.forfeit
    if forfeit is None:
        if not end.is_terminal():
            raise ValueError(f"game {record.game} is not over after ply {len(record.actions)}")
        return end.utilities()
    if not (isinstance(forfeit.reason, str) and forfeit.reason.strip()):
        raise ValueError(f"game {record.game}: {forfeit.reason!r} is no reason to forfeit")
    # Before the first move anybody may fail to start; later only who is to move can break a rule.
    started = len(record.actions) > len(record.opening)
    might = [end.current_player] if started else range(end.num_players)
    if end.is_terminal() or forfeit.player not in might:
        raise ValueError(f"game {record.game}: player {forfeit.player} cannot have forfeited there")
    return forfeit_utilities(forfeit.player, end.num_players)
