"""Functions that split the source code of a program into lines as Python does."""

from io import StringIO


def source_lines(source: str) -> list[str]:
    r"""Return the lines of a program without their ends, numbered as by `ast` and `compile`.

    Python ends a line at \n, \r or \r\n.  `str.splitlines` also ends one at a form feed, a vertical
    tab, U+0085, U+2028 and a few more characters, which a comment or a string may contain.  Text
    from a word processor has them, so the line numbers of `splitlines` would be wrong.
    """
    return [line.removesuffix("\n") for line in StringIO(source, newline=None)]


def indented(source: str, margin: str) -> str:
    """Return a program with `margin` before each line that is not empty.

    `textwrap.indent` splits the text by `str.splitlines`, so it would change strings.
    """
    return "\n".join(f"{margin}{line}" if line.strip() else line for line in source_lines(source))
