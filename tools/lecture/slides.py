"""Slides of a notebook: one file each, which needs neither Python nor a network.

    python -m tools.lecture.slides OUT [notebooks/03_alpha_beta.ipynb ...]

Questions, trees, boards and steppers work in them, as on the pages of the site.
"""

import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from string import Template

from nbconvert import SlidesExporter
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from course.kit.catalogue import catalogue
from tools.lecture.cells import CONFIG, each_notebook, is_skipped, pieces, with_widgets
from tools.site import pages
from tools.site.sources import from_npm

HERE = Path(__file__).parent
WIDE, HIGH = 1280, 720
REVEAL = (
    "reveal.js",
    "5.2.1",
    "r7//6mIM5p34hFiDMvYfXgyjXqGRta+/psd9YtytsgRlrpRzFv4RbH76TXd2qD+7ZPZEbpBDhdRhJaFgfQ7zNQ==",
)
EXPORTER = SlidesExporter(
    CONFIG, template_name="deck", extra_template_basedirs=[str(HERE)], exclude_anchor_links=True
)
ELSEWHERE = re.compile(r"(Predict|PlayBoard|Playground|Lab|ExperimentLab|Bandit)\((?:'(.*?)')?")
CALLED = {
    "Predict": "the question",
    "PlayBoard": "the board",
    "Playground": "the playground",
    "Bandit": "the slot machines",
    "Lab": "the lab",
    "ExperimentLab": "the lab",
}
OF_AN_EXERCISE = re.compile(r"e\d")
# Keys that a stepper, a field or a button understands move no slide.  Those of a presenter's remote
# always do, and reveal.js hears none in a field: so it is left first.
DECK = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
$style</style>
</head>
<body class="deck">
<main class="reveal"><div class="slides">
$body</div></main>
<script>
$script</script>
<script>
const REMOTE = ["PageUp", "PageDown"];
addEventListener("keydown", ({ key, target }) => {
  if (REMOTE.includes(key) && target.matches("input")) target.blur();
}, true);
Reveal.initialize({
  width: $wide, height: $high, margin: 0, maxScale: 4, center: false, transition: "none",
  hash: true, slideNumber: "c/t", navigationMode: "linear",
  keyboardCondition: ({ key, target }) => REMOTE.includes(key)
    || !target.closest(".gl-stepper, input, button:focus-visible"),
});
// Programs and what they print are as large as their slide has room for; below a question is room
// for what is said to an answer.  A line that is too long for the smallest print is broken in any.
const fit = () => {
  const slide = Reveal.getCurrentSlide(), wide = slide.clientWidth - 60;
  const room = $high - (slide.querySelector(".gl-live:not(.gl-stepper)") ? 150 : 0);
  const prints = [...slide.querySelectorAll("pre")];
  prints.forEach((one) => one.classList.add("fitting"));
  slide.style.removeProperty("--print");
  const some = prints.filter((one) => one.offsetWidth <= wide);
  prints.forEach((one) => one.classList.toggle("fitting", some.includes(one)));
  const holds = (size) => {
    slide.style.setProperty("--print", size + "px");
    return slide.scrollHeight <= $high && some.every((one) => one.offsetWidth <= wide)
      && [...slide.children].every((one) => one.offsetTop + one.offsetHeight <= room);
  };
  [28, 26, 24, 22, 20.5].some(holds) || slide.style.removeProperty("--print");
  prints.forEach((one) => one.classList.remove("fitting"));
};
Reveal.on("ready", fit);
Reveal.on("slidechanged", fit);
</script>
</body>
</html>
""")


def build(path: Path, out: Path) -> Path:
    """Return the file with the slides of a notebook, written to the folder `out`."""
    notebook = with_widgets(path)
    notebook.cells = list(told(list(pieces(notebook.cells)), path.stem))
    reveal = from_npm(*REVEAL) / "dist"
    text = DECK.substitute(
        title=escape(pages.title(notebook)),
        style="\n".join([_text(reveal / "reveal.css"), pages.style(), _text(HERE / "slides.css")]),
        body=pages.body(notebook, EXPORTER),
        script="\n".join([_text(reveal / "reveal.js"), pages.script()]),
        wide=WIDE,
        high=HIGH,
    )
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"{path.stem}.html"
    file.write_text(text, encoding="utf-8")
    return file


def told(cells: list[NotebookNode], notebook: str) -> Iterator[NotebookNode]:
    """Yield the cells, with a line for each widget that only the notebook has, and its exercises.

    notebook  its name, such as "03_alpha_beta"
    """
    for cell in cells:
        if cell.cell_type == "markdown" and re.match(r"## \d+ Exercises", cell.source):
            cell.source = f"{cell.source.split('**E')[0].strip()}\n\n{_exercises(notebook)}"
        yield cell
        if found := _elsewhere(cell):
            yield new_markdown_cell(f'<p class="elsewhere">In the notebook: {found}.</p>')


def _elsewhere(cell: NotebookNode) -> str:
    """Return what a cell shows that is no part of a slide, or an empty text."""
    if cell.cell_type != "code" or not is_skipped(cell) or OF_AN_EXERCISE.match(cell.id):
        return ""
    for output in cell.outputs:
        if found := ELSEWHERE.match(output.get("data", {}).get("text/plain", "")):
            name, title = found.groups()
            return CALLED[name] + (f" “{escape(title)}”" if title else "")
    return ""


def _exercises(notebook: str) -> str:
    """Return the exercises of a notebook as a list."""
    return "\n".join(
        f"- **{one.key[3:].upper()}** {one.title} ({one.points} points)"
        for one in catalogue().values()
        if one.notebook == notebook
    )


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the slides, and print where they are."""
    each_notebook(__doc__, build, arguments)


if __name__ == "__main__":
    main()
