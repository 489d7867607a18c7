"""The message of a red test: which rule is broken, where, and what to do."""

from collections.abc import Iterable


def broken(rule: str, where: Iterable[object]) -> str:
    """Return a rule with what to do, and below it a line for each place that breaks it."""
    return "\n".join([rule, *(f"  {place}" for place in where)])
