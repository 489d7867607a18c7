"""Charts: the right numbers, as text too; readable on any background; no pyplot."""

from itertools import pairwise

import pytest
from matplotlib.colors import to_hex

from arena import tournament, wilson_interval
from course.draw import charts
from gamelib import TicTacToe, lookahead_agent, random_agent
from tests.fresh import fresh

ROW = {"agent": "a", "games": 20, "X wins": 0.5, "X wins from": 0.3, "X wins to": 0.7}
CHOICE = {
    **{"setting": 20, "runs": 20, "agreement": 0.6, "agreement from": 0.4, "agreement to": 0.8},
    **{"optimal": 0.4, "optimal from": 0.2, "optimal to": 0.6, "value": 0.1, "value from": -0.2},
    **{"value to": 0.3, "value of one run": 0.2, "one run": (0, 1), "best": [(0, 2)]},
    "chosen": {(0, 1): 12, (0, 2): 8},
}
PROOF = {"position": "easy", "simulations": 12, "proven": True}
NONE = {"position": "<b>hard", "simulations": 2000, "proven": False}
LEAGUE = tournament([random_agent(), lookahead_agent()], state=TicTacToe(), games=10)

CHARTS = {
    "depth": lambda: charts.nodes_by_depth({"a": {0: 1, 1: 9}, "b": {0: 1, 1: 3}}),
    "rates": lambda: charts.win_rates({"<b>": (10.5, 20), "perfect": (20, 20)}),
    "proofs": lambda: charts.proofs([PROOF, NONE]),
    "convergence": lambda: charts.convergence({"x": {9: (0, 7), 50: 1.0, 500: (10, 10)}}),
    "learning": lambda: charts.learning({"<b>": {0: 0.4, 9: (0.8, 0.7, 0.9)}}, {"x": 0.5}),
    "outcomes": lambda: charts.outcomes([ROW], [ROW]),
    "choices": lambda: charts.choices([CHOICE, {**CHOICE, "setting": 1000}], [CHOICE]),
    "ratings": lambda: charts.ratings(LEAGUE),
}


@pytest.mark.parametrize("name", CHARTS)
def test_chart_is_png_and_text(name) -> None:
    chart = CHARTS[name]()
    assert chart.png().startswith(b"\x89PNG")
    assert repr(chart).startswith("<chart: ")
    assert chart.png() == CHARTS[name]().png()  # the same bytes every time
    axes = chart.axes[0]
    assert to_hex(chart.get_facecolor()) == to_hex(axes.get_facecolor()) == "#ffffff"
    assert {to_hex(label.get_color()) for label in axes.get_xticklabels()} == {"#1a1a1a"}
    assert min(text.get_fontsize() for text in [axes.xaxis.label, *axes.get_xticklabels()]) >= 14


def test_series_differ_in_marker_and_line() -> None:
    chart = CHARTS["depth"]()
    assert "a by depth: 0: 1, 1: 9; b by depth: 0: 1, 1: 3" in repr(chart)
    assert chart.axes[0].get_yscale() == "log"
    styles = [(line.get_marker(), line.get_linestyle()) for line in chart.axes[0].get_lines()]
    assert len(set(styles)) == len(styles) == 2


def test_previous_run_is_drawn_pale() -> None:
    axes = charts.nodes_by_depth({"a": {1: 5, 2: 9}}, {"a": {1: 7, 2: 20}}).axes[0]
    new, before = axes.get_lines()
    assert list(before.get_ydata()) == [7, 20]
    assert (new.get_alpha(), before.get_alpha()) == (None, charts.FADED["alpha"])
    assert before.get_color() == new.get_color()
    bars = charts.proofs([PROOF], [{**NONE, "position": "easy"}]).axes[0].patches
    assert [bar.get_width() for bar in bars] == [12, 2000]


def test_optimal_actions_are_dotted_at_bottom() -> None:
    axes = charts.choices([CHOICE]).axes[0]
    optimal, other = axes.patches
    assert (optimal.get_y(), optimal.get_height(), other.get_height()) == (0, 0.4, 0.6)
    assert (optimal.get_hatch(), other.get_hatch()) == ("...", "")
    assert [text.get_text() for text in axes.texts] == ["0,2", "0,1"]
    figure = charts.choices([{**CHOICE, "optimal": None, "best": None}])  # nobody knows
    assert len({bar.get_facecolor() for bar in figure.axes[0].patches}) == 1
    assert "optimal" not in figure.gamelib_text


def test_shares_have_wilson_intervals() -> None:
    low, high = wilson_interval(30, 40)
    assert f"a: 75.0% ({low:.1%} to {high:.1%}) of 40" in repr(charts.win_rates({"a": (30, 40)}))
    figure = charts.convergence({"a": {20: (0.5, 0.3, 0.9)}})  # brings its own
    assert figure.gamelib_text == "Share of optimal choices. a: 20: 50.0% (30.0% to 90.0%)."


def test_unproven_positions_are_hatched_and_named() -> None:
    chart = CHARTS["proofs"]()
    assert [bool(bar.get_hatch()) for bar in chart.axes[0].patches] == [False, True]
    assert "easy: 12; <b>hard: 2,000: no proof" in repr(chart)


def test_pyplot_is_never_loaded() -> None:
    code = (
        "import sys; from course.draw import charts;"
        "charts.win_rates({'a': (1, 2)}).png();"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    fresh("-c", code)


def test_ratings_have_intervals() -> None:
    chart = charts.ratings(LEAGUE)
    best = LEAGUE.ranking[0]
    point, caps, _ = chart.axes[0].containers[0]
    assert [*point.get_xdata(), *(cap.get_xdata()[0] for cap in caps)] == pytest.approx(
        [best.rating.rating, best.rating.low, best.rating.high]
    )
    assert f"{best.agent}: {best.rating.rating:+.0f} ({best.rating.low:+.0f} to" in repr(chart)


def test_more_than_four_curves_are_labelled_directly() -> None:
    figure = charts.convergence({name: {20: (9, 20), 50: (12, 20)} for name in "abcde"})
    figure.png()  # lays it out
    (axes,) = figure.axes
    assert axes.get_legend().get_window_extent().x0 >= axes.get_window_extent().x1


@pytest.mark.parametrize("most", [9, 999, 549_946, 618_238_415])
def test_axis_labels_are_inside_figure(most) -> None:
    figure = charts.nodes_by_depth({"a": {1: 3, 9: most // 3}}, {"a": {1: 8, 9: most}})
    figure.png()  # lays it out
    (axes,) = figure.axes
    assert axes.get_tightbbox().x0 >= 0


@pytest.mark.parametrize("most", [288, 576, 20_480, 40_960])
def test_numbers_of_games_do_not_touch(most: int) -> None:
    figure = charts.learning({"one move ahead": {most // 8: 0.4, most: 0.5}})
    figure.png()  # lays it out
    boxes = [label.get_window_extent() for label in figure.axes[0].get_xticklabels()]
    assert len(boxes) >= 4
    assert all(one.x1 + 5 < two.x0 for one, two in pairwise(boxes))


def test_learning_curves_have_bands_and_fitted_axis() -> None:
    curves = {"net": {0: (0.4, 0.33, 0.45), 576: (0.9, 0.86, 0.94)}}
    figure = charts.learning(curves, {"plain": (0.91, 0.9, 0.92), "exact": 1.0})
    (axes,) = figure.axes
    assert [line.get_label() for line in axes.lines] == ["net", "plain", "exact"]
    assert [*axes.lines[1].get_xdata()] == [0, 576]
    assert axes.get_ylim()[0] == pytest.approx(0.3)
    band = axes.collections[0].get_paths()[0].get_extents()
    assert (band.y0, band.y1) == pytest.approx((0.33, 0.94))
    assert "net: 0: 40.0% (33.0% to 45.0%), 576: 90.0% (86.0% to 94.0%)" in figure.gamelib_text
    assert "plain: 91.0% (90.0% to 92.0%); exact: 100.0%." in figure.gamelib_text


def test_chart_series_keeps_its_colour():
    both, one = {"a": {1: 5, 2: 9}, "b": {1: 3, 2: 4}}, {"b": {1: 3, 2: 4}}
    looks = []
    for shown in (both, one):
        axes = charts.nodes_by_depth(shown, names=["a", "b"]).axes[0]
        (line,) = [each for each in axes.lines if each.get_label() == "b"]
        looks.append((line.get_color(), line.get_marker(), line.get_linestyle()))
    assert looks[0] == looks[1]
