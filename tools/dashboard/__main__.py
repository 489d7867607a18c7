"""Write one page about the guesses, answers and attempts of a class.

    python -m tools.dashboard FOLDER --out class.html
    python -m tools.dashboard FOLDER --out class.html --numbers     (for the class: without names)

FOLDER, or an archive, is read as for marking: one folder or one file per student, or the download
of a learning platform.  No notebook is run.  The page is no proof, because students can edit the
logs in their notebooks.
"""

import argparse
import sys
from pathlib import Path

from tools.dashboard.class_page import class_page
from tools.dashboard.progress import read_logs
from tools.submissions import find_submissions


def main(arguments: list[str] | None = None) -> int:
    """Write the page and return 0; print an error and return 1 if there is nothing to read."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "python -m tools.dashboard", None, __doc__, formatter_class=raw
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a folder, or a zip archive")
    parser.add_argument("--out", type=Path, default=Path("class.html"), metavar="FILE")
    parser.add_argument("--numbers", action="store_true", help="leave out all names and files")
    options = parser.parse_args(arguments)
    try:
        logs = read_logs(find_submissions(options.folder))
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    if not logs:
        print(f"{options.folder} contains no notebook: name another folder", file=sys.stderr)
        return 1
    options.out.write_text(class_page(logs, names=not options.numbers), encoding="utf-8")
    recorded = sum(bool(log.events) for log in logs)
    print(f"{options.out}: {len(logs)} files read, {recorded} with a record")
    for log in logs:
        if log.problem and not options.numbers:
            print(f"  {log.file}: {log.problem}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
