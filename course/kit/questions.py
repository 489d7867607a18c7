"""Where the questions of a check come from: a seed, the same for all unless it is set.

Whoever marks sets a seed that nobody knows: a program that remembers answers then has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache, wraps
from random import Random
from typing import Any

Seed = int | str
COMMON: Seed = "the same questions for all"

_now: Seed = COMMON  # of all threads: a check runs in one of its own


@contextmanager
def seeded(seed: Seed) -> Iterator[None]:
    """Let every check inside the block draw its questions from this seed.

    TypeError for a seed that is neither an int nor a text.
    """
    global _now
    if type(seed) not in (int, str):
        raise TypeError(f"seed must be an int or a text; got {seed!r}")
    before, _now = _now, seed
    try:
        yield
    finally:
        _now = before


def seed_now() -> Seed:
    """Return the seed from which questions are drawn now."""
    return _now


def rng(name: str) -> Random:
    """Return the source of the questions of this name: the same for the same seed."""
    return Random(f"{_now!r} {name}")


def drawn(draw: Callable[[Random], Iterable[Any]]) -> Callable[[], tuple[Any, ...]]:
    """Return a function that says what `draw` draws now; it is drawn once for each seed."""

    @lru_cache(maxsize=2)
    def known(seed: Seed) -> tuple[Any, ...]:
        return tuple(draw(rng(f"{draw.__module__}.{draw.__qualname__}")))

    @wraps(draw)
    def questions() -> tuple[Any, ...]:
        return known(_now)

    return questions
