"""Links from names of the library to their place in the reference."""

import re
from importlib import import_module

PACKAGES = ("gamelib", "gamefast", "arena", "course")
# A name as code, or an element in which there are no links.
NAME = re.compile(r"<(h\d|a|pre|summary|script)\b.*?</\1>|<code>(\w+)</code>", re.DOTALL)


def link_names(html: str, folder: str) -> str:
    """Return a page on which the first mention of each public name leads to the reference.

    folder  the address of the reference, seen from the page: "docs/" or ""
    """
    # `gamefast` and `gamelib` have some names in common; the readable search is the one to read.
    homes = {name: home for home in reversed(PACKAGES) for name in import_module(home).__all__}

    def link(found: re.Match[str]) -> str:
        home = found[2] and homes.pop(found[2], None)
        return f'<a href="{folder}{home}.html#{found[2]}">{found[0]}</a>' if home else found[0]

    return NAME.sub(link, html)
