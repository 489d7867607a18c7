"""Write the course as static files: `python -m tools.site OUT`.

What OUT then holds can be put on any web server, or opened with `python -m http.server`.  With
`--student` it holds no solutions, mistakes and answers to read, see `tools/distribution.py`.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from tools import distribution, wheel
from tools.site import index, kernels, lite, pages, sources


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
    parser.add_argument("--student", action="store_true", help="a copy without solutions")
    distribution.add_options(parser)
    options = parser.parse_args(arguments)
    if not options.student and (options.no_hints or options.solutions):
        parser.error("--no-hints and --solutions are for --student")
    source = sources.TESTED if options.tested else sources.NEWEST
    pyodide = (
        sources.unpacked(options.release, source) if options.release else sources.pyodide(source)
    )
    if options.out.exists() and not is_site(options.out):
        parser.error(f"{options.out} is there and is no site: nothing was written")
    shutil.rmtree(options.out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as place:
        change = distribution.change_of(options) if options.student else None
        library = kernels.build(sources.CACHE)
        course = wheel.build(Path(place), change=change, library=library)
        megabytes = lite.build(source, pyodide, course, options.out / "run")
    pages.build(lite.NOTEBOOKS.glob("*.ipynb"), options.out)
    index.write(options.out, megabytes)
    (options.out / ".nojekyll").touch()  # GitHub Pages leaves out what begins with "_" otherwise


def is_site(folder: Path) -> bool:
    """Return whether a folder is empty, or was written by this program."""
    return not any(folder.iterdir()) or (folder / "run" / "jupyter-lite.json").exists()


if __name__ == "__main__":
    main(sys.argv[1:])
