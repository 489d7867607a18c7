"""The colours of code on the pages of the site, for light and dark themes."""

from pygments.formatters import HtmlFormatter

# Of the styles that come with Pygments, these have enough contrast for WCAG 2.2, level AA.
LIGHT, DARK = "xcode", "monokai"


def code_style(selector: str) -> str:
    """Return the style sheet of the highlighted code in the elements that a selector chooses."""
    light, dark = (HtmlFormatter(style=name).get_style_defs(selector) for name in (LIGHT, DARK))
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n"
