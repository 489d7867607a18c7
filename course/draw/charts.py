"""Charts of counts and proportions as matplotlib Figures, each with its numbers as text.

A chart is dark on white, so that it can be read in a light and in a dark notebook.  Two series
differ in marker and line as well as in colour.  pyplot is not used, so a chart can be made in any
thread and no figure stays open.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from html import escape
from textwrap import fill
from typing import TYPE_CHECKING, Any

from course.draw.front_end import current_message, front_end_shows_pages
from course.install_hint import with_install_hint
from gamelib.svg.primitives import INK, LINE, MUTED, PAPER, PLAYER_COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from arena import Tournament

MARKERS, LINES = ("o", "s", "^", "D", "v", "P"), ("-", "--", "-.", ":", "-", "--")
SIZE = 14  # font size, in points
HEIGHT = 4.2  # height of a chart, in inches
BAR = "#9CC7E4"  # pale, so that dark text on it is readable
LOW = "#F2BE85"  # equally pale, and its opposite
BOLD: dict[str, Any] = {"lw": 2.5, "ms": 8, "mec": INK}
AT: dict[str, Any] = {"textcoords": "offset points"}
BESIDE: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1, 0.5)}
# style of a previous run
FADED: dict[str, Any] = {"lw": 2, "ms": 8, "mfc": PAPER, "alpha": 0.7, "zorder": 1}

Share = tuple[float, int]  # (hits, trials)
ShareWithInterval = tuple[float, float, float]  # (share, low, high), with its interval
# a value, and the distances to the lower and the upper end of its interval
Errors = tuple[float, float, float]
Counts = Mapping[int, int]


def nodes_by_depth(
    counted: Mapping[str, Counts],
    previous: Mapping[str, Counts] | None = None,
    *,
    what: str = "nodes",
    names: Sequence[str] = (),
) -> Figure:
    """Return a chart of the nodes visited at each depth, on a log scale, or of another count.

    counted   {name: {depth: nodes}}
    previous  the counts of the previous run, drawn pale
    what      what is counted
    names     all series that there can be; each keeps its colour when another one is hidden
    """
    series = dict(counted)
    text = [
        f"{name} by depth: " + ", ".join(f"{depth}: {nodes:,}" for depth, nodes in counts.items())
        for name, counts in series.items()
    ]
    figure, axes = _chart(f"{what.capitalize()} by depth", text, fitted=False)
    from matplotlib.ticker import MaxNLocator

    order = list(dict.fromkeys([*names, *series, *(previous or {})]))
    for name, counts in series.items():
        index = order.index(name)
        depths = sorted(depth for depth, nodes in counts.items() if nodes > 0)
        axes.plot(depths, [counts[d] for d in depths], **_style(index), label=name)
    for name, counts in (previous or {}).items():
        style = _style(order.index(name), pale=True)
        axes.plot([*counts], [*counts.values()], **style, label=f"{name} before")
    all_series = [*series.values(), *(previous or {}).values()]
    _set_log_axis(figure, axes, [number for counts in all_series for number in counts.values()])
    _label(axes, "depth (plies)", f"{what}, log scale", several=bool(previous) or len(series) > 1)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def _set_log_axis(figure: Figure, axes: Axes, drawn: Sequence[int]) -> None:
    """Make the vertical axis logarithmic, with space for the numbers that are drawn."""
    from matplotlib.ticker import LogLocator

    axes.set_yscale("log")
    axes.minorticks_off()  # minor ticks would take a third of the drawing time
    if min(drawn) < max(drawn) < 100 * min(drawn):
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:,.0f}")
    widest = max(len(f"{2 * number:,}") for number in drawn)
    figure.subplots_adjust(left=0.06 + 0.014 * max(widest, 5))


def win_rates(
    rates: Mapping[str, Share | float],
    *,
    title: str = "Share of points",
    even: float | None = 0.5,
) -> Figure:
    """Return a chart of shares with 95 % Wilson intervals: {name: (points, games)}.

    A plain number is a share of all cases, so it has no interval.  `even` is the share of equal
    agents, drawn as a line; None draws no line.
    """
    rows, written = {}, {}
    for name, rate in rates.items():
        share, *_ = rows[name] = _share_and_errors(rate)
        of = f" of {rate[1]:,}" if isinstance(rate, tuple) else ""
        side = "left" if share < 0.1 else "right" if share > 0.9 else "center"
        written[name] = f"{share:.1%}{of}", side
    text = [f"{name}: {_interval_text(rate)}" for name, rate in rates.items()]
    figure, axes = _dots(title, text, rows, written, even)
    axes.set_xlim(0, 1)
    interval = ", 95 % interval" if any(isinstance(rate, tuple) for rate in rates.values()) else ""
    _label(axes, f"{title[:1].lower()}{title[1:]}{interval}")
    return figure


def ratings(league: Tournament, *, title: str = "Ratings") -> Figure:
    """Return a chart of ratings in Elo points with 95 % intervals; the mean is a line at 0."""
    rated = {each.agent: each.rating for each in league.ranking if each.rating}
    text = [f"{n}: {r.rating:+.0f} ({r.low:+.0f} to {r.high:+.0f})" for n, r in rated.items()]
    rows = {n: (r.rating, r.rating - r.low, r.high - r.rating) for n, r in rated.items()}
    written = {name: (f"{each.rating:+.0f}", "center") for name, each in rated.items()}
    figure, axes = _dots(title, text, rows, written, 0)
    _label(axes, "rating in Elo points, 95 % interval")
    return figure


def _dots(
    title: str,
    text: Iterable[str],
    rows: Mapping[str, Errors],
    written: Mapping[str, tuple[str, str]],
    line: float | None,
) -> tuple[Figure, Axes]:
    """Return a chart with a row for each dot: its interval and its text, and a vertical line."""
    figure, axes = _chart(title, text)
    figure.set_figheight(max(HEIGHT, 0.65 * len(rows) + 1))
    for row, (name, (value, below, above)) in enumerate(rows.items()):
        look: Any = {"fmt": "o", "ms": 9, "capsize": 6, "lw": 2.5, "color": INK}
        axes.errorbar([value], [row], xerr=[[below], [above]], **look)
        words, side = written[name]
        axes.annotate(words, (value, row), (0, 9), ha=side, fontsize=SIZE - 1, **AT)
    if line is not None:
        axes.axvline(line, color=LINE, ls="--", lw=1.5)
    _name_rows(axes, rows)
    return figure, axes


def proofs(rows: Sequence[Mapping[str, Any]], previous: Sequence[Mapping[str, Any]] = ()) -> Figure:
    """Return a chart of the simulations to a proof, from the rows of `solver_lab`.

    Positions that were not proven are hatched.  The axis of simulations is a log scale.  Rows of a
    `previous` run are drawn as thin, pale bars.
    """
    labels = [f"{row['simulations']:,}{'' if row['proven'] else ': no proof'}" for row in rows]
    names = [row["position"] for row in rows]
    text = [f"{name}: {label}" for name, label in zip(names, labels, strict=True)]
    figure, axes = _chart("Simulations to a proof", text)
    for place, row in enumerate(rows):
        hatch = "" if row["proven"] else "//"
        axes.barh(place, row["simulations"], color=BAR, edgecolor=INK, lw=1.2, hatch=hatch)
        look: Any = {"va": "center", "color": INK, "fontsize": SIZE - 1, **AT}
        axes.annotate(labels[place], (row["simulations"], place), (6, 0), **look)
    for row in previous:
        place, hatch = names.index(row["position"]), "" if row["proven"] else "//"
        axes.barh(place + 0.45, row["simulations"], 0.1, color=MUTED, hatch=hatch, alpha=0.55)
    most = max(row["simulations"] for row in [*rows, *previous])
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlim(0.8, 20 * most)
    _name_rows(axes, names)
    axes.grid(visible=False, axis="y")
    _label(axes, "simulations, log scale")
    return figure


def outcomes(
    rows: Sequence[Mapping[str, Any]], previous: Sequence[Mapping[str, Any]] = ()
) -> Figure:
    """Return a chart of the results of games with 95 % intervals, from the rows of `seats_lab`.

    Rows of a `previous` run are drawn pale.
    """
    ends = [name for name in rows[0] if f"{name} from" in rows[0]]
    shares = [", ".join(f"{end} {row[end]:.1%}" for end in ends) for row in rows]
    text = [f"{row['agent']}: {share}" for row, share in zip(rows, shares, strict=True)]
    figure, axes = _chart("Share of games", text, fitted=False)
    for pale, some in ((True, previous), (False, rows)):
        for index, row in enumerate(some):
            for place, end in enumerate(name for name in ends if name in row):
                shift = 0.16 * (index - (len(some) - 1) / 2) + 0.06 * pale
                style = {**_style(index, pale=pale), "ls": "", "capsize": 5}
                label = row["agent"] if place == 0 and not pale else None
                errors = _errors_of([row], end)
                axes.errorbar([place + shift], [row[end]], yerr=errors, label=label, **style)
    axes.set_xticks(range(len(ends)), ends)
    axes.set_ylim(-0.03, 1.03)
    _label(axes, "", "share of games, 95 %", several=True)
    return figure


def choices(
    rows: Sequence[Mapping[str, Any]],
    previous: Sequence[Mapping[str, Any]] = (),
    *,
    per: str = "simulations",
) -> Figure:
    """Return three charts of the choices of repeated MCTS, from the rows of `mcts_choices`.

    They show the chosen actions as stacked bars, with the optimal ones blue and dotted; the
    agreement and the proportion of optimal choices with their 95 % intervals; and the middle 90 %
    of the values, with one run.  Rows of a `previous` run are drawn pale.
    """
    text = [_choice_text(row) for row in rows]
    figure, actions = _chart(f"Actions chosen, by {per}", text, fitted=False)
    figure.set_size_inches(11, 3.7)
    grid = figure.add_gridspec(1, 3, left=0.045, right=0.99, bottom=0.17, top=0.9, wspace=0.18)
    actions.set_subplotspec(grid[0])
    shares, values = (figure.add_subplot(grid[place], facecolor=PAPER) for place in (1, 2))
    for axes, title in ((actions, "Actions chosen"), (shares, "Share of runs"), (values, "Value")):
        _style_axes(axes, title)
    _stack(actions, rows)
    _shares(shares, previous, pale=True)
    _shares(shares, rows)
    _band(values, [(x, row) for x, row in enumerate(previous) if "value" in row], "value", 2, True)
    _values(values, rows, one_run=per == "simulations")
    actions.set_ylim(0, 1.03)
    shares.set_ylim(0, 1.25)  # space for the legend
    shares.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    for axes in (actions, shares, values):
        axes.set_xlim(-0.5, len(rows) - 0.5)
        axes.set_xticks(range(len(rows)), [_short(row["setting"]) for row in rows])
        if not isinstance(rows[0]["setting"], str):
            _label(axes, per)
    _legend(shares, 3, loc="upper center", ncols=2)
    _legend(values, 3, loc="best")
    return figure


def _choice_text(row: Mapping[str, Any]) -> str:
    known = "" if row["optimal"] is None else f", optimal {row['optimal']:.0%}"
    return f"{row['setting']}: agreement {row['agreement']:.0%}{known}, chosen {row['chosen']}"


def _stack(axes: Axes, rows: Sequence[Mapping[str, Any]]) -> None:
    """Draw a bar for each row, with a segment for each action and the optimal ones below."""
    for place, row in enumerate(rows):
        best, below = row["best"], 0.0
        ranked = sorted(row["chosen"].items(), key=lambda item: (item[0] not in (best or ()),))
        for action, n in ranked:
            right = best is not None and action in best
            colour = BAR if right else LOW if best is not None else "#DDDDDD"
            share, hatch = n / row["runs"], "..." if right else ""
            axes.bar(place, share, 0.84, below, color=colour, edgecolor=INK, lw=0.8, hatch=hatch)
            if share > 0.06:
                box: Any = {"facecolor": colour, "edgecolor": "none", "pad": 1}
                look: Any = {"color": INK, "bbox": box, "fontsize": SIZE - 3}
                middle = below + share / 2
                axes.text(place, middle, _short(action), ha="center", va="center", **look)
            below += share
    axes.grid(visible=False)


def _shares(axes: Axes, rows: Sequence[Mapping[str, Any]], *, pale: bool = False) -> None:
    for index, name in enumerate(("optimal", "agreement")):
        known = [(x, row) for x, row in enumerate(rows) if row[name] is not None]
        _band(axes, known, name, index, pale)


def _values(axes: Axes, rows: Sequence[Mapping[str, Any]], *, one_run: bool) -> None:
    known = [(place, row) for place, row in enumerate(rows) if "value" in row]
    _band(axes, known, "value", 2, False, label="median, middle 90 %")
    if one_run:
        look: Any = {"color": INK, "lw": 1.5, "ls": ":", "marker": "x", "ms": 8}
        points = [(x, row["value of one run"]) for x, row in known]
        axes.plot(*zip(*points, strict=True), label="one run, its action", **look)
        for point, (_, row) in zip(points, known, strict=True):
            axes.annotate(_short(row["one run"]), point, (5, 5), color=INK, fontsize=SIZE - 3, **AT)


def _band(
    axes: Axes,
    rows: Sequence[tuple[int, Mapping[str, Any]]],
    name: str,
    index: int,
    pale: bool,
    label: str = "",
) -> None:
    """Draw a line through a column of rows, with its interval; if pale, without."""
    shift = 0.08 * (index % 2)  # so that lines with equal values do not cover each other
    places, middles = [x + shift for x, _ in rows], [row[name] for _, row in rows]
    if pale or not rows:
        axes.plot(places, middles, **_style(index, pale=True))
        return
    errors = _errors_of([row for _, row in rows], name)
    axes.errorbar(places, middles, yerr=errors, capsize=5, **_style(index), label=label or name)


def _errors_of(rows: Sequence[Mapping[str, Any]], name: str) -> list[list[float]]:
    """Return the distances to both ends of the interval of a column, row by row."""
    below = [max(0, row[name] - row[f"{name} from"]) for row in rows]
    return [below, [max(0, row[f"{name} to"] - row[name]) for row in rows]]


def _short(value: Any) -> str:
    """Return a setting or an action in few letters."""
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    if isinstance(value, int) and value >= 1000:
        return f"{value / 1000:g}k"
    return f"{value:.2g}" if isinstance(value, float) else fill(str(value), 9)


def convergence(
    curves: Mapping[str, Mapping[int, Share | ShareWithInterval | float]],
    *,
    per: str = "simulations",
) -> Figure:
    """Return a chart of the proportion of optimal choices by budget.

    curves  {name: {budget: (right, runs)}}; a plain number has no interval, and (share, low, high)
            has its own
    """
    figure, axes = _chart("Share of optimal choices", _curve_texts(curves))
    for index, (name, curve) in enumerate(curves.items()):
        budgets, shares, errors = _points(curve)
        axes.errorbar(budgets, shares, yerr=errors, capsize=5, **_style(index), label=name)
    axes.set_xscale("log")
    every = sorted({budget for curve in curves.values() for budget in curve})
    words = _short if len(every) > 6 else "{:,}".format  # in full, many of them would overlap
    axes.set_xticks(every, [*map(words, every)], minor=False)
    axes.set_xticks([], minor=True)
    axes.set_ylim(-0.03, 1.05)
    _label(axes, f"{per}, log scale", "share of optimal choices", several=True)
    if len(curves) > 3:  # so many lines leave no space for a legend
        _legend(axes, 1, **BESIDE)
    return figure


def learning(
    curves: Mapping[str, Mapping[int, ShareWithInterval | float]],
    levels: Mapping[str, ShareWithInterval | float] | None = None,
) -> Figure:
    """Return a chart of the proportion of optimal choices by games of training.

    curves  {name: {games: (share, low, high)}}; the band of a curve goes from low to high
    levels  proportions that do not change, drawn as horizontal lines

    The axis of proportions begins below the lowest one.
    """
    flat = levels or {}
    text = [*_curve_texts(curves), *(f"{n}: {_interval_text(share)}" for n, share in flat.items())]
    figure, axes = _chart("Share of optimal choices", text)
    ends = sorted({x for curve in curves.values() for x in curve})
    drawn = {**curves, **{name: dict.fromkeys((ends[0], ends[-1]), y) for name, y in flat.items()}}
    lowest = 1.0
    for index, (name, curve) in enumerate(drawn.items()):
        places, shares, errors = _points(curve)
        low = [share - below for share, below in zip(shares, errors[0], strict=True)]
        high = [share + above for share, above in zip(shares, errors[1], strict=True)]
        style = _style(index) | ({"marker": "", "lw": 2} if name in flat else {"ms": 6})
        axes.fill_between(places, low, high, color=style["color"], alpha=0.18, lw=0)
        axes.plot(places, shares, label=name, **style)
        lowest = min(lowest, *low)
    axes.set_ylim(int(10 * lowest) / 10, 1.01)
    axes.locator_params(axis="x", nbins=6)  # more numbers of games would touch each other
    axes.xaxis.set_major_formatter("{x:,.0f}")
    _label(axes, "games", "share of optimal choices")
    _legend(axes, 1, **BESIDE)
    return figure


def _curve_texts(
    curves: Mapping[str, Mapping[int, Share | ShareWithInterval | float]],
) -> list[str]:
    return [
        f"{name}: " + ", ".join(f"{x:,}: {_interval_text(y)}" for x, y in curve.items())
        for name, curve in curves.items()
    ]


def _points(
    curve: Mapping[int, Share | ShareWithInterval | float],
) -> tuple[list[int], list[float], Any]:
    """Return the x values of a curve, its shares, and their errors below and above."""
    places = sorted(curve)
    shares, *errors = zip(*(_share_and_errors(curve[x]) for x in places), strict=True)
    return places, list(shares), errors


# --- shared by the charts ---


def _chart(title: str, text: Iterable[str], *, fitted: bool = True) -> tuple[Figure, Axes]:
    """Return a new figure with one pair of axes; `text` has the numbers that it shows.

    Fitting the layout to the labels takes as long as drawing, so it is optional.
    """
    layout = "constrained" if fitted else None
    figure: Any = _chart_class()(figsize=(8, HEIGHT), layout=layout, facecolor=PAPER)
    if fitted:
        figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12)
    else:
        figure.subplots_adjust(left=0.11, right=0.98, bottom=0.17, top=0.9)
    figure.gamelib_text = f"{title}. {'; '.join(text)}."
    axes = figure.add_subplot(facecolor=PAPER)
    _style_axes(axes, title)
    return figure, axes


def _style_axes(axes: Axes, title: str) -> None:
    axes.set_title(title, fontsize=SIZE + 2, fontweight="bold", color=INK, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(INK)
    axes.tick_params(labelsize=SIZE, colors=INK)
    axes.grid(axis="y", color="#D8D8D8", lw=0.8)
    axes.set_axisbelow(True)


@cache
def _chart_class() -> type[Any]:
    """Return a Figure class that Jupyter shows without pyplot, with its contents as text."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise with_install_hint(error) from error

    class Chart(Figure):
        gamelib_text = ""

        def __repr__(self) -> str:
            return f"<chart: {self.gamelib_text}>"

        def png(self) -> bytes:
            file = io.BytesIO()
            self.savefig(file, format="png", dpi=110, metadata={"Software": None})
            return file.getvalue()

        def html(self) -> str:
            alt = escape(repr(self).strip("<>"))
            data = f"data:image/png;base64,{self._repr_png_()}"
            return f'<img class="widget-image" alt="{alt}" src="{data}">'

        def _repr_html_(self) -> str | None:
            # JupyterLab shows a PNG as an image without a text for screen readers.  Saved outputs
            # stay without this HTML, because nbval would compare it, and every version of
            # Matplotlib draws another PNG.
            return self.html() if front_end_shows_pages(current_message()) else None

        def _repr_png_(self) -> str:
            # As base64, because the kernel of a browser tab passes on the bytes from `display`
            # unchanged, and no page can show them.
            return base64.b64encode(self.png()).decode()

    return Chart


def _style(index: int, *, pale: bool = False) -> dict[str, Any]:
    """Return colour, marker and line of a series, which differ even without the colour."""
    kind = index % len(MARKERS)
    look = {"color": PLAYER_COLOURS[kind], "marker": MARKERS[kind]}
    return {**look, "ls": ":", **FADED} if pale else {**look, "ls": LINES[kind], **BOLD}


def _label(axes: Axes, x: str, y: str = "", *, several: bool = False) -> None:
    axes.set_xlabel(x, fontsize=SIZE, color=INK)
    axes.set_ylabel(y, fontsize=SIZE, color=INK)
    if several:
        _legend(axes, 1)


def _legend(axes: Axes, smaller: int, **place: Any) -> None:
    axes.legend(fontsize=SIZE - smaller, frameon=False, labelcolor=INK, **place)


def _name_rows(axes: Axes, names: Collection[str]) -> None:
    axes.set_yticks(range(len(names)), list(names))
    axes.set_ylim(len(names) - 0.4, -0.6)


def _share_and_errors(share: Share | ShareWithInterval | float) -> Errors:
    """Return a share, and the distances to both ends of its 95 % interval."""
    if not isinstance(share, tuple):
        return share, 0, 0
    middle, low, high = _ranged(share)
    # at 0 and 1 rounding errors may have the wrong sign
    return middle, max(0, middle - low), max(0, high - middle)


def _ranged(share: Share | ShareWithInterval) -> ShareWithInterval:
    return share if len(share) == 3 else (share[0] / share[1], *wilson(*share))


def wilson(right: float, runs: int) -> tuple[float, float]:
    """Return the 95 % interval of Wilson (1927) for a proportion."""
    # imported late, because a board must not load the arena
    from arena.results.statistics import wilson_interval

    return wilson_interval(right, runs)


def _interval_text(share: Share | ShareWithInterval | float) -> str:
    if not isinstance(share, tuple):
        return f"{share:.1%}"
    middle, low, high = _ranged(share)
    of = f" of {share[1]:,}" if len(share) == 2 else ""
    return f"{middle:.1%} ({low:.1%} to {high:.1%}){of}"
