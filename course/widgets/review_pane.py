"""The list of the moves of a reviewed game, in which a click goes back to a position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from ipywidgets import HTML, Box, Button, VBox

from course.draw.wording import action_names, join_with_and
from course.widgets.controls import add_css_classes
from course.widgets.game_review import LEGEND, LOST, OPEN, ReviewedMove
from course.widgets.panel import display, markup_to_html


class ReviewPane(VBox):
    """The moves of a game with their verdicts; each is a button, in the order of play.

    `on_choice(ply)` is called with the number of moves before the chosen one.
    """

    def __init__(self, on_choice: Callable[[int], object]) -> None:
        self._on_choice = on_choice
        self.moves: Sequence[ReviewedMove] = ()
        self.busy = False
        self._words = HTML()
        self._list = add_css_classes(Box(), "gl-moves")
        super().__init__([self._words, self._list])
        self.add_class("gl-review")
        display(self, False)

    def begin(self, moves: Sequence[ReviewedMove]) -> None:
        """Show moves that are not judged yet."""
        self.clear()
        self.busy = True
        self._list.children = [self._button(ply) for ply in range(len(moves))]
        self.show(moves)
        display(self, True)

    def show(self, moves: Sequence[ReviewedMove]) -> None:
        """Show the verdicts that are known so far."""
        judged = [move.verdict != OPEN for move in moves]
        self._words.value = _heading(f"{sum(judged)} of {len(moves)} moves are judged.")
        before: Sequence[ReviewedMove | None] = self.moves or [None] * len(moves)
        for button, ply, old, move in zip(
            self._list.children, range(len(moves)), before, moves, strict=True
        ):
            if move != old:
                _describe(button, ply, move)
        self.moves = moves

    def end(self) -> None:
        """Show the summary of the moves, after the last verdict."""
        self.busy = False
        self._words.value = _heading(summary(self.moves))

    def clear(self) -> None:
        """Show nothing."""
        display(self, False)
        self.moves, self.busy = (), False
        buttons, self._list.children = self._list.children, ()
        for button in buttons:
            button.layout.close()
            button.style.close()
            button.close()

    def _button(self, ply: int) -> Button:
        button = Button(tooltip=f"Go back to the position before move {ply + 1}")
        button.on_click(lambda _: self._on_choice(ply))
        return button


def summary(moves: Sequence[ReviewedMove]) -> str:
    """Return sentences on what was thrown away, on what is proven, and on what to do next."""
    chosen = [move for move in moves if not move.by_chance]
    said = [_thrown_away(chosen)]
    proven = sum(move.proven for move in chosen)
    if proven < len(chosen):
        said.append(f"The results of {proven} of {len(chosen)} moves are proven.")
    if any(not move.proven and move.estimate for move in chosen):
        said.append(LEGEND)
    if any(move.verdict == OPEN for move in chosen):
        said.append("The others are not judged.")
    return " ".join([*said, "Press a move to go back to it and try another."])


def _thrown_away(moves: Sequence[ReviewedMove]) -> str:
    """Return a sentence such as "X threw away 1 win and 2 draws, and O threw away 1 draw."."""
    counts = Counter(
        (move.state.player_name(move.state.current_player), move.thrown_away) for move in moves
    )
    said = []
    for player in dict.fromkeys(player for player, _ in counts):
        lost = [
            f"{counts[player, name]} {name}{'s' if counts[player, name] > 1 else ''}"
            for name in ("win", "draw")
            if counts[player, name]
        ]
        said += [f"{player} threw away {join_with_and(lost)}"] if lost else []
    return f"{', and '.join(said)}." if said else "No move threw away a proven result."


def _heading(text: str) -> str:
    return f'<div class="gl-question" role="status"><b>Review.</b> {markup_to_html(text)}</div>'


def _describe(button: Button, ply: int, move: ReviewedMove) -> None:
    """Show a move and its verdict on its button."""
    state = move.state
    (name,) = action_names(state, [move.action])
    verdict = "" if move.by_chance else f": {'...' if move.verdict == OPEN else move.verdict}"
    with button.hold_sync():
        button.description = (
            f"{ply + 1}. {state.player_name(state.current_player)}, {name}{verdict}"
        )
        button.disabled = move.by_chance
        button._dom_classes = (f"gl-{_kind(move)}",)


def _kind(move: ReviewedMove) -> str:
    """Return the name of the colour of a move, which repeats what its verdict says."""
    if not move.proven:
        return "unproven"
    if move.before != move.after:
        return "threw"
    return "lost" if move.verdict == LOST else "kept"
