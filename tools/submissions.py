"""Find the notebooks that students handed in: folders, archives, a learning platform's download.

ada/02_minimax.ipynb                    a folder for each student (also below a folder)
02_minimax_ada.ipynb                    one folder for all
ada.zip                                 an archive for each student, or one for the class
Ada Lovelace_4711_assignsubmission_file_/02_minimax.ipynb        as Moodle names them
lovelaceada_LATE_13_346_02_minimax-1.ipynb                       as Canvas does
submission_99123/02_minimax.ipynb                                as Gradescope does

The folder says who the student is, else the name of the file.  Of everything that came there is a
`Submission`, also where nothing can be read; names are made fit to be printed.
"""

import os
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO

ROOT = Path(__file__).parents[1]
MAX_BYTES = 50 * 2**20  # of a file, of an archive, and of all that a student's archives hold
MOODLE_SUFFIX = re.compile(r"_assignsubmission_\w*?_+")
CANVAS_PREFIX = re.compile(r"^([^\W_]+)(?:_LATE)?_\d+_\d+_")  # the student; then two numbers
STUDENT_FOLDER = re.compile(rf"{MOODLE_SUFFIX.pattern}|^submission_\d+$")
HIDDEN = (".", "__MACOSX")
# What the names of a copy or of a second download have besides.
COPY_SUFFIX = re.compile(r"(?i)[\s_-]*(\(\d+\)|copy\s*\d*|kopie\s*\d*)")
UNNAMED_STUDENT = "(nobody named)"
READABLE_COMPRESSION = (
    zipfile.ZIP_STORED,
    zipfile.ZIP_DEFLATED,
)  # the others unpack without a limit

Files = Iterator[tuple[PurePosixPath, bytes | None]]


@dataclass(frozen=True)
class Submission:
    """A file that a student handed in.

    student   by whom, as the folder, the archive or the file says
    notebook  of the course, like "02_minimax"; "" if the name says none of them
    file      where it lies, below the folder or archive that was read; for an archive inside, its
              name comes first
    content   its bytes; None if there are too many, or they cannot be read, or it is a link
    """

    student: str
    notebook: str
    file: str
    content: bytes | None


@cache
def notebook_names() -> list[str]:
    """Return the names of the course's notebooks."""
    return sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))


def find_submissions(path: Path) -> list[Submission]:
    """Return what a folder or an archive holds, by student, notebook and name of file.

    Files that are no notebooks are left out, but for those of a student who handed in no notebook.
    ValueError for a path that is neither a folder nor an archive.
    """
    if path.is_dir():
        files = _files_in_folder(path)
    elif zipfile.is_zipfile(path):
        files = _files_in_archive(path.open("rb"), PurePosixPath(), Counter())
    else:
        raise ValueError(f"{path} is neither a folder nor a zip archive")
    found = [_to_submission(place, content) for place, content in files]
    notebooks = [each for each in found if each.file.endswith(".ipynb")]
    known = {each.student for each in notebooks}
    others = [each for each in found if each.student not in known | {UNNAMED_STUDENT}]
    return sorted(notebooks + others, key=lambda each: (each.student, each.notebook, each.file))


def _files_in_folder(folder: Path) -> Files:
    """Yield the files below a folder and their bytes; no link is followed."""
    read = Counter[str]()
    for top, folders, names in os.walk(folder):
        links = [name for name in folders if (Path(top) / name).is_symlink()]
        folders.sort()
        for name in sorted([*names, *links]):
            path = Path(top, name)
            place = PurePosixPath(path.relative_to(folder).as_posix())
            if _is_hidden(place):
                continue
            content = None
            with suppress(OSError):  # it may be one that this account may not read
                if path.is_file() and not path.is_symlink():
                    with path.open("rb") as file:
                        content = _read_limited(file, place, MAX_BYTES)
            yield from _expand_archive(place, content, read)


def _read_limited(file: IO[bytes], place: PurePosixPath, most: int) -> bytes | None:
    """Return what is in a file, None if that is too much; the beginning of what is not marked."""
    if place.suffix.lower() not in (".ipynb", ".zip"):
        return file.read(100)
    content = file.read(most + 1)
    return content if len(content) <= most else None


def _files_in_archive(content: IO[bytes], inside: PurePosixPath, read: Counter[str]) -> Files:
    """Yield the files of an archive; `read` says how much of each student's was unpacked."""
    with content, zipfile.ZipFile(content) as archive:
        for entry in archive.infolist():
            place = inside / entry.filename.replace("\\", "/").lstrip("/")
            if entry.is_dir() or _is_hidden(place):
                continue
            student, data = _to_submission(place, None).student, None
            most = MAX_BYTES - read[student]
            with suppress(Exception):  # whatever is wrong with it: it cannot be read
                if most > 0 and entry.compress_type in READABLE_COMPRESSION:
                    with archive.open(entry) as file:  # what its list says of sizes may be a lie
                        data = _read_limited(file, place, most)
            read[student] += MAX_BYTES if data is None else len(data)
            yield from _expand_archive(place, data, read)


def _expand_archive(place: PurePosixPath, content: bytes | None, read: Counter[str]) -> Files:
    """Yield a file, or what is in it if it is an archive."""
    packed = place.suffix.lower() == ".zip" and content and zipfile.is_zipfile(BytesIO(content))
    if not packed or ".zip" in (part.suffix.lower() for part in place.parents):
        yield place, content
        return
    try:
        yield from _files_in_archive(BytesIO(content or b""), place, read)
    except (zipfile.BadZipFile, ValueError, OSError):
        yield place, None


def printable(name: str) -> str:
    """Return a name without what would break a table, or steer a terminal.

    What is no UTF-8, as in a folder from an old archive, is read as Latin-1.
    """
    with suppress(UnicodeEncodeError):  # a surrogate that is no byte of a name
        data = name.encode("utf-8", "surrogateescape")
        name = name if data == name.encode("utf-8", "replace") else data.decode("latin-1")
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in name
    )


def _is_hidden(place: PurePosixPath) -> bool:
    return any(part.startswith(HIDDEN) for part in place.parts if part != "..")


def _to_submission(place: PurePosixPath, content: bytes | None) -> Submission:
    """Return a file with the student and the notebook that its place and its name say."""
    place = PurePosixPath(*map(printable, place.parts))
    known = notebook_names()
    stem = MOODLE_SUFFIX.sub("/", place.stem).strip("/")
    own = next((name for name in known if name in stem), "")
    notebook = own or next((part for part in place.parts if part in known), "")
    folders = [part for part in place.parts[:-1] if part not in known and part != ".."]
    folders.sort(key=lambda part: not STUDENT_FOLDER.search(part))  # the rest stays in order
    folders = [MOODLE_SUFFIX.split(part)[0].removesuffix(".zip") for part in folders]
    student = folders[0] if folders else _student_in_name(place.stem, own)
    return Submission(student or UNNAMED_STUDENT, notebook, str(place), content)


def _student_in_name(stem: str, notebook: str) -> str:
    """Return the student that the name of a file says: all but the notebook's name."""
    named, *rest = MOODLE_SUFFIX.split(stem)
    if rest:
        return named
    if canvas := CANVAS_PREFIX.match(stem):
        return canvas[1]
    return COPY_SUFFIX.sub("", stem.replace(notebook, "")).strip(" _-.")
