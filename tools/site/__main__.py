"""Write the course as a static web site: `python -m tools.site OUT`.

Any web server can serve the folder OUT, for example `python -m http.server`.  With `--student`, the
site contains no solutions and no list of mistakes; see `tools/distribution.py`.
"""

import argparse
import shutil
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from tools import coursework, distribution
from tools.site import downloads, engine, index, jupyterlite, pages, reference, wasm_kernels


def main(arguments: list[str]) -> None:
    """Build the site that the command line asks for, and replace the old one in the folder."""
    parser = argparse.ArgumentParser(prog="python -m tools.site", description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder to write; emptied first")
    parser.add_argument("--student", action="store_true", help="a copy without solutions")
    parser.add_argument("--source", default="", help="address of the sources, if they are public")
    distribution.add_options(parser)
    options = parser.parse_args(arguments)
    if not options.student and (options.no_hints or options.solutions):
        parser.error("--no-hints and --solutions have no effect without --student: add it")
    is_site = (options.out / "run" / "jupyter-lite.json").exists()  # written by this program
    if options.out.exists() and any(options.out.iterdir()) and not is_site:
        parser.error(f"{options.out} is not a site, so nothing was written: name another folder")
    started, say = time.monotonic(), partial(print, flush=True)  # a build takes minutes
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.out.parent) as place:
        # The old site stays in place until the new one is complete.
        made = Path(place) / "site"
        change = distribution.student_copy_maker(options) if options.student else None
        say("the searches as WebAssembly")
        library = wasm_kernels.build(downloads.CACHE)
        course = distribution.build(Path(place), change=change, library=library)
        say("JupyterLite, with Python and the course")
        megabytes = jupyterlite.build(downloads.fetch_pyodide(), course, made / "run")
        say("a page for each notebook, which is run for it:")
        notebooks = [*coursework.select_notebooks([], made), coursework.DEMO]
        pages.build(notebooks, made, progress=lambda path: say(f"  {path.stem}"))
        reference.build(made / "docs")
        engine.write(made, library)
        index.write(made, megabytes, source=options.source)
        (made / ".nojekyll").touch()  # otherwise GitHub Pages leaves out names that begin with "_"
        shutil.rmtree(options.out, ignore_errors=True)
        made.replace(options.out)
    size = sum(file.stat().st_size for file in options.out.rglob("*") if file.is_file())
    minutes = (time.monotonic() - started) / 60
    say(f"{options.out}: {size / 1e6:.0f} MB, made in {minutes:.0f} minutes, with", end=" ")
    say(
        "no solutions." if options.student else "all solutions.", "To look at it, serve the folder:"
    )
    say(f"python -m http.server --directory {options.out}")


if __name__ == "__main__":
    main(sys.argv[1:])
