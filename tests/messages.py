"""Messages: what a red test says, and what tests ask of the message of an error."""

import re
from collections.abc import Iterable


def broken(rule: str, where: Iterable[object]) -> str:
    """Return a rule with what to do, and below it a line for each place that breaks it."""
    return "\n".join([rule, *(f"  {place}" for place in where)])


# A word before `must` is the argument, unless it is one of these.
_NO_ARGUMENTS = {"it", "that", "there", "they", "which", "you"}
_FACT = re.compile(
    r"`([^`]+)`"  # code
    r"|('[^']+')"  # what was given
    r"|(-?\d+(?:,\d{3})*(?:\.\d+)?)"  # a number
    r"|(\b\w*_\w+|\b\w*[a-z][A-Z]\w*|\b(?:True|False|None)\b|(?<=[a-z,:;] )[A-Z]\w*)"  # a name
    r"|(\b\w+)(?= must\b)"  # an argument
)


def names(message: str) -> str:
    """Return a regex for what a message must name, in any order: not for the words around that.

    Tests of errors show a message as it is, or was once, and check with this the argument, the
    value that it had and the names in it.  So whoever edits the words need not edit the tests.  A
    message without such facts is compared as it is: write the fewest words that tell the fact.
    """
    found = [next(filter(None, each.groups())) for each in _FACT.finditer(message)]
    facts = [fact for fact in found if fact not in _NO_ARGUMENTS] or [message]
    return "(?s)" + "".join(f"(?=.*{re.escape(fact)})" for fact in facts)
