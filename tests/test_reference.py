"""The reference: a place for each public name, examples that run, and links that lead somewhere."""

import doctest
import importlib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.messages import broken
from tools.site import reference
from tools.site.name_links import PACKAGES, link_names

ROOT = Path(__file__).parents[1]
# What else the site has at its top, next to the folder of the reference.
LESSONS = {f"{path.stem}.html" for path in (ROOT / "notebooks").iterdir() if path.suffix}


class Page(HTMLParser):
    """The links, the anchors and the pictures of a page."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        self.links += [found[key] or "" for key in ("href", "src") if key in found]
        self.anchors |= {found[key] or "" for key in ("id", "name") if key in found}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Page]:
    folder = tmp_path_factory.mktemp("reference")
    return {file.name: Page(file) for file in reference.build(folder)}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_has_a_place(pages: dict[str, Page], package: str) -> None:
    missing = set(importlib.import_module(package).__all__) - pages[f"{package}.html"].anchors
    assert not missing, f"the page of {package} lacks {sorted(missing)}"


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_described(package: str) -> None:
    page = reference.public_names(package)
    lost = [
        doc.name
        for doc in page.own_members
        if not (doc.docstring or reference.VALUES.get(doc.fullname))
    ]
    rule = "Give these a docstring, or a line in VALUES of tools/site/reference:"
    assert lost == [], broken(rule, lost)


def test_no_link_of_the_reference_is_dead(pages: dict[str, Page]) -> None:
    dead = []
    for name, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            target = parts.path or name
            known = target in pages or target.removeprefix("../") in {*LESSONS, "index.html"}
            anchors = pages[target].anchors if target in pages else {parts.fragment}
            if not parts.scheme and not (known and parts.fragment in {*anchors, ""}):
                dead.append(f"{name}: {link}")
    assert dead == [], broken("These links lead nowhere:", dead)


def test_arguments_and_examples_become_lists_and_code() -> None:
    text = "Return it.  Twice.\n\ndepth  plies\n       to search\norder  first\n\n>>> 1\n1\n\nEnd."
    assert reference.to_markdown(text) == (
        "Return it.  Twice.\n\n\n- `depth`: plies\n  to search\n- `order`: first\n\n\n"
        "```pycon\n>>> 1\n1\n```\n\nEnd."
    )


def test_first_mention_of_a_name_is_linked() -> None:
    html = link_names("<h2><code>mcts</code></h2><code>mcts</code><code>mcts</code>", "docs/")
    linked = '<a href="docs/gamelib.html#mcts"><code>mcts</code></a>'
    assert html == f"<h2><code>mcts</code></h2>{linked}<code>mcts</code>"


def modules_with_examples() -> list[str]:
    return [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        if ">>> " in path.read_text(encoding="utf-8")
    ]


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_in_docstrings_run(name: str) -> None:
    done = doctest.testmod(importlib.import_module(name))
    assert done.attempted
    assert done.failed == 0
