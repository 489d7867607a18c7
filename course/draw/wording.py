"""Phrases for values, paths, cuts and steps, the same in all drawings, tables and sentences."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import inf
from typing import Any

from course.tracing import events
from course.tracing.events import Cut
from course.tracing.trace import Trace, TraceFrame
from course.tracing.visits import NodeInfo, Path
from gamelib.board_layout import action_spot
from gamelib.search import result
from gamelib.search.result import Kind
from gamelib.state import CHANCE, Action, GameState
from gamelib.svg.board import OutcomeColour

ROLES = ("max", "min", "chance")
SHORT = 24  # maximal length of a value next to a program
UNITS = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
RETURNS = "→"  # precedes a number that a program returns and that is not shown to be right
SIGNS = {kind: f"{sign} " for kind, sign in result.SIGNS.items()}
SIGNS |= {"exact": "", "upper": "≤ ", "lower": "≥ "}


def format_value(value: object) -> str:
    """Return a value as text: "3", "0.25", "1/3", "∞", "(1, 2, 3)", and "?" for None."""
    if value is None:
        return "?"
    if isinstance(value, tuple):
        return f"({', '.join(map(format_value, value))})"
    if value in (inf, -inf):
        return "∞" if value == inf else "-∞"
    if isinstance(value, Fraction) and value.denominator > result.MAX_DENOMINATOR:
        value = float(value)
    if isinstance(value, float):
        return f"{value + 0:.4g}"
    try:
        return str(value)
    except Exception:  # an int with too many digits to print, or an object whose str raises
        return "a number too long to print" if isinstance(value, int) else "?"


def format_number(number: float) -> str:
    """Return a large number in two digits and a word: "41 million", "730 billion", "1.2 * 10^17".

    A number below a million is written in full.
    """
    if number < 999_500:
        return f"{number:,.0f}"
    rounded = float(f"{number:.2g}")  # rounded first, because 999.6 million becomes a billion
    if rounded >= 1e15:
        digits, power = f"{rounded:.1e}".split("e+")
        return f"{digits.removesuffix('.0')} * 10^{int(power)}"
    size, word = next(unit for unit in UNITS if rounded >= unit[0])
    return f"{rounded / size:.1f}".removesuffix(".0") + f" {word}"


def format_bound(value: object, kind: Kind) -> str:
    """Return "3", "≤ 3" or "≥ 3"; if it rests on an estimate, "~ 3", "<~ 3" or ">~ 3"."""
    return f"{SIGNS[kind]}{format_value(value)}"


def worth(node: NodeInfo) -> str:
    """Return the value of a node: "≤ 3", or "→ 3" if the program returned it without proof."""
    if node.sure or node.value is None:
        return format_bound(node.value, node.kind)
    return f"{RETURNS} {format_value(node.value)}"


def mover(trace: Trace, state: GameState) -> str:
    """Return the player to move, with its role in the search if it has one: "X (max)", "player 2".

    In a tree of max and min, the role is the name.
    """
    role, name = trace.role(state), state.player_name(state.current_player)
    if not role or name in ROLES:
        return role or name
    return f"{name} ({role})"


def describe_outcome(state: GameState, payoffs: tuple[float, ...]) -> str:
    """Return the result of a game: "X wins", "draw", or for other payoffs those of all players."""
    names = [state.player_name(player) for player in range(len(payoffs))]
    if not any(payoffs):
        return "draw"
    if set(payoffs) <= {1, -1}:
        winners = [name for name, payoff in zip(names, payoffs, strict=True) if payoff == 1]
        return f"{' and '.join(winners)} wins"
    return join_with_and(f"{format_value(p)} for {n}" for n, p in zip(names, payoffs, strict=True))


def join_with_and(items: Iterable[Any]) -> str:
    """Return "1", "1 and 2", "1, 2 and 3"."""
    words = [str(item) for item in items]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def format_line(actions: tuple[Action, ...]) -> str:
    """Return a line of play: "1 → 0"."""
    return " → ".join(map(str, actions))


def format_path(path: tuple[Action, ...]) -> str:
    """Return "the root", or the actions that lead to a node: "node 1 → 0"."""
    return f"node {format_line(path)}" if path else "the root"


def capital(sentence: str) -> str:
    """Return a sentence with its first letter in upper case."""
    return sentence[:1].upper() + sentence[1:]


def why_cut(trace: Trace, path: Path) -> str:
    """Return why a search did not visit `path`, or skipped the rest of it, in lines to print.

    ValueError if the path does not belong to the search.

    >>> from course import record, why_cut
    >>> from gamelib import GameTree, alphabeta
    >>> print(why_cut(record(alphabeta, GameTree([[3, 5], [2, 9]])), (1, 1)))
    Cut at node 1: this node is at most 2, and max already has 3 elsewhere.
      Not visited: 1.
    """
    # JupyterLab breaks a longer line anywhere, even inside a word.
    return why_not_visited(trace, path).replace(". Not", ".\n  Not")


def why_not_visited(trace: Trace, path: Path) -> str:
    """Return the text of `why_cut` in one line."""
    path, cuts = tuple(path), trace.cuts()
    if path in cuts:
        return describe_cut(path, cuts[path])
    for length in range(len(path)):
        cut = cuts.get(path[:length])
        if cut is not None and path[length] in cut.skipped:
            return describe_cut(path[:length], cut)
    if path in set(trace.visited()):
        return f"Not cut: the search visited {format_path(path)}, and skipped nothing there."
    raise ValueError(
        f"path must be a tuple of actions that leads to a node of this search; got {path!r}"
    )


def describe_cut(path: Path, cut: Cut) -> str:
    """Return a sentence with the cut node, the value that it has reached, and the reason."""
    skipped = ", ".join(map(str, cut.skipped))
    rest = f" Not visited: {skipped}." if skipped else " Nothing was left to visit."
    if not cut.sound:
        return f"At {format_path(path)} {cut.reason}.{rest}"
    return f"Cut at {format_path(path)}: {cut.reason}.{rest}"


def describe_proof(node: NodeInfo) -> str:
    """Return what is proven about a node of MCTS: "X wins", "draw", or "X gets 0 or more"."""
    assert node.proof is not None
    low, high = node.proof.bounds
    if low == high:
        return describe_outcome(node.state, low)
    player = node.owner or 0
    name, least, most = node.state.player_name(player), low[player], high[player]
    if least == most:
        return f"{name} gets {format_value(least)}"
    if most == 1:
        return f"{name} gets {format_value(least)} or more"
    if least == -1:
        return f"{name} gets {format_value(most)} or less"
    return f"{name} gets {float(least):g} to {float(most):g}"


def proven_kind(node: NodeInfo, player: int) -> OutcomeColour:
    """Return "win", "draw" or "loss" for a player if that is proven, otherwise "plain"."""
    assert node.proof is not None
    low, high = node.proof.bounds
    names: dict[float, OutcomeColour] = {1: "win", 0: "draw", -1: "loss"}
    return names.get(low[player], "plain") if low[player] == high[player] else "plain"


def action_names(state: GameState, actions: Iterable[Action]) -> list[str]:
    """Return the names of the actions; the spots of the board are computed only once."""
    if type(state).action_name is not GameState.action_name:  # the game defines its own names
        return [state.action_name(action) for action in actions]
    spots = action_spot(state.spots())
    return [spots[action].name if action in spots else str(action) for action in actions]


def describe_changes(changed: Iterable[tuple[str, Any, Any]]) -> list[str]:
    """Return how variables changed: "beta: 14 → 3", then the new ones, "best = 5".

    The change of the active line is the last one, so it comes first.  Values that are not short,
    such as positions and lines of play, are left out.
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
    """Return a value of a program in at most `SHORT` letters; "" if it is longer."""
    parts = value if isinstance(value, tuple) else (value,)
    if not parts or not all(isinstance(part, int | float | Fraction | str) for part in parts):
        return ""
    text = str(value) if isinstance(value, bool) else format_value(value)
    return text if len(text) <= SHORT else ""


# --- statements about the whole trace ---


def findings(trace: Trace) -> list[str]:
    """Return a sentence for each error of a program with its own board."""
    said = []
    if trace.broken is not None:
        where = format_path(trace.broken)
        said.append(f"The position at {where} does not follow from the one above it by one move.")
    if trace.untried is not None:
        path, actions = trace.untried
        words = f"From {format_path(path)} it never tries {join_with_and(actions)}"
        said.append(f"{words}: is every move taken back?" if trace.broken else f"{words}.")
    if trace.first_wrong is not None:
        wrong = trace.first_wrong
        here = (
            f"The first wrong answer: {format_path(wrong.path)} returns {format_value(wrong.given)}"
        )
        right = f"{format_value(wrong.right)} is right"
        if wrong.by_sign and not isinstance(wrong.right, bool):
            names = {1: "a positive number", 0: "0", -1: "a negative number"}
            right = f"{names[(wrong.right > 0) - (wrong.right < 0)]} is right"
        said.append(f"{here}, and {right}.")
    return said


# --- a sentence for each step of a search ---


def narration(moment: TraceFrame) -> str:
    """Return a sentence on what has just happened."""
    event, path = moment.event, moment.focus
    if event is None or path is None:
        inferred = f" {moment.trace.inferred}." if moment.trace.inferred else ""
        return f"Nothing has happened yet: take the first step.{inferred}"
    if moment.played_action is not None:
        return capital(_describe_play(moment, moment.played_action))
    said = _sentence(moment, path, event)
    return said if said.startswith(f"{moment.trace.search} ") else capital(said)


def _describe_play(moment: TraceFrame, action: Action) -> str:
    trace, found = moment.trace, moment.trace.result
    assert found is not None
    says = f"{mover(trace, trace.state)} plays {action}"
    bound = found.values.get(action)
    if bound is None or (bound.kind == "estimate" and trace.is_mcts):
        visits = found.visits or {}
        many, total = visits.get(action, 0), sum(visits.values())
        often = f", the most visited: {many:,} of {total:,} simulations"
        return f"{says}{often if many and many == max(visits.values()) else ''}."
    value = format_bound(bound.value, bound.kind)
    if trace.is_mcts:
        outcome = describe_outcome(trace.state, found.utilities) if found.utilities else value
        return f"{says}. Proven: {outcome}."
    return f"{says}: its value, {value}, is the best."


# One case for each kind of event.
def _sentence(moment: TraceFrame, path: Path, event: events.Event) -> str:  # noqa: C901, PLR0912
    match event:
        case events.Enter():
            return _describe_enter(moment, path)
        case events.Improve():
            return _describe_improve(moment, path, event)
        case events.Cut():
            return _describe_cut(event)
        case events.Leaf() | events.TableHit() | events.Return() if not moment.children(path):
            return _leaf(moment, path)
        case events.Return():
            return _describe_return(moment, path)
        case events.Raise(error):
            return f"{format_path(path)} ends with an error, {error}."
        case events.RunLine():
            return "A line runs."
        case events.Select():
            return _describe_select(path, event)
        case events.Draw(action, chance):
            where = format_path(path[:-1])
            return (
                f"At {where} chance moves: {action} is drawn, probability {format_value(chance)}."
            )
        case events.Expand(action, _):
            parent = format_path(path[:-1])
            if moment.node(path[:-1]).state.current_player == CHANCE:
                return f"Expand: at {parent} chance has drawn {action}, which joins the tree."
            return f"Expand: action {action} at {parent} has not been tried; it joins the tree."
        case events.Rollout():
            return _describe_rollout(moment, path, event)
        case events.Backpropagate():
            return _describe_backpropagate(moment, path, event)
        case events.Proof(_, _, reason):
            node = moment.node(path)
            who = "" if node.state.is_terminal() else f"{mover(moment.trace, node.state)} to move, "
            return f"Proven at {format_path(path)}: {describe_proof(node)}. Why: {who}{reason}."
    raise AssertionError(event)


def _describe_cut(event: events.Cut) -> str:
    says = f"Cut: {event.reason}" if event.sound else event.reason
    if not event.skipped:
        return f"{says}. It was the last action, so nothing is skipped."
    if not event.sound:
        return f"{says}."
    if len(event.skipped) == 1:
        return f"{says}. Action {event.skipped[0]} needs no visit."
    return f"{says}. Actions {join_with_and(event.skipped)} need no visit."


def _leaf(moment: TraceFrame, path: Path) -> str:
    """Return a sentence on the value of a node that the search does not expand."""
    node, where = moment.node(path), format_path(path)
    value = format_bound(node.value, node.kind)
    if node.value is None or not node.sure:
        return _unsure_leaf(moment, path)
    if node.table:
        says = f"The table knows {where}: {value}"
    elif node.leaf is None:
        return f"{where} returns {value} at once."
    elif node.leaf.reason == "game over" and isinstance(node.value, bool):
        says = f"{where} is a leaf, {_won(moment, path, node.value)}"
    elif node.leaf.reason == "game over":
        says = f"{where} is a leaf, worth {value}{_for_player(moment, path)}"
    else:
        says = (
            f"{where} is at the depth limit: the evaluation says {value}{_for_player(moment, path)}"
        )
    up = path and node.status != "open"
    return f"{says}. It goes up to {format_path(path[:-1])}." if up else f"{says}."


def _unsure_leaf(moment: TraceFrame, path: Path) -> str:
    """Return a sentence on a leaf whose value is not shown to be right."""
    node, where, name = moment.node(path), format_path(path), moment.trace.search
    over = " is the end of a game" if node.leaf and node.leaf.reason == "game over" else ""
    if node.value is None:
        return f"{where}{over or ' is left again'}."
    up = f" to {format_path(path[:-1])}" if path and node.status != "open" else ""
    returns = f"{name} returns {format_value(node.value)}"
    return f"{where}{over}, and {returns}{up}." if over else f"At {where} {returns}{up}."


def _won(moment: TraceFrame, path: Path, value: bool) -> str:
    """Return the meaning of True or False at a node: "a win for X"."""
    return f"{'' if value else 'not '}a win{_for_player(moment, path)}"


def _for_player(moment: TraceFrame, path: Path) -> str:
    """Return " for X", the player whose value it is; "" if every player has an entry."""
    visit = moment.visits_of(path)
    if visit is None or visit.perspective is None:
        return ""
    viewer, root = visit.perspective, moment.trace.state
    same = viewer == root.current_player and not moment.trace.is_mover_relative
    name = root.player_name(viewer)
    return f" for {'max' if same and name in ROLES else name}"


def _describe_enter(moment: TraceFrame, path: Path) -> str:
    node = moment.node(path)
    where = f"Go down to {format_path(path)}" if path else "Start at the root"
    who = "" if node.state.is_terminal() else f": {mover(moment.trace, node.state)} to move"
    window = ""
    if len(node.window) == 2:
        alpha, beta = map(format_value, node.window)
        window = f", with alpha {alpha} and beta {beta}"
    return f"{where}{who}{window}."


def _describe_improve(moment: TraceFrame, path: Path, event: events.Improve) -> str:
    trace, state, node = moment.trace, moment.node(path).state, moment.node(path)
    if node.sure and node.best is not None:
        best = f"Action {event.action} is the best so far for {mover(trace, state)}: "
        best += format_bound(event.value, node.kind)
    else:
        best = f"The best that {trace.search} has so far at {format_path(path)} is "
        best += format_value(event.value)
    before, after = trace.at(moment.step - 1).node(path).window, moment.node(path).window
    if len(after) != 2 or before == after:
        return f"{best}."
    if before[0] != after[0]:
        return f"{best}. Alpha rises to {format_value(after[0])}."
    return f"{best}. Beta falls to {format_value(after[1])}."


def _describe_return(moment: TraceFrame, path: Path) -> str:
    node = moment.node(path)
    value = format_bound(node.value, node.kind if node.sure else "exact")
    visit, trace = moment.visits_of(path), moment.trace
    if node.value is None:
        return f"{trace.search} leaves {format_path(path)}."
    if path:
        parent = format_path(path[:-1])
        return f"{format_path(path)} returns {value} to {parent}."
    if visit is not None and visit.claims and not (node.sure and node.best is not None):
        return _returned_by(moment, path)
    best = f", and the best action is {node.best}" if node.best is not None else ""
    if isinstance(node.value, bool):
        return f"The root is {_won(moment, path, node.value)}{best}."
    whose = ""
    if trace.perspective not in (None, trace.state.current_player) and not trace.is_mover_relative:
        whose = _for_player(moment, path)
    return f"The root is worth {value}{whose}{best}."


def _returned_by(moment: TraceFrame, path: Path) -> str:
    """Return a sentence on the result of a program at the root, without claims about it."""
    node, visit, name = moment.node(path), moment.visits_of(path), moment.trace.search
    assert visit is not None
    if visit.chosen is not None:
        return f"{name} chooses action {visit.chosen}."
    return f"{name} returns {format_value(node.value)}."


def _describe_select(path: Path, event: events.Select) -> str:
    row = next(row for row in event.table if row.action == event.action)
    says = f"Select: at {format_path(path[:-1])}, action {event.action}"
    if not row.visits:
        return f"{says}."
    sum_of_both = f"{row.mean:.2f} + {row.exploration:.2f} = {row.score:.2f}"
    return f"{says} has the highest score, {sum_of_both}."


def _describe_rollout(moment: TraceFrame, path: Path, event: events.Rollout) -> str:
    """Return a sentence on one action of a rollout, and at the last one on the result."""
    actions, played, state = event.actions, moment.rollout_actions, moment.node(path).state
    payoffs = describe_outcome(moment.trace.state, tuple(event.utilities))
    if not actions:
        return f"{'The game is over' if state.is_terminal() else 'Evaluate'}: {payoffs}."
    who = state.play(*played[:-1])
    says = f"Rollout, action {len(played)} of {len(actions)}: "
    says += f"{who.player_name(who.current_player)} plays {played[-1]}."
    return f"{says} The game is over: {payoffs}." if len(played) == len(actions) else says


def _describe_backpropagate(moment: TraceFrame, path: Path, event: events.Backpropagate) -> str:
    node, name = moment.node(path), moment.trace.state.player_name
    each = join_with_and(
        f"{format_value(reward)} for {name(p)}" for p, reward in enumerate(event.rewards)
    )
    if node.mean is None or node.owner is None:
        return f"Backpropagate the reward, {each}."
    added = event.added[len(path) - 1] if path else event.rewards[node.owner]
    counts = f"{format_path(path)} counts {format_value(round(added, 2))} for {name(node.owner)}"
    return f"Backpropagate {each}: {counts}; n = {node.visits:,}, mean {node.mean:.2f}."
