"""The file in which the games of a run are stored.

The file consists of lines of JSON, first the configuration, then a line for each game.  Each game
is written atomically when it ends, so that the same call can continue a run that was killed at any
moment.  Four times a second the operating system writes the file to the disk, in case the power
fails.
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
# the errors of a lock that another process holds, by operating system
LOCK_ERRNOS = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
# before the name of an agent, in the key for the hash of its program; stored, so never changed
DIGEST_PREFIX = "the text of "
FORMAT_HEADER = {"format": "gamelib records", "version": VERSION}  # part of the first line
REQUIRED_KEYS = {"kind", "agents", "start", "games", "seed", "openings"}  # of the first line
FORMAT_PREFIX = b'{"format":"gamelib records"'


class RecordsError(ValueError):
    """The error for a file of results that cannot be written or continued."""


def start_json(state: GameState) -> dict[str, Any]:
    """Return a position as plain data: the result of its `to_json`, or its text if it has none.

    "own" marks a game that is not gamelib's although its data have the name of such a game, such as
    a subclass that inherits `to_json`, or a student's Nim.
    """
    data = state.to_json()
    if data is None:
        data = {"game": type(state).__name__, "text": str(state)}
    game = GAMES.get(data.get("game", ""))
    return data if game in (None, type(state)) else {**data, "own": True}


class Records:
    """The games played so far, by number; `add` also writes them to the file, if there is one.

    RecordsError as soon as another program has changed or replaced that file.
    """

    def __init__(
        self, games: Mapping[int, GameRecord] | None = None, path: Path | None = None, file: int = 0
    ) -> None:
        self.games = dict(games or {})
        self._path, self._file, self._synced = path, file, monotonic()
        if path is not None:
            self._content, self._status = sha256(path.read_bytes()), os.fstat(file)

    def add(self, record: GameRecord) -> None:
        """Store a game, in the file, too."""
        self.games[record.game] = record
        if self._path is None:
            return
        self.check_exclusive()
        self._content.update(data := _line(record.to_json()))
        with naming_file(self._path):
            _write(self._file, data)
            self._status = os.fstat(self._file)
            if monotonic() - self._synced >= SYNC_SECONDS:
                os.fsync(self._file)
                self._synced = monotonic()

    def check_exclusive(self) -> None:
        """Raise a RecordsError unless the file has only the content that this run read or wrote."""
        if self._path is None:
            return
        try:
            old, new = self._status, os.stat(self._path)
            moved = not os.path.samestat(new, old)
            touched = (new.st_size, new.st_ctime_ns) != (old.st_size, old.st_ctime_ns)
            same = not touched or sha256(self._path.read_bytes()).digest() == self._content.digest()
        except OSError:
            moved = True
        if moved or not same:
            raise RecordsError(
                f"path: another program, perhaps an agent, has changed or removed "
                f"{self._path.name} during this run. Do not use this file; name another file and "
                "play again"
            )

    def sorted_games(self) -> tuple[GameRecord, ...]:
        """Return the games by their numbers."""
        return tuple(self.games[game] for game in sorted(self.games))


@contextmanager
def open_records(path: PathLike | None, header: Header, state: GameState) -> Iterator[Records]:
    """Yield the records at `path`, ready for more games; without a path they are not stored.

    An existing file is continued if its results follow from the actions by the rules.  RecordsError
    if it has another configuration, is damaged, is in use by another run, or cannot be written.
    """
    if path is None:
        yield Records()
        return
    path = Path(path)
    if " at 0x" in (text := str(header["start"].get("text"))):  # an address in memory
        raise RecordsError(
            f"path: games from {text} cannot be stored, because a later run could not recognize "
            "this position; give its class a __repr__, as a dataclass has, or to_json"
        )
    if path.exists() and not (path.is_file() or path.is_dir()):  # opening a folder fails below
        raise RecordsError(f"path: {path.name} is not a file; name a file for the results")
    file = _open(path)
    try:
        records = Records(_reload(path, file, header, state), path, file)
        yield records
        with naming_file(path):
            os.fsync(file)
        records.check_exclusive()
    finally:
        os.close(file)  # this also releases the lock


@contextmanager
def naming_file(path: Path) -> Iterator[None]:
    """Let an OSError, such as that of a full disk, name the file that cannot be written."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def stored_header(path: PathLike | None) -> Header:
    """Return the first line of a file of results; an empty dict if there is none."""
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
                f"{path.name} cannot be locked, because its file system has no locks "
                f"({error.strerror}); make sure that no other run writes to it at the same time",
                stacklevel=2,
            )
            return file
        os.close(file)
        raise RecordsError(
            f"path: another run is writing to {path.name}; wait for it to end, or name another file"
        ) from error
    return file


def _lock(file: int) -> None:
    """Lock the file for this process, until it ends; OSError if another process has the lock."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(file, 1 << 40, os.SEEK_SET)  # far behind the end, so that others can read the file
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    elif sys.platform != "emscripten":  # a browser has no other process, and no locks
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _reload(path: Path, file: int, expected: Header, state: GameState) -> dict[int, GameRecord]:
    """Return the stored games, which are played again; the configuration must be as expected.

    An incomplete last line is dropped.  If the file is empty, the configuration is written.
    """
    header: Header | None = None
    games: dict[int, GameRecord] = {}
    good, lines = 0, path.read_bytes().splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        data = _loads(line)
        # A file of another format must not lose its only line.
        is_ours = header or FORMAT_PREFIX.startswith(line[: len(FORMAT_PREFIX)])
        if data is None and number == len(lines) and is_ours:
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
                    raise ValueError(f"game {record.game} appears twice")
        except RecordsError:
            raise
        except (ValueError, TypeError, KeyError) as error:
            raise _damaged_error(path.name, number, error) from error
        good += len(line)
    if header is None:
        with naming_file(path):
            _write(file, _line(expected))
            os.fsync(file)
    else:
        _check_games(path.name, games, header, state)
    return games


def _line(data: Mapping[str, Any]) -> bytes:
    # NaN is not allowed, because other programs cannot read it as JSON.
    return json.dumps(data, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _write(file: int, data: bytes) -> None:
    while data:  # a full disk may accept a part of it before the error
        data = data[os.write(file, data) :]


def _header(data: Header | None) -> Header:
    if (
        data is None
        or not FORMAT_HEADER.items() <= data.items()
        or not data.keys() >= REQUIRED_KEYS
    ):
        raise ValueError(f"this is not a file of results of gamelib, version {VERSION}")
    return data


def _record(data: dict[str, Any] | None, state: GameState) -> GameRecord:
    if data is None:
        raise ValueError("this is not a line of JSON")
    record = GameRecord.from_json(data)
    check_utilities(record, state)
    _check_measured(record)
    return record


def _loads(line: bytes) -> dict[str, Any] | None:
    """Return the data of a complete line; None for an incomplete one."""
    try:
        data = json.loads(line, parse_constant=_refuse) if line.endswith(b"\n") else None
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _check_same(name: str, stored: Header, header: Header) -> None:
    header = json.loads(json.dumps(header))  # as from a file, in which tuples are lists
    for key in [*header, *stored]:
        if stored.get(key) != header.get(key):
            raise RecordsError(
                f"path: {name} has the results of another configuration: "
                f"{_difference(key, stored.get(key), header.get(key))}; name another file"
            )


def _difference(key: str, stored: object, new: object) -> str:
    """Describe the difference between a stored value and the new one."""
    if isinstance(stored, dict) and isinstance(new, dict):
        name = next(name for name in [*new, *stored] if stored.get(name) != new.get(name))
        return f"{key}: {_difference(name, stored.get(name), new.get(name))}"
    if isinstance(stored, list) and isinstance(new, list):  # of perhaps 120 agents
        removed = [item for item in stored if item not in new]
        added = [item for item in new if item not in stored]
        if removed or added:
            return f"{key}: only in the file {removed}, only now {added}"
    if key.startswith(DIGEST_PREFIX) and stored and new:
        return f"{key} has changed"
    return f"{key} is {stored!r} in the file, {new!r} now"


def _check_games(
    name: str, games: Mapping[int, GameRecord], header: Header, state: GameState
) -> None:
    jobs = {job.game: job for job in Schedule(header, state).jobs(games)}
    for line, (game, record) in enumerate(games.items(), 2):
        job = jobs.get(game)
        opening = job and tuple(map(to_json_action, job.opening))
        if not job or (job.seats, job.seed, opening) != (record.seats, record.seed, record.opening):
            raise _damaged_error(name, line, f"game {game} is not one of this run")


def _damaged_error(name: str, line: int, reason: object) -> RecordsError:
    remedy = "remove that line, so that its game is played again, or " if line > 1 else ""
    damage = f"path: line {line} of {name} is damaged: {reason}"
    return RecordsError(f"{damage}; {remedy}name another file")


# --- the checks of stored games, which are accepted if they follow from the rules ---


def _check_measured(record: GameRecord) -> None:
    """Raise a ValueError unless each player has the measured numbers, which no rule can confirm."""
    counts = [number for counts in record.counts for number in counts.values()]
    measured: list[object] = [*counts, *record.seconds, *record.cpu]
    if not len(record.seconds) == len(record.cpu) == len(record.seats) or not all(
        is_number(number) and isfinite(number) for number in measured
    ):
        raise ValueError(f"game {record.game} does not have one entry for each of its players")


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
            raise ValueError(f"game {record.game}: {stored!r} is not a legal action at ply {ply}")
        if state.current_player == CHANCE:
            if action != draw_outcome(state, dice):
                reason = f"its seed does not roll {stored!r} at ply {ply}"
                raise ValueError(f"game {record.game}: {reason}")
        elif ply > len(record.opening):
            moves[state.current_player] += 1
        state = state.successor(action)
    expected = _payoffs(record, state)
    if record.utilities != expected:
        raise ValueError(
            f"game {record.game}: its payoffs are {record.utilities}, by the rules {expected}"
        )
    counted = [counts.get("moves") for counts in record.counts]
    if counted != moves:
        raise ValueError(f"game {record.game} counts {counted} moves, but there were {moves}")


def _payoffs(record: GameRecord, end: GameState) -> tuple[float, ...]:
    """Return the payoffs by the rules; ValueError for a game that cannot have ended like this."""
    forfeit = record.forfeit
    if forfeit is None:
        if not end.is_terminal():
            raise ValueError(f"game {record.game} is not over after ply {len(record.actions)}")
        return end.utilities()
    if not (isinstance(forfeit.reason, str) and forfeit.reason.strip()):
        raise ValueError(f"game {record.game}: {forfeit.reason!r} is not a reason to forfeit")
    # Before the first move any player may fail to start; later only the player to move can forfeit.
    started = len(record.actions) > len(record.opening)
    possible = [end.current_player] if started else range(end.num_players)
    if end.is_terminal() or forfeit.player not in possible:
        raise ValueError(f"game {record.game}: player {forfeit.player} cannot have forfeited there")
    return forfeit_utilities(forfeit.player, end.num_players)
