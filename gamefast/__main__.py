"""The command `python -m gamefast`, which compiles every search and stores the code on disk."""

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from gamefast.build_info import KINDS, SOURCES


def main() -> None:
    """Compile every search; SystemExit with the reason if it is not compiled or not stored."""
    parser = argparse.ArgumentParser(prog="python -m gamefast", description=__doc__)
    parser.add_argument(
        "--kind",
        choices=KINDS,
        help="compile for every processor of this kind, for example in an image that several "
        "machines run; without it, the code is for the processor of this machine",
    )
    kind = parser.parse_args().kind
    if kind:  # Numba reads its environment when it is imported
        os.environ.update(NUMBA_CPU_NAME=kind, NUMBA_CPU_FEATURES=KINDS[kind])
    try:
        # First, because its error says what to install.
        from gamefast.compiled import PARTS  # isort: skip
        from gamefast.stored_code import compile_part
    except ImportError as error:
        sys.exit(str(error))
    # One processor compiles for 55 seconds.  `spawn` works in the same way on every system.
    workers = min(len(PARTS), os.cpu_count() or 1)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        folders, failures = zip(*pool.map(compile_part, PARTS), strict=True)
    if any(failures):
        sys.exit(1)  # the reason has been printed
    if folder := next(filter(None, folders), None):
        print(f"gamefast: the code for {kind or 'this processor'} is stored in {folder}")
    else:  # the folder shows which copy of gamefast this is
        print(f"gamefast: every search of {SOURCES} was compiled before")


if __name__ == "__main__":
    main()
