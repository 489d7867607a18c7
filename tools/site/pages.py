"""Write each notebook as an HTML page whose widgets work without a kernel."""

import io
import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote

import nbformat
from matplotlib.mathtext import math_to_image
from nbconvert import HTMLExporter
from nbformat import NotebookNode

from course.widgets import stepper_export
from course.widgets.panel import read_asset
from tools.refresh_notebooks import clean, execute, read_notebook
from tools.site.code_style import code_style
from tools.site.fragments import NO_GUESS_TEXT, RUN_LINK
from tools.site.name_links import link_names

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
RUN_ADDRESS = "run/notebooks/index.html?path={}.ipynb"  # the running notebook, from a page
ICON = HERE / "engine" / "icon.svg"
NOT_WRITTEN = "NotImplementedError"  # in the feedback of a check on an unwritten exercise
FORMULA = re.compile(r"\$[^$\n]+\$")
PAGE_EXPORTER = HTMLExporter(template_name="basic", exclude_anchor_links=True)


def build(
    notebooks: Iterable[Path], out: Path, progress: Callable[[Path], object] = lambda path: None
) -> list[Path]:
    """Write a page for each notebook and for the glossary to `out`, and return the files.

    `progress` is called with each notebook before it is run.
    """
    out.mkdir(parents=True, exist_ok=True)
    glossary = ROOT / "notebooks" / "glossary.md"
    pages = [*sorted(notebooks), glossary]
    written = []
    for path in pages:
        if path == glossary:
            cell = nbformat.v4.new_markdown_cell(path.read_text(encoding="utf-8"))
            notebook, runs = nbformat.v4.new_notebook(cells=[cell]), ""
        else:
            progress(path)
            notebook, runs = run_for_page(path), RUN_ADDRESS.format(path.stem)
        about = escape(description(notebook))  # before `body` replaces its formulas
        text = with_contents(link_names(body(notebook), "docs/"), runs)
        above, below = (_navigation(path, pages, runs, name) for name in ("Above", "Below"))
        shown = f"{above}\n<main>\n{text}</main>\n{below}"
        head = f'<meta name="description" content="{about}">\n'
        head += f'<link rel="icon" href="data:image/svg+xml,{quote(ICON.read_text())}">\n'
        if '"gl-play ' in shown:
            head += '<link rel="stylesheet" href="engine.css">\n'
        facts = {"style": style(), "script": script(), "kind": "lesson", "head": head}
        file = out / f"{path.stem}.html"
        file.write_text(stepper_export.document(title(notebook), shown, **facts), encoding="utf-8")
        written.append(file)
    return written


def run_for_page(path: Path, module: str = "site.fragments") -> NotebookNode:
    """Run a notebook and return it with outputs that contain the fragments of its widgets.

    module  the module below `tools` whose `register_formatters` makes the fragments
    """
    program = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
    program += f"from tools.{module} import register_formatters\nregister_formatters()"
    notebook = read_notebook(path)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(program))
    notebook = clean(execute(notebook, path))
    del notebook.cells[0]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [each for each in cell.outputs if not is_unwritten(each)]
    return notebook


def title(notebook: NotebookNode) -> str:
    """Return the heading of a notebook."""
    (first, *_) = re.findall("^# (.*)", notebook.cells[0].source, re.M)
    return str(first)


def description(notebook: NotebookNode) -> str:
    """Return what a search engine shows of a page: the first paragraph of a notebook, as text."""
    paragraphs = re.split(r"\n\s*\n", notebook.cells[0].source)
    first = next((text for text in paragraphs if not text.startswith("#")), title(notebook))
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", first.removeprefix("**Goal.**"))
    return " ".join(re.sub("[*`]", "", words).split())


def _navigation(path: Path, pages: Sequence[Path], runs: str, name: str) -> str:
    """Return links to the other pages, and to the running notebook; screen readers say `name`."""
    at = pages.index(path)
    links = [("index.html", "All lessons"), ("docs/index.html", "Reference")]
    if at > 0:
        links.append((f"{pages[at - 1].stem}.html", "Previous"))
    if at + 1 < len(pages):
        links.append((f"{pages[at + 1].stem}.html", "Next"))
    shown = "".join(f'<a href="{link}">{name}</a>' for link, name in links)
    return (
        f"<nav aria-label='{name} the lesson'>{shown}{_run_link(runs, 'Run this notebook')}</nav>"
    )


def _run_link(address: str, words: str) -> str:
    """Return a link to a running notebook; "" if there is no address."""
    return f'<a class="runs" href="{address}">{words}</a>' if address else ""


def body(notebook: NotebookNode, exporter: HTMLExporter = PAGE_EXPORTER) -> str:
    """Return the cells as HTML, with links to pages instead of notebooks."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = FORMULA.sub(lambda found: _formula(found[0]), cell.source)
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if drawing := data.get("image/svg+xml"):
                output.data = {"text/html": _drawing(drawing)}
            elif "image/png" in data:  # screen readers read the numbers of a chart
                output.metadata["image/png"] = {"alt": data["text/plain"].strip("<>")}
    html, _ = exporter.from_notebook_node(notebook)
    html = re.sub(
        f"{NO_GUESS_TEXT} (\\w+);",
        rf'<span class="gl-guess" data-of="\1">{NO_GUESS_TEXT}</span>;',
        html,
    )
    return re.sub(r'href="(\w+)\.(?:ipynb|md)', r'href="\1.html', html)


def with_contents(html: str, runs: str) -> str:
    """Return the cells with a table of contents, and with a link to run each section.

    runs  the address of the running notebook; "" if there is none
    """
    before, *sections = re.split("(?=<h2>)", html)
    links, shown = "", before.replace(RUN_LINK, runs)
    for section in sections:
        heading, rest = section.removeprefix("<h2>").split("</h2>", 1)
        # The name of a section in an address: "4. Cut early" is 4-cut-early.
        words = re.sub("<[^>]*>|&[a-z]+;", "", heading).lower()
        name = re.sub(r"[^a-z0-9]+", "-", words).strip("-")
        links += f'<li><a href="#{name}">{heading}</a></li>'
        here = runs and f"{runs}#{name}"
        shown += f'<h2 id="{name}">{heading}</h2>{_run_link(here, "run this section")}'
        shown += rest.replace(RUN_LINK, here)
    contents = f'<details class="contents"><summary>Contents</summary><ul>{links}</ul></details>\n'
    return contents + shown


def is_unwritten(output: NotebookNode) -> bool:
    """Return whether an output is the feedback on an exercise that is not written yet."""
    return NOT_WRITTEN in "".join(str(each) for each in output.get("data", {}).values())


def _drawing(svg: str) -> str:
    """Return an SVG inline, so that screen readers find its title and its description."""
    wide = re.search(r'width="([\d.]+)"', svg)
    return f'<div class="drawing" style="--wide: {wide[1] if wide else 600}">{svg}</div>'


def _formula(formula: str) -> str:
    """Return a formula as an SVG, which needs neither a font nor a script."""
    image = io.BytesIO()
    math_to_image(formula, image, format="svg")
    drawing = image.getvalue().decode()
    drawing = re.sub(
        r"<metadata>.*?</metadata>|\n", "", drawing[drawing.index("<svg") :], flags=re.S
    )
    label = escape(formula.strip("$"))
    return drawing.replace("<svg", f'<svg class="formula" role="img" aria-label="{label}"', 1)


def style() -> str:
    """Return the style sheet of a page, for light and dark themes."""
    own = (HERE / "pages.css").read_text("utf-8")
    steps = stepper_export.style()
    return f"{code_style('.highlight')}{steps}{own}"


def script() -> str:
    """Return the JavaScript of the fragments."""
    return read_asset("stepper_export.js") + (HERE / "widgets.js").read_text("utf-8")
