"""Write one page on what a class guessed, answered and tried, from a folder of its notebooks.

    python -m tools.dashboard FOLDER --out class.html
    python -m tools.dashboard FOLDER --out class.html --numbers     (for the class: nobody is named)

FOLDER, or an archive, is read as for marking: one folder a student, one file a student, or what a
learning platform downloads.  Nothing is run, and nothing in the notebooks is believed: a record is
no proof.
"""

import argparse
import sys
from pathlib import Path

from tools.dashboard.class_page import class_page
from tools.dashboard.progress import read_logs
from tools.submissions import find_submissions


def main(arguments: list[str] | None = None) -> int:
    """Return 0 after the page is written, 1 where there is nothing to read."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "python -m tools.dashboard", None, __doc__, formatter_class=raw
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--out", type=Path, default=Path("class.html"), metavar="FILE")
    parser.add_argument("--numbers", action="store_true", help="name no student and no file")
    options = parser.parse_args(arguments)
    try:
        found = read_logs(find_submissions(options.folder))
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    if not found:
        print(f"{options.folder} has no notebook in it", file=sys.stderr)
        return 1
    options.out.write_text(class_page(found, names=not options.numbers), encoding="utf-8")
    kept = sum(bool(one.events) for one in found)
    print(f"{options.out}: {len(found)} files read, {kept} with a record")
    for one in found:
        if one.problem and not options.numbers:
            print(f"  {one.file}: {one.problem}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
