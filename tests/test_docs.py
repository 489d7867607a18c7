"""The pages of documentation: each can be found from the README, and no link is dead."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.messages import broken

ROOT = Path(__file__).parents[1]
START = [ROOT / "README.md", ROOT / "docs/teacher/guide.md"]
PAGES = {*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("notebooks/*.md")}
MAX_README_WORDS = 900
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
CODE = re.compile(r"^ {4}[^\n]*$|^```.*?^```$", re.MULTILINE | re.DOTALL)


def links(page: Path) -> Iterator[Path]:
    """Yield the files that a page links to."""
    for target in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        if ":" not in target:
            yield (page.parent / target).resolve()


def test_every_page_is_reachable_from_readme() -> None:
    reached: set[Path] = set()
    waiting = list(START)
    while waiting:
        page = waiting.pop()
        if page not in reached and page.suffix == ".md" and page.exists():
            reached.add(page)
            waiting += links(page)
    lost = sorted(str(page.relative_to(ROOT)) for page in PAGES - reached)
    assert not lost, broken("Link these pages from the README or the guide:", lost)


def test_no_link_of_a_page_is_dead() -> None:
    dead = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in sorted(PAGES)
        for target in links(page)
        if not target.exists()
    ]
    assert not dead, broken("These links lead nowhere:", dead)


def test_readme_is_short() -> None:
    """A visitor reads it in four minutes; whatever takes longer has a page of its own."""
    words = len((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert words <= MAX_README_WORDS, f"README.md has {words} words; move some to a page in docs/"
