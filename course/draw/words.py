"""Values, paths and cuts as short text, the same in every drawing, table and sentence."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import inf
from typing import Any

from course.watch.events import Cut
from course.watch.trace import Trace
from course.watch.visits import NodeFacts, Path
from gamelib.picture.board import Tint
from gamelib.search import result
from gamelib.search.result import Kind
from gamelib.spots import spot_of_action
from gamelib.state import Action, GameState

ROLES = ("max", "min", "chance")
SHORT = 24  # letters of a value beside a program
UNITS = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
SIGNS = {kind: f"{sign} " for kind, sign in result.SIGNS.items()}
SIGNS |= {"exact": "", "upper": "≤ ", "lower": "≥ "}


def in_words(value: object) -> str:
    """Return a value as text: "3", "0.25", "1/3", "∞", "(1, 2, 3)", and "?" for None."""
    if value is None:
        return "?"
    if isinstance(value, tuple):
        return f"({', '.join(map(in_words, value))})"
    if value in (inf, -inf):
        return "∞" if value == inf else "-∞"
    if isinstance(value, Fraction) and value.denominator > result.LONGEST:
        value = float(value)
    if isinstance(value, float):
        return f"{value + 0:.4g}"
    return str(value)


def number_in_words(number: float) -> str:
    """Return a large number in two digits and a word: "41 million", "730 billion", "1.2 * 10^17".

    One below a million is written out.
    """
    if number < 999_500:
        return f"{number:,.0f}"
    rounded = float(f"{number:.2g}")  # first, since 999.6 million is a billion
    if rounded >= 1e15:
        digits, power = f"{rounded:.1e}".split("e+")
        return f"{digits.removesuffix('.0')} * 10^{int(power)}"
    size, word = next(unit for unit in UNITS if rounded >= unit[0])
    return f"{rounded / size:.1f}".removesuffix(".0") + f" {word}"


def bound_in_words(value: object, kind: Kind) -> str:
    """Return "3", "≤ 3" or "≥ 3"; with an estimate behind it "~ 3", "<~ 3" or ">~ 3"."""
    return f"{SIGNS[kind]}{in_words(value)}"


def mover(trace: Trace, state: GameState) -> str:
    """Return who moves, with the role in the search where it has such: "X (max)", "player 2".

    In a tree of max and min the role is the name.
    """
    role, name = trace.role(state), state.player_name(state.current_player)
    if not role or name in ROLES:
        return role or name
    return f"{name} ({role})"


def outcome_in_words(state: GameState, payoffs: tuple[float, ...]) -> str:
    """Return how a game ends: "X wins", "draw"; for other payoffs what each player gets."""
    names = [state.player_name(player) for player in range(len(payoffs))]
    if not any(payoffs):
        return "draw"
    if set(payoffs) <= {1, -1}:
        return (
            " and ".join(n for n, payoff in zip(names, payoffs, strict=True) if payoff == 1)
            + " wins"
        )
    return listed(f"{in_words(p)} for {n}" for n, p in zip(names, payoffs, strict=True))


def listed(items: Iterable[Any]) -> str:
    """Return "1", "1 and 2", "1, 2 and 3"."""
    words = [str(item) for item in items]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def line_in_words(actions: tuple[Action, ...]) -> str:
    """Return actions one after the other: "1 → 0"."""
    return " → ".join(map(str, actions))


def path_in_words(path: tuple[Action, ...]) -> str:
    """Return "the root", or the actions that lead to a node: "node 1 → 0"."""
    return f"node {line_in_words(path)}" if path else "the root"


def capital(sentence: str) -> str:
    """Return a sentence with its first letter in upper case."""
    return sentence[:1].upper() + sentence[1:]


def why_cut(trace: Trace, path: Path) -> str:
    """Return why a search did not visit `path`, or skipped the rest of it, in lines to print."""
    # JupyterLab breaks a longer line anywhere, inside words, too.
    return why_not_visited(trace, path).replace(". Not", ".\n  Not")


def why_not_visited(trace: Trace, path: Path) -> str:
    """Return what `why_cut` says, in one line."""
    path, cuts = tuple(path), trace.cuts()
    if path in cuts:
        return cut_in_words(path, cuts[path])
    for length in range(len(path)):
        cut = cuts.get(path[:length])
        if cut is not None and path[length] in cut.skipped:
            return cut_in_words(path[:length], cut)
    if path in set(trace.visited()):
        return f"Not cut: the search visited {path_in_words(path)}, and skipped nothing there."
    raise ValueError(f"{path!r} is not a path of this search; the paths are tuples of actions")


def cut_in_words(path: Path, cut: Cut) -> str:
    """Return one sentence: which node is cut, what it has reached, and why that is enough."""
    skipped = ", ".join(map(str, cut.skipped))
    rest = f" Not visited: {skipped}." if skipped else " Nothing was left to visit."
    return f"Cut at {path_in_words(path)}: {cut.reason}.{rest}"


def proof_in_words(node: NodeFacts) -> str:
    """Return what is proven of a node of MCTS: "X wins", "draw", or "X gets 0 or more"."""
    assert node.proof is not None
    low, high = node.proof.bounds
    if low == high:
        return outcome_in_words(node.state, low)
    player = node.owner or 0
    name, least, most = node.state.player_name(player), low[player], high[player]
    if least == most:
        return f"{name} gets {in_words(least)}"
    if most == 1:
        return f"{name} gets {in_words(least)} or more"
    return (
        f"{name} gets {in_words(most)} or less"
        if least == -1
        else f"{name} gets {float(least):g} to {float(most):g}"
    )


def proven_kind(node: NodeFacts, player: int) -> Tint:
    """Return "win", "draw" or "loss" for a player where proofs have decided that, else "plain"."""
    assert node.proof is not None
    low, high = node.proof.bounds
    names: dict[float, Tint] = {1: "win", 0: "draw", -1: "loss"}
    return names.get(low[player], "plain") if low[player] == high[player] else "plain"


def action_names(state: GameState, actions: Iterable[Action]) -> list[str]:
    """Return the actions in words; all the places of a board are asked for once only."""
    if type(state).action_name is not GameState.action_name:  # the game has its own
        return [state.action_name(action) for action in actions]
    spots = spot_of_action(state.spots())
    return [spots[action].name if action in spots else str(action) for action in actions]


def changes_in_words(changed: Iterable[tuple[str, Any, Any]]) -> list[str]:
    """Return how variables changed: "beta: 14 → 3", then the new ones, "best = 5".

    The last change comes first: the line that acts made it.  What cannot be said in a few letters,
    a position or a line of play, is left out.
    """
    said, new = [], []
    for name, before, after in changed:
        was, now = _short(before), _short(after)
        if now and before is None:
            new.append(f"{name} = {now}")
        elif now and was != now:
            said.append(f"{name}: {was or '...'} → {now}")
    return [*said[::-1], *new]


def _short(value: Any) -> str:
    """Return a value of a program in at most `SHORT` letters; "" for what needs more."""
    parts = value if isinstance(value, tuple) else (value,)
    if not parts or not all(isinstance(part, int | float | Fraction | str) for part in parts):
        return ""
    text = str(value) if isinstance(value, bool) else in_words(value)
    return text if len(text) <= SHORT else ""
