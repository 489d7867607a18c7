"""One sentence for each step of a search."""

from __future__ import annotations

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
from gamelib.search.events import (
    Backpropagate,
    Cut,
    Enter,
    Event,
    Expand,
    Improve,
    Leaf,
    Proof,
    Return,
    Rollout,
    Select,
    TableHit,
)
from gamelib.trace.trace import Moment
from gamelib.trace.visits import Path


def sentence(moment: Moment) -> str:
    """Return what has just happened, in words."""
    event, path = moment.event, moment.focus
    if event is None or path is None:
        return "Nothing has happened yet: take the first step."
    return capital(_sentence(moment, path, event))


def _sentence(moment: Moment, path: Path, event: Event) -> str:
    match event:
        case Enter():
            return _entered(moment, path)
        case Leaf(value, "game over"):
            return f"The game is over here: a leaf, worth {in_words(value)}{_whose(moment, path)}."
        case Leaf(value, _):
            says = bound_in_words(value, moment.node(path).kind) + _whose(moment, path)
            return f"The depth limit is reached: the evaluation says {says}."
        case Improve():
            return _improved(moment, path, event)
        case Cut():
            return _cut(event)
        case TableHit(value, kind):
            return f"The table knows this position: {bound_in_words(value, kind)}."
        case Return():
            return _returned(moment, path)
        case _:
            return _mcts_sentence(moment, path, event)


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


def _improved(moment: Moment, path: Path, event: Improve) -> str:
    trace, state = moment.trace, moment.node(path).state
    best = f"Action {event.action} is the best so far for {mover(trace, state)}: "
    best += bound_in_words(event.value, moment.node(path).kind)
    before, after = trace.at(moment.step - 1).node(path).window, moment.node(path).window
    if len(after) != 2 or before == after:
        return f"{best}."
    if before[0] != after[0]:
        return f"{best}. Alpha rises to {in_words(after[0])}."
    return f"{best}. Beta falls to {in_words(after[1])}."


def _cut(event: Cut) -> str:
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


def _mcts_sentence(moment: Moment, path: Path, event: object) -> str:
    match event:
        case Select(action, table):
            row = next(row for row in table if row.action == action)
            where = path_in_words(path[:-1])
            if not row.visits:
                return f"Select: at {where}, action {action}."
            return (
                f"Select: at {where}, action {action} has the highest score, "
                f"{row.mean:.2f} + {row.exploration:.2f} = {row.score:.2f}."
            )
        case Expand(action, _):
            parent = path_in_words(path[:-1])
            return f"Expand: action {action} at {parent} has not been tried; it joins the tree."
        case Rollout(actions, utilities):
            payoffs = outcome_in_words(moment.trace.state, tuple(utilities))
            if not actions:
                over = moment.node(path).state.is_terminal()
                return f"{'The game is over' if over else 'Evaluate'}: {payoffs}."
            many = "s" * (len(actions) != 1)
            return f"Rollout: {len(actions)} more action{many} to the end; {payoffs}."
        case Backpropagate(_, rewards, _):
            many = f"{len(path)} node{'s' * (len(path) != 1)} and the root" if path else "the root"
            name = moment.trace.state.player_name
            each = listed(f"{in_words(reward)} for {name(p)}" for p, reward in enumerate(rewards))
            return f"Backpropagate: one visit more for {many}. Reward: {each}."
        case Proof(_, _, reason):
            node = moment.node(path)
            who = "" if node.state.is_terminal() else f"{mover(moment.trace, node.state)} to move, "
            return f"Proven at {path_in_words(path)}: {proof_in_words(node)}. Why: {who}{reason}."
    return f"{type(event).__name__}."
