"""The lines of program text, cut where Python cuts them."""

from io import StringIO


def source_lines(source: str) -> list[str]:
    r"""Return the lines of a program without their ends, as `ast` and `compile` number them.

    Python ends a line at \n, \r or \r\n.  `str.splitlines` also ends one at a form feed, a vertical
    tab, U+0085, U+2028 and a few more, which a comment or a string may hold.  Text that is copied
    from a word processor has them, so `splitlines` would give numbers of other lines.
    """
    return [line.removesuffix("\n") for line in StringIO(source, newline=None)]


def indented(source: str, margin: str) -> str:
    """Return a program with `margin` before each line that is not empty.

    `textwrap.indent` cuts the text by `str.splitlines`, and would change strings.
    """
    return "\n".join(f"{margin}{line}" if line.strip() else line for line in source_lines(source))
