"""Slides of a notebook: one file each, which needs neither Python nor a network.

    python -m tools.lecture.slides OUT [notebooks/03_alpha_beta.ipynb ...]

Questions, trees, boards and steppers work in them, as on the pages of the site.
"""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template

from nbconvert import SlidesExporter

from tools.lecture.cells import CONFIG, each_notebook, pieces, with_widgets
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
</script>
</body>
</html>
""")


def build(path: Path, out: Path) -> Path:
    """Return the file with the slides of a notebook, written to the folder `out`."""
    notebook = with_widgets(path)
    notebook.cells = list(pieces(notebook.cells))
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


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the slides, and print where they are."""
    each_notebook(__doc__, build, arguments)


if __name__ == "__main__":
    main()
