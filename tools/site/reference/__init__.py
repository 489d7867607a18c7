"""Write the reference and the documents as pages: the public names of each package, with a search.

pdoc makes the pages.  It asks the running packages for their names, whereas mkdocstrings (griffe)
reads sources, and does not find names that a package loads when they are first used.
"""

import re
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import quote

import pdoc.doc
import pdoc.render
import pdoc.render_helpers
from markupsafe import Markup

from gamelib import GameState, GameTree
from gamelib.svg import board_svg
from tools.site.code_style import code_style
from tools.site.name_links import PACKAGES, link_names

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[3]
ICON = ROOT / "tools" / "site" / "engine" / "icon.svg"
# The documents in the order of their list.
DOCUMENTS = [
    *(ROOT / "docs" / f"{name}.md" for name in ("reference", "install", "library", "platforms")),
    *(ROOT / "docs" / f"{name}.md" for name in ("hub", "cluster", "other_libraries", "sandbox")),
    *(ROOT / "docs" / f"{name}.md" for name in ("speed", "site", "syllabus", "solutions")),
    ROOT / "docs" / "accessibility.md",
    *(ROOT / "docs" / "teacher" / f"{name}.md" for name in ("guide", "how_to_start", "marking")),
    *(ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"),
]
START = "index"  # the page of the first document
# Public values that are not functions or classes have no docstring of their own.
VALUES = {
    "gamelib.CHANCE": "The current player at a chance node.",
    "gamelib.Action": "An action of any game: an int, a tuple of ints or a string; it is hashable.",
    "gamelib.open_lines": "The heuristic that counts open lines, with the default weights.",
    "gamelib.open_windows": "The heuristic that counts lines of Connect Four, with its defaults.",
    "gamelib.COUNTING": "How all searches count, in three sentences.",
    "gamelib.SEARCHES": "All searches by name, and what each can do.",
    "course.FLAWS": "The programs of the labs by name: the wrong line, and its repair.",
}
# A link in Markdown, or code, in which there are none.
LINK = re.compile(
    r"^ {4}[^\n]*$|^```.*?^```$"
    r"|\[(?P<label>[^\]]*)\]\((?P<target>[^)#\s]+)(?P<anchor>#[^)\s]+)?\)",
    re.MULTILINE | re.DOTALL,
)
LESSON_NOTES = re.compile(r"docs/teacher/\d\d\.md$")  # they contain answers
# "depth   plies to search": an argument or an attribute in a docstring, and what it is.
ITEM = re.compile(r"^(?!>>>)([\w*]+(?: \w+)?) {2,}(\S.*)$")


def build(out: Path) -> list[Path]:
    """Write the pages to a folder, with the list of documents on each, and return the files."""
    out.mkdir(parents=True, exist_ok=True)
    configure()
    pages = {document_name(path): document(path) for path in DOCUMENTS}
    pages |= {name: public_names(name) for name in PACKAGES}
    written = []
    with warnings.catch_warnings():
        # Annotations that only type checkers import are shown as they are written.
        warnings.simplefilter("ignore", UserWarning)
        for name, page in pages.items():
            written.append(out / f"{name}.html")
            html = finish(pdoc.render.html_module(page, pages))
            written[-1].write_text(html, encoding="utf-8")
        (out / "search.js").write_text(pdoc.render.search_index(pages), encoding="utf-8")
    return written


def finish(html: str) -> str:
    """Return a page of pdoc's with links for names, and without links that lead nowhere."""
    anchors = set(re.findall('id="([^"]+)"', html))

    def keep(link: re.Match[str]) -> str:
        return link[0] if link[1] in anchors else link[2]

    # pdoc links to some members that it does not show.
    html = re.sub('<a href="#([^"]+)">(.*?)</a>', keep, link_names(html, ""))
    # Everything that may be wider than a phone can be scrolled by keyboard, too.
    return re.sub("<(pre|table)>", r'<\1 tabindex="0">', html)


def configure() -> None:
    """Set the options, the filters and the functions of pdoc's templates."""
    pdoc.render.configure(
        docformat="markdown",
        show_source=False,
        template_directory=HERE,
        favicon=f"data:image/svg+xml,{quote(ICON.read_text(encoding='utf-8'))}",
    )
    # Headings get the anchors that they have on GitHub, so links in the documents work here, too.
    extensions: dict[str, Any] = pdoc.render_helpers.markdown_extensions
    extensions["header-ids"]["mixed"] = False
    facts = {path: title(path) for path in DOCUMENTS}
    pdoc.render.env.globals |= {
        "packages": PACKAGES,
        "documents": {document_name(path): said for path, said in facts.items()},
        "docstring_of": lambda doc: VALUES.get(doc.fullname) or to_markdown(doc.docstring),
        "picture_of": lambda doc: Markup(picture(doc.obj)),
        "style": Markup(code_style(".pdoc-code") + (HERE / "page.css").read_text(encoding="utf-8")),
    }


def document_name(path: Path) -> str:
    """Return the name of the page of a document."""
    return START if path == DOCUMENTS[0] else path.stem.lower()


def title(path: Path) -> str:
    """Return the heading of a document."""
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def document(path: Path) -> pdoc.doc.Module:
    """Return a document as pdoc sees it: a module that has a docstring and nothing else."""
    text = path.read_text(encoding="utf-8")
    text = LINK.sub(lambda found: site_link(path, found) if found["target"] else found[0], text)
    module = ModuleType(document_name(path), text)
    module.__all__ = []  # type: ignore[attr-defined]
    return pdoc.doc.Module(module)


def site_link(page: Path, link: re.Match[str]) -> str:
    """Return a Markdown link to the page on the site that has the text of the linked file.

    A link to the notes on a lesson becomes its label.  ValueError if the file is not on the site.
    """
    label, target, anchor = link["label"], link["target"], link["anchor"] or ""
    file = (page.parent / target).resolve()
    if ":" in target:
        address = target
    elif LESSON_NOTES.search(file.as_posix()):
        return label
    elif file in DOCUMENTS:
        address = f"{document_name(file)}.html"
    elif file == ROOT / "README.md":
        address = "../index.html"
    elif file.parent == ROOT / "notebooks":
        address = f"../{file.stem}.html"
    else:
        must = "add it to DOCUMENTS, or remove the link"
        raise ValueError(f"{page.name} links to {target}, which is not on the site: {must}")
    return f"[{label}]({address}{anchor})"


def public_names(package: str) -> pdoc.doc.Module:
    """Return a package as pdoc documents it: a module with all names in its `__all__`."""
    source = import_module(package)
    module = ModuleType(package, to_markdown(source.__doc__ or ""))
    module.__all__ = list(source.__all__)  # type: ignore[attr-defined]
    for name in source.__all__:
        setattr(module, name, getattr(source, name))
    return pdoc.doc.Module(module)


def to_markdown(docstring: str) -> str:
    """Return a docstring as Markdown: its arguments as a list, and its examples as code."""
    lines: list[str] = []
    in_item = in_example = False
    for line in docstring.split("\n"):
        found = ITEM.match(line)
        if in_example and not line.strip():
            lines.append("```")
        elif line.startswith(">>>") and not in_example:
            lines += ["", "```pycon"]
        elif found and not in_item:
            lines.append("")
        in_example = bool(line.strip()) and (in_example or line.startswith(">>>"))
        in_item = bool(found) or (in_item and line.startswith("   "))
        if found:
            line = f"- `{found[1]}`: {found[2]}"
        elif in_item:
            line = f"  {line.strip()}"
        lines.append(line)
    return "\n".join([*lines, "```"] if in_example else lines)


def picture(thing: object) -> str:
    """Return the drawing of a game's first position as HTML; "" for anything else."""
    if thing is GameTree:
        return str(GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])._repr_svg_())
    if isinstance(thing, type) and issubclass(thing, GameState) and getattr(thing, "examples", {}):
        return str(board_svg(next(iter(examples(thing)))))
    return ""


def examples(game: type[GameState]) -> Iterator[GameState]:
    """Yield the start positions of a game."""
    for options in game.examples.values():
        yield game(**options)
