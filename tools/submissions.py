"""Find the notebooks that students handed in: folders, archives, a learning platform's download.

ada/02_minimax.ipynb                    a folder for each student (also below a folder)
02_minimax_ada.ipynb                    one folder for all
ada.zip                                 an archive for each student, or one for the class
Ada Lovelace_4711_assignsubmission_file_/02_minimax.ipynb        as Moodle names them

The folder says who the student is, else the name of the file.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
MOST_BYTES = 50 * 2**20  # of a notebook, and of an archive inside another one
MOODLE = re.compile(r"_assignsubmission_\w*?_+")
HIDDEN = (".", "__MACOSX")
# What the names of a copy or of a second download have besides.
COPIES = re.compile(r"(?i)[\s_-]*(\(\d+\)|copy\s*\d*|kopie\s*\d*)")
NAMELESS = "(nobody named)"


@dataclass(frozen=True)
class Submission:
    """A file that a student handed in.

    student   by whom, as the folder, the archive or the file says
    notebook  of the course, like "02_minimax"; "" if the name says none of them
    file      where it lies, below the folder or archive that was read; for an archive inside, its
              name comes first
    content   its bytes; None if there are too many, or they cannot be read
    """

    student: str
    notebook: str
    file: str
    content: bytes | None


def notebooks() -> list[str]:
    """Return the names of the course's notebooks."""
    return sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))


def submissions(path: Path) -> list[Submission]:
    """Return what a folder or an archive holds, by student, notebook and name of file.

    Files that are no notebooks are left out, but for those of a student who handed in no notebook.
    ValueError for a path that is neither a folder nor an archive.
    """
    if path.is_dir():
        files = _in_folder(path)
    elif zipfile.is_zipfile(path):
        files = _in_archive(path.read_bytes(), PurePosixPath())
    else:
        raise ValueError(f"{path} is neither a folder nor a zip archive")
    found = [_submission(place, content) for place, content in files]
    notebooks = [each for each in found if each.file.endswith(".ipynb")]
    known = {each.student for each in notebooks}
    others = [each for each in found if each.student not in known | {NAMELESS}]
    return sorted(notebooks + others, key=lambda each: (each.student, each.notebook, each.file))


def _in_folder(folder: Path) -> Iterator[tuple[PurePosixPath, bytes | None]]:
    """Yield the files below a folder and their bytes; no link is followed."""
    for path in sorted(folder.rglob("*")):
        place = PurePosixPath(path.relative_to(folder).as_posix())
        linked = any((folder / part).is_symlink() for part in [place, *place.parents])
        if not _is_hidden(place) and not linked and path.is_file():
            small = path.stat().st_size <= MOST_BYTES
            yield from _opened(place, path.read_bytes() if small else None)


def _in_archive(
    content: bytes, inside: PurePosixPath
) -> Iterator[tuple[PurePosixPath, bytes | None]]:
    with zipfile.ZipFile(BytesIO(content)) as archive:
        for entry in archive.infolist():
            place = inside / entry.filename.replace("\\", "/").lstrip("/")
            if entry.is_dir() or _is_hidden(place):
                continue
            try:
                with archive.open(entry) as file:  # what its list says of sizes may be a lie
                    data = file.read(MOST_BYTES + 1)
            except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError):
                data = None
            whole = data is not None and len(data) <= MOST_BYTES
            yield from _opened(place, data if whole else None)


def _opened(
    place: PurePosixPath, content: bytes | None
) -> Iterator[tuple[PurePosixPath, bytes | None]]:
    """Yield a file, or what is in it if it is an archive."""
    if place.suffix.lower() == ".zip" and content and zipfile.is_zipfile(BytesIO(content)):
        if place.suffix in (part.suffix for part in place.parents):
            return  # an archive in an archive in an archive
        try:
            yield from _in_archive(content, place)
        except (zipfile.BadZipFile, ValueError):
            yield place, None
    else:
        yield place, content


def _is_hidden(place: PurePosixPath) -> bool:
    return any(part.startswith(HIDDEN) for part in place.parts if part != "..")


def _submission(place: PurePosixPath, content: bytes | None) -> Submission:
    """Return a file with the student and the notebook that its place and its name say."""
    known = notebooks()
    stem = MOODLE.sub("/", place.stem).strip("/")
    own = next((name for name in known if name in stem), "")
    notebook = own or next((part for part in place.parts if part in known), "")
    folders = [part for part in place.parts[:-1] if part not in known and part != ".."]
    folders.sort(key=lambda part: not MOODLE.search(part))  # the rest stays in order
    folders = [MOODLE.split(part)[0].removesuffix(".zip") for part in folders]
    student = folders[0] if folders else _student_in(place.stem, own)
    return Submission(student or NAMELESS, notebook, str(place), content)


def _student_in(stem: str, notebook: str) -> str:
    """Return the student that the name of a file says: all but the notebook's name."""
    named, *rest = MOODLE.split(stem)
    if rest:
        return named
    return COPIES.sub("", stem.replace(notebook, "")).strip(" _-.")
