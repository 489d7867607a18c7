"""One sentence for each step of a search."""

from __future__ import annotations

from course.draw.frames import Frame
from course.draw.words import (
    ROLES,
    bound_in_words,
    capital,
    in_words,
    listed,
    mover,
    outcome_in_words,
    path_in_words,
    proof_in_words,
)
from course.watch import events
from course.watch.trace import Moment
from course.watch.visits import Path
from gamelib.state import CHANCE, Action


def sentence(moment: Moment) -> str:
    """Return what has just happened, in words."""
    frame = moment if isinstance(moment, Frame) else Frame(moment.trace, moment.step, 0)
    event, path = frame.event, frame.focus
    if event is None or path is None:
        return "Nothing has happened yet: take the first step."
    if frame.plays is not None:
        return capital(_played(frame))
    return capital(_sentence(frame, path, event))


def _played(frame: Frame) -> str:
    """Return which action the search plays, and why that one."""
    trace, action, found = frame.trace, frame.plays, frame.trace.result
    assert found is not None
    says = f"{mover(trace, trace.state)} plays {action}"
    bound = found.values.get(action)
    if bound is None or (bound.kind == "estimate" and trace.is_mcts):
        visits = found.visits or {}
        many, total = visits.get(action), sum(visits.values())
        often = f", the most visited: {many:,} of {total:,} simulations"
        return f"{says}{often if many and many == max(visits.values()) else ''}."
    value = bound_in_words(bound.value, bound.kind)
    if trace.is_mcts:
        outcome = outcome_in_words(trace.state, found.utilities) if found.utilities else value
        return f"{says}. Proven: {outcome}."
    return f"{says}: its value, {value}, is the best."


def _sentence(moment: Frame, path: Path, event: events.Event) -> str:
    match event:
        case events.Enter():
            return _entered(moment, path)
        case events.Improve():
            return _improved(moment, path, event)
        case events.Cut():
            return _cut(event)
        case events.Leaf() | events.TableHit() | events.Return() if not moment.children(path):
            return _leaf(moment, path)
        case events.Return():
            return _returned(moment, path)
        case events.Raise(error):
            return f"{path_in_words(path)} ends with an error, {error}."
        case events.Line():
            return "A line runs."
        case _:
            return _mcts_sentence(moment, path, event)


def _leaf(moment: Moment, path: Path) -> str:
    """Return what a node is worth from which the search goes no further down."""
    node, where = moment.node(path), path_in_words(path)
    value = bound_in_words(node.value, node.kind)
    if node.table:
        says = f"The table knows {where}: {value}"
    elif node.leaf is None:
        return f"{where} returns {value} at once."
    elif node.leaf.reason == "game over":
        says = f"{where} is a leaf, worth {value}{_whose(moment, path)}"
    else:
        says = f"{where} is at the depth limit: the evaluation says {value}{_whose(moment, path)}"
    up = path and node.status != "open"
    return f"{says}. It goes up to {path_in_words(path[:-1])}." if up else f"{says}."


def _whose(moment: Moment, path: Path) -> str:
    """Return " for X", the player for whom the value of a node is; "" where all have an entry."""
    visit = moment.visits_of(path)
    if visit is None or visit.viewer is None:
        return ""
    viewer, root = visit.viewer, moment.trace.state
    same = viewer == root.current_player and not moment.trace.mover_views
    name = root.player_name(viewer)
    return f" for {'max' if same and name in ROLES else name}"


def _entered(moment: Moment, path: Path) -> str:
    node = moment.node(path)
    where = f"Go down to {path_in_words(path)}" if path else "Start at the root"
    who = "" if node.state.is_terminal() else f": {mover(moment.trace, node.state)} to move"
    window = ""
    if len(node.window) == 2:
        alpha, beta = map(in_words, node.window)
        window = f", with alpha {alpha} and beta {beta}"
    return f"{where}{who}{window}."


def _improved(moment: Moment, path: Path, event: events.Improve) -> str:
    trace, state = moment.trace, moment.node(path).state
    best = f"Action {event.action} is the best so far for {mover(trace, state)}: "
    best += bound_in_words(event.value, moment.node(path).kind)
    before, after = trace.at(moment.step - 1).node(path).window, moment.node(path).window
    if len(after) != 2 or before == after:
        return f"{best}."
    if before[0] != after[0]:
        return f"{best}. Alpha rises to {in_words(after[0])}."
    return f"{best}. Beta falls to {in_words(after[1])}."


def _cut(event: events.Cut) -> str:
    reason = f"Cut: {event.reason}."
    if not event.skipped:
        return f"{reason} It was the last action, so nothing is left out."
    many = len(event.skipped) > 1
    return f"{reason} Action{'s' * many} {listed(event.skipped)} need no visit."


def _returned(moment: Moment, path: Path) -> str:
    node = moment.node(path)
    value = bound_in_words(node.value, node.kind)
    if path:
        parent = path_in_words(path[:-1])
        return f"{path_in_words(path)} returns {value} to {parent}."
    best = f", and the best action is {node.best}" if node.best is not None else ""
    return f"The root is worth {value}{best}."


def _mcts_sentence(moment: Frame, path: Path, event: events.Event) -> str:
    match event:
        case events.Select(action, table):
            row = next(row for row in table if row.action == action)
            where = path_in_words(path[:-1])
            if not row.visits:
                return f"Select: at {where}, action {action}."
            return (
                f"Select: at {where}, action {action} has the highest score, "
                f"{row.mean:.2f} + {row.exploration:.2f} = {row.score:.2f}."
            )
        case events.Draw(action, probability):
            where = path_in_words(path[:-1])
            return (
                f"At {where} chance moves: {action} is drawn, probability {in_words(probability)}."
            )
        case events.Expand(action, _):
            parent = path_in_words(path[:-1])
            if moment.node(path[:-1]).state.current_player == CHANCE:
                return f"Expand: at {parent} chance has drawn {action}, which joins the tree."
            return f"Expand: action {action} at {parent} has not been tried; it joins the tree."
        case events.Rollout(actions, utilities):
            payoffs = outcome_in_words(moment.trace.state, tuple(utilities))
            if not actions:
                over = moment.node(path).state.is_terminal()
                return f"{'The game is over' if over else 'Evaluate'}: {payoffs}."
            return _rolled(moment, actions, payoffs)
        case events.Backpropagate():
            return _counted(moment, path, event)
        case events.Proof(_, _, reason):
            node = moment.node(path)
            who = "" if node.state.is_terminal() else f"{mover(moment.trace, node.state)} to move, "
            return f"Proven at {path_in_words(path)}: {proof_in_words(node)}. Why: {who}{reason}."
    return f"{type(event).__name__}."


def _rolled(frame: Frame, actions: tuple[Action, ...], payoffs: str) -> str:
    """Return one action of a rollout, with the last one how the game ends."""
    played, state = frame.rolled, frame.node(frame.focus or ()).state
    who = state.play(*played[:-1])
    says = f"Rollout, action {len(played)} of {len(actions)}: "
    says += f"{who.player_name(who.current_player)} plays {played[-1]}."
    return f"{says} The game is over: {payoffs}." if len(played) == len(actions) else says


def _counted(frame: Frame, path: Path, event: events.Backpropagate) -> str:
    """Return what a node on the way up counts."""
    node, name = frame.node(path), frame.trace.state.player_name
    each = listed(f"{in_words(reward)} for {name(p)}" for p, reward in enumerate(event.rewards))
    if node.mean is None or node.owner is None:
        return f"Backpropagate the reward, {each}."
    added = event.added[len(path) - 1] if path else event.rewards[node.owner]
    counts = f"{path_in_words(path)} counts {in_words(round(added, 2))} for {name(node.owner)}"
    return f"Backpropagate {each}: {counts}; n = {node.visits:,}, mean {node.mean:.2f}."
