"""Write the course as static files: `python -m tools.site OUT`.

What OUT then holds can be put on any web server, or opened with `python -m http.server`.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from tools.site import index, lite, sources, wheel


def main(arguments: list[str]) -> None:
    """Build the site."""
    parser = argparse.ArgumentParser(prog="python -m tools.site", description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder to write; emptied first")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--release",
        type=Path,
        help="a folder with an unpacked release of Pyodide (all its packages)",
    )
    which.add_argument(
        "--tested",
        action="store_true",
        help=f"take Pyodide {sources.TESTED.version}, wholly from registries: for tests",
    )
    options = parser.parse_args(arguments)
    source = sources.TESTED if options.tested else sources.NEWEST
    pyodide = (
        sources.unpacked(options.release, source) if options.release else sources.pyodide(source)
    )
    shutil.rmtree(options.out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as place:
        course = wheel.build(Path(place))
        megabytes = lite.build(source, pyodide, course, options.out / "run")
    try:
        from tools.site import pages

        pages.build((lite.NOTEBOOKS).glob("*.ipynb"), options.out)
    except ImportError:
        pass
    index.write(options.out, megabytes, compiled=False)
    (options.out / ".nojekyll").touch()  # GitHub Pages leaves out what begins with "_" otherwise


if __name__ == "__main__":
    main(sys.argv[1:])
