"""Compiled code on disk: read from every folder that has some, written to the first that can be.

Numba itself chooses one folder to read and to write.  In a shared installation that folder often
cannot be written, or holds code for another processor, and every student would compile in every
session.  So a kernel has the class `KernelCache` of this module instead of Numba's cache.
"""

from __future__ import annotations

import gc
import getpass
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core import caching
from numba.core.runtime import rtsys

from gamefast.build_info import KINDS, SOURCES, version

_config: Any = numba.config
_InTreeLocator: Any = caching.InTreeCacheLocator
_FunctionCache: Any = caching.FunctionCache
# Code that checks every index, by NUMBA_BOUNDSCHECK=1, has its own folder.
FOLDERS = "checked-*" if _config.BOUNDSCHECK else "kernels-*"
NOT_STORED = "the compiled code is not stored, so every session compiles it again"

written_to: Path | None = None  # the folder that this process has written to
storage_failure = ""  # why the last compiled code could not be stored; "" if it could


def _places() -> Iterator[Path]:
    """Yield the places where compiled code may be stored, the best one first."""
    if _config.CACHE_DIR:
        yield Path(_config.CACHE_DIR)
    yield SOURCES / "__pycache__"
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    home = home or os.path.expanduser("~/.cache")
    if not home.startswith("~"):  # not every user has a home
        yield Path(home) / "gamefast"
    user = getattr(os, "getuid", getpass.getuser)()  # not every user has a name
    with suppress(OSError):
        temporary = Path(tempfile.gettempdir()) / f"gamefast-{user}"
        # Code that another user left there must not run.
        if not temporary.exists() or temporary.stat().st_uid in (user, 0):
            yield temporary


def folders() -> list[Path]:
    """Return the folders for the compiled code of these sources, the best one first.

    The kernels contain each other, so a change in one file makes all of them obsolete.  For this
    reason the hash of all sources is part of the name.
    """
    return [place / FOLDERS.replace("*", version()) for place in _places()]


def _create(folder: Path) -> None:
    """Create a folder, and remove those of other sources; OSError if that is not possible."""
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        for other in set(folder.parent.glob(FOLDERS)) - {folder}:
            shutil.rmtree(other, ignore_errors=True)


class _Locator(_InTreeLocator):  # type: ignore[misc] # Numba has no types
    """A locator that accepts a kernel although the folder next to it cannot be written."""

    def ensure_cache_path(self) -> None:
        """Do nothing."""


class _Implementation(caching.CompileResultCacheImpl):
    _locator_classes: Any = [_Locator]  # noqa: RUF012 - as in the base class


class KernelCache(_FunctionCache):  # type: ignore[misc] # Numba has no types
    """The stored code of one kernel, in all folders; no fault of a folder raises an exception."""

    _impl_class = _Implementation

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._files = {
            folder: caching.IndexDataCacheFile(str(folder), self._impl.filename_base, stamp)
            for folder in folders()
        }

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the stored code for these types, for this processor or its kind; None without."""
        # All that stored code needs.  Numba's own cache loads its compiler here, in 0.4 seconds.
        rtsys.initialize(context)
        own = self._index_key(signature, context.codegen())
        for key in (own, *_keys_of_kinds(own)):
            for file in self._files.values():
                # A folder may be closed, and a file damaged: then the next one is tried.
                with suppress(Exception):
                    if (data := file.load(key)) is not None:
                        return self._impl.rebuild(context, data)
        return None

    def save_overload(self, signature: Any, data: Any) -> None:
        """Store code in the first folder that can be written; print a message if there is none."""
        global written_to, storage_failure
        key, reduced = self._index_key(signature, data.codegen), self._impl.reduce(data)
        reasons = []
        for folder, file in self._files.items():
            try:
                _create(folder)
                _save(file, key, reduced)
            except OSError as error:
                reasons.append(f"{folder}: {error.strerror or error}")
            else:
                written_to, storage_failure = folder, ""
                return
        if not storage_failure:
            print(f"gamefast: {NOT_STORED} ({'; '.join(reasons)})", file=sys.stderr)
        storage_failure = f"{NOT_STORED} ({'; '.join(reasons)})"


def _save(file: Any, key: Any, data: Any) -> None:
    try:
        file.save(key, data)
    except OSError:
        raise
    except Exception:  # the index is damaged
        file.flush()
        file.save(key, data)


def _keys_of_kinds(own: Any) -> Iterator[Any]:
    """Yield the keys of code for those kinds of processors to which this processor belongs."""
    signature, (triple, _, features), hashes = own
    present = set(features.split(","))
    for kind, needed in KINDS.items():
        if present.issuperset(needed.split(",")):
            yield signature, (triple, kind, needed), hashes


def share(folder: Path) -> None:
    """Let every user of this machine read the compiled code of a folder."""
    for path in (folder.parent, folder, *folder.iterdir()):
        with suppress(OSError):
            path.chmod(path.stat().st_mode | (0o055 if path.is_dir() else 0o044))


def compile_part(name: str) -> tuple[Path | None, str]:
    """Compile one of `gamefast.compiled.PARTS`, in a process that may do so for several of them.

    Returns the folder that this process has written to, and why it could not store its code.
    """
    from gamefast import compiled, numba_backend  # which import this module

    # A compiler keeps most of its objects, so looking among them for garbage takes time.
    gc.set_threshold(100_000)
    if name != next(iter(compiled.PARTS)):
        numba_backend._CompileNotice.quiet = True  # one process says what all of them do
    compiled.PARTS[name]()
    if written_to:
        share(written_to)
    return written_to, storage_failure
