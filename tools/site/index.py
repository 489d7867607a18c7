"""Write the first page of the site, with two links for each notebook."""

import re
import shutil
from html import escape
from pathlib import Path
from string import Template

from tools.coursework import ROOT
from tools.site.jupyterlite import AUTOSAVE_SECONDS
from tools.site.pages import RUN_ADDRESS

# | [00 Start here](notebooks/00_start_here.ipynb) | How does a program see a game? | 25 / 35 |
README_ROW = re.compile(
    r"^\| \[(?P<title>.+)\]\(notebooks/(?P<name>\w+)\.ipynb\) \| (?P<question>.+) "
    r"\| (?P<in_class>\d+) / (?P<alone>\d+) \|$",
    re.M,
)
LESSON_TEMPLATE = Template("""\
<li>
<h3>$title</h3>
<p>$question <span class="soft">$in_class minutes in class, $alone alone</span></p>
<p class="ways"><a href="$name.html" aria-label="Read $title">Read</a>
<a class="run" href="$run" aria-label="Run $title">Run</a></p>
</li>
""")


def write(out: Path, megabytes: int, *, source: str = "") -> None:
    """Write index.html; the list of notebooks is that of the README.

    source  the address of the sources, if they are public
    """
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = (
        {part: escape(text) for part, text in row.groupdict().items()}
        for row in README_ROW.finditer(readme)
    )
    lessons = "".join(
        LESSON_TEMPLATE.substitute(row, run=RUN_ADDRESS.format(row["name"])) for row in rows
    )
    page = Template((Path(__file__).parent / "index.html").read_text(encoding="utf-8"))
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8").partition("\n")[0]
    link = f'The <a href="{escape(source)}">sources</a> are public.' if source else ""
    text = page.substitute(
        lessons=lessons,
        megabytes=megabytes,
        seconds=AUTOSAVE_SECONDS,
        licence=escape(licence),
        source=link,
    )
    (out / "index.html").write_text(text, encoding="utf-8")
    shutil.copy(ROOT / "docs" / "pictures" / "cut-light.png", out / "course.png")
