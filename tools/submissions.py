"""Find the notebooks that students handed in: folders, archives, a learning platform's download.

ada/02_minimax.ipynb                    a folder for each student (also below a folder)
02_minimax_ada.ipynb                    one folder for all
ada.zip                                 an archive for each student, or one for the class
Ada Lovelace_4711_assignsubmission_file_/02_minimax.ipynb        as Moodle names them
lovelaceada_LATE_13_346_02_minimax-1.ipynb                       as Canvas does
submission_99123/02_minimax.ipynb                                as Gradescope does

The outermost folder, archive or file says who the student is, because the platform has named it.
All names inside it are the student's choice, so they identify nobody, and what they cost is charged
to this one hand-in: each has its own budget of bytes, files and nested archives.  Every hand-in has
a `Submission`, even if nothing in it can be read.  Names are made printable.
"""

import os
import re
import stat
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import cache, partial
from io import BytesIO
from math import inf
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).parents[1]
MAX_BYTES = 25 * 2**20  # bytes that are read of a hand-in, after unpacking
MAX_FILES = 5_000  # files of a hand-in
MAX_NESTED_ARCHIVES = 2  # archives inside each other that are opened, counted from the hand-in
MAX_PATH_CHARS = 1_000  # characters of a path inside a hand-in
MAX_NAME_CHARS = 100  # characters that are kept of the name of a hand-in
MAX_DIRECTORY_BYTES = 2 * 2**20  # bytes of an archive's list of its files
PEEK_BYTES = 100  # bytes that are read of a file that is neither a notebook nor an archive
MOODLE_SUFFIX = re.compile(r"_assignsubmission_\w*?_+")
CANVAS_PREFIX = re.compile(r"^([^\W_]+)(?:_LATE)?_\d+_\d+_")  # the student; then two numbers
PLATFORM_NAME = re.compile(rf"{MOODLE_SUFFIX.pattern}|{CANVAS_PREFIX.pattern}|^submission_\d+$")
HIDDEN = (".", "__MACOSX")
# What the names of a copy or of a second download have besides.
COPY_SUFFIX = re.compile(r"(?i)[\s_-]*(\(\d+\)|copy\s*\d*|kopie\s*\d*)")
UNNAMED_STUDENT = "(nobody named)"
READABLE_COMPRESSION = (
    zipfile.ZIP_STORED,
    zipfile.ZIP_DEFLATED,
)  # the others unpack without a limit
# Neither follows a link nor waits for a pipe; Windows has neither flag.
NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
UNREADABLE_MESSAGE = "The file is too large, or a link, or it cannot be read."
TOO_MANY_FILES_MESSAGE = f"It holds more than {MAX_FILES:,} files. The rest was not read."
LONG_PATH_MESSAGE = f"A path in it is longer than {MAX_PATH_CHARS:,} characters."
EMPTY_MESSAGE = "The archive is empty."
BROKEN_MESSAGE = "It cannot be read to its end ({error})."

Parts = tuple[str, ...]


@dataclass(frozen=True)
class Submission:
    """A file that a student handed in.

    student   by whom, as the outermost folder, archive or file says
    notebook  of the course, like "02_minimax"; "" if the name says none of them
    file      its path below the folder or archive that was read; for an archive inside, its name
              comes first
    content   its bytes; None if they were not read
    problem   why they were not read; "" if they were
    hand_in   the name of the outermost folder, archive or file, as the platform gave it
    """

    student: str
    notebook: str
    file: str
    content: bytes | None
    problem: str = ""
    hand_in: str = ""


@dataclass(frozen=True)
class _Entry:
    """A file, by the parts of its path; `read` returns at most so many bytes, or raises."""

    parts: Parts
    read: Callable[[int], bytes]


@cache
def notebook_names() -> list[str]:
    """Return the names of the course's notebooks."""
    return sorted(path.stem for path in (ROOT / "notebooks").glob("[0-9]*.ipynb"))


def find_submissions(path: Path) -> list[Submission]:
    """Return what a folder or an archive holds, by student, notebook and name of file.

    Files that are not notebooks are left out, except for those of a student without a notebook,
    and those that say why something was not read.
    ValueError for a path that is neither a folder nor an archive.
    """
    path = _only_archive(path) or path
    if path.is_dir():
        opened: Any = nullcontext(path)
        list_entries: Callable[[Any], Iterator[_Entry]] = _folder_entries
    elif zipfile.is_zipfile(path):
        opened, list_entries = zipfile.ZipFile(path), _archive_entries
    else:
        raise ValueError(f"{path} is neither a folder nor a zip archive")
    with opened as source:
        hand_ins = list(_hand_ins(list(list_entries(source)), ()))
        found = [each for hand_in in hand_ins for each in hand_in.submissions()]
    notebooks = [each for each in found if each.file.endswith(".ipynb")]
    known = {each.student for each in notebooks}
    others = [each for each in found if each not in notebooks]
    told = [each for each in others if each.problem or each.student not in known]
    found = notebooks + [each for each in told if each.student != UNNAMED_STUDENT]
    return sorted(found, key=lambda each: (each.student, each.notebook, each.file))


# --- whose it is ---


def _only_archive(folder: Path) -> Path | None:
    """Return the archive of a class that is the only thing in a folder, as it was downloaded."""
    visible = [path for path in folder.glob("*") if not path.name.startswith(HIDDEN)]
    if len(visible) != 1 or not zipfile.is_zipfile(visible[0]):
        return None
    with suppress(zipfile.BadZipFile), zipfile.ZipFile(visible[0]) as archive:
        names = {entry.parts[0] for entry in _archive_entries(archive)}
        return visible[0] if names and all(map(_is_of_platform, names)) else None
    return None


def _hand_ins(entries: Sequence[_Entry], above: Parts) -> Iterator["_HandIn"]:
    """Yield the hand-ins below some folders of the class.

    A folder is the class's if it is named as a notebook, or if the platform has named all that it
    holds, and this is so for all its neighbours.  So no single student can make a folder look so.
    """
    depth = len(above)
    groups: dict[str, list[_Entry]] = {}
    for entry in entries:
        groups.setdefault(entry.parts[depth], []).append(entry)
    folders = {
        name: {entry.parts[depth + 1] for entry in group}
        for name, group in groups.items()
        if all(len(entry.parts) > depth + 1 for entry in group)
    }
    of_class = bool(folders) and all(
        name in notebook_names() or all(map(_is_of_platform, inside))
        for name, inside in folders.items()
    )
    for name, group in groups.items():
        if of_class and name in folders:
            yield from _hand_ins(group, (*above, name))
        else:
            yield _HandIn((*above, name), group)


def _is_of_platform(name: str) -> bool:
    return bool(PLATFORM_NAME.search(name[:MAX_NAME_CHARS]))


def _student_in_name(name: str, *, is_file: bool) -> str:
    """Return the student that the name of a hand-in says: all but the notebook's name."""
    named, *rest = MOODLE_SUFFIX.split(name)
    if rest:
        return named
    if not is_file and not name.lower().endswith(".zip"):
        return name
    stem = PurePosixPath(name).stem
    if canvas := CANVAS_PREFIX.match(stem):
        return canvas[1]
    notebook = next((known for known in notebook_names() if known in stem), "")
    return COPY_SUFFIX.sub("", stem.replace(notebook, "")).strip(" _-.")


# --- what is in it ---


class _HandInError(Exception):
    """What ends the reading of a hand-in; says why."""


class _HandIn:
    """What came in one folder, archive or file that the platform has named, and its budget.

    top      its path below what was given: the folders of the class, then its own name
    entries  its files
    """

    def __init__(self, top: Parts, entries: Sequence[_Entry]) -> None:
        self.top, self.entries, self.name = top, entries, printable(top[-1])
        name = printable(top[-1])[:MAX_NAME_CHARS]
        is_file = all(len(entry.parts) == len(top) for entry in entries)
        self.student = _student_in_name(name, is_file=is_file) or UNNAMED_STUDENT
        self.bytes_left, self.files_left = MAX_BYTES, MAX_FILES

    def submissions(self) -> list[Submission]:
        """Return its files; whatever is wrong with it ends its reading, and no other's."""
        found: list[Submission] = []
        try:
            for entry in self.entries:
                found.extend(self._expand(entry, 0))
        except _HandInError as error:
            found.append(self._submission(self.top, None, str(error)))
        return found

    def _expand(self, entry: _Entry, archives: int) -> Iterator[Submission]:
        """Yield a file, or what is in it if it is an archive, which lies in so many others."""
        self.files_left -= 1
        if self.files_left < 0:
            raise _HandInError(TOO_MANY_FILES_MESSAGE)
        if sum(map(len, entry.parts)) > MAX_PATH_CHARS:
            raise _HandInError(LONG_PATH_MESSAGE)
        content = self._read(entry)
        is_archive = entry.parts[-1].lower().endswith(".zip") and content is not None
        if not is_archive or archives >= MAX_NESTED_ARCHIVES:
            problem = UNREADABLE_MESSAGE if content is None else ""
            yield self._submission(entry.parts, content, problem)
            return
        try:
            with _open_archive(content or b"") as archive:
                inside = list(_archive_entries(archive))
                for inner in inside:
                    below = _Entry((*entry.parts, *inner.parts), inner.read)
                    yield from self._expand(below, archives + 1)
                if not inside:
                    yield self._submission(entry.parts, None, EMPTY_MESSAGE)
        except _HandInError:
            raise
        except Exception as error:  # of an archive anything may be broken
            problem = BROKEN_MESSAGE.format(error=type(error).__name__)
            yield self._submission(entry.parts, None, problem)

    def _read(self, entry: _Entry) -> bytes | None:
        """Return what is in a file, None if that is too much; the start of what is not marked."""
        kept = entry.parts[-1].lower().endswith((".ipynb", ".zip"))
        most = self.bytes_left if kept else PEEK_BYTES
        content = None
        with suppress(Exception):  # a file that this account may not read, or a broken one
            content = entry.read(most + 1)
        if content is None or not kept:
            return content[:most] if content is not None else None
        self.bytes_left -= min(most, len(content))
        return content if len(content) <= most else None

    def _submission(self, parts: Parts, content: bytes | None, problem: str) -> Submission:
        names = [printable(part[:MAX_PATH_CHARS]) for part in parts]
        stem = MOODLE_SUFFIX.sub("/", PurePosixPath(names[-1][:MAX_NAME_CHARS]).stem)
        known = notebook_names()
        notebook = next((name for name in known if name in stem), "")
        notebook = notebook or next((part for part in names if part in known), "")
        file = "/".join(names)[:MAX_PATH_CHARS]
        return Submission(self.student, notebook, file, content, problem, self.name)


def _folder_entries(folder: Path) -> Iterator[_Entry]:
    """Yield the files below a folder; no link is followed."""
    for top, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(top, name))]
        folders[:] = sorted(name for name in folders if not name.startswith(HIDDEN))
        above = Path(top).relative_to(folder).parts
        for name in sorted([*names, *links]):
            if not name.startswith(HIDDEN):
                yield _Entry((*above, name), partial(_read_file, os.path.join(top, name)))


def _read_file(path: str, most: int) -> bytes:
    """Return the first bytes of a file; OSError for a pipe or a device, without waiting for it."""
    with open(os.open(path, os.O_RDONLY | NO_LINK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError("it is not a regular file")
        return file.read(most)


def _archive_entries(archive: zipfile.ZipFile) -> Iterator[_Entry]:
    """Yield the files of an archive, wherever their names say that they belong."""
    for entry in archive.infolist():
        parts = tuple(
            part
            for part in entry.filename.replace("\\", "/").split("/")
            if part not in ("", ".", "..")
        )
        if parts and not entry.is_dir() and not any(part.startswith(HIDDEN) for part in parts):
            yield _Entry(parts, partial(_read_packed, archive, entry))


def _read_packed(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
    """Return the first bytes of a file in an archive, whose list may lie about its size."""
    if entry.compress_type not in READABLE_COMPRESSION:
        raise OSError("this compression unpacks without a limit")
    with archive.open(entry) as file:
        return file.read(most)


class _Opening(BytesIO):
    """An archive that a student made: its list of files must be short enough to be read."""

    most: float = MAX_DIRECTORY_BYTES

    def read(self, size: int | None = -1, /) -> bytes:
        """Return bytes; ValueError for more of them than a list of files needs."""
        left = len(self.getbuffer()) - self.tell()
        if min(left, left if size is None or size < 0 else size) > self.most:
            raise ValueError("its list of files is too long")
        return super().read(size)


def _open_archive(content: bytes) -> zipfile.ZipFile:
    """Return an archive, opened; an error of any kind if it is none, or lists too many files."""
    file = _Opening(content)
    archive = zipfile.ZipFile(file)
    file.most = inf
    return archive


def printable(name: str) -> str:
    """Return a name with escapes for characters that break a table or control a terminal.

    A name that is not UTF-8, as in a folder from an old archive, is read as Latin-1.
    """
    with suppress(UnicodeEncodeError):  # a surrogate that does not stand for a byte
        data = name.encode("utf-8", "surrogateescape")
        name = name if data == name.encode("utf-8", "replace") else data.decode("latin-1")
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in name
    )
