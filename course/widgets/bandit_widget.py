"""A widget for a multi-armed bandit: pull its arms by hand, or let UCB1 choose."""

from __future__ import annotations

import random
from functools import partial
from math import inf
from typing import Any

from ipywidgets import HTML, BoundedFloatText, FloatSlider, VBox, link

from course.draw.bandit_chart import bandit
from course.exercises.bandit import PAYOUT_PROBABILITIES, Arms
from course.widgets.controls import add_css_classes, button, row, side_by_side
from course.widgets.panel import Panel

WIDEST = 5.0  # the largest c that can be set


class Bandit(Panel):
    """A bandit to play: each arm pays one coin or none, with a hidden probability.

    The bar of an arm begins at its mean, and its length is the bonus of UCB1, c * sqrt(ln N / n),
    if the arm has had n of the N coins.  From code: `pull(arm)`, `ucb(coins)`, `reveal()`,
    `restart()`, and the numbers `visits`, `totals` and `regret`.

    The probabilities are 0.3, 0.5 and 0.6, in an order drawn from the seed.  The same seed and the
    same pulls give the same coins, even after `restart`.
    """

    css = ("bandit_widget.css",)

    def __init__(self, *, seed: int | None = None) -> None:
        self._seed, self._event = seed, ""
        self._c = c = 2**0.5
        self._picture, self._said = HTML(), HTML()
        looks = {"max": WIDEST, "tooltip": "Weight c"}
        self._slider = FloatSlider(c, step=0.01, readout=False, **looks)
        field = BoundedFloatText(c, description="c", step=0.1, **looks)
        link((self._slider, "value"), (field, "value"))
        self._slider.observe(lambda change: self._turn(change.new), "value")
        self.restart()
        both = side_by_side(self._picture, self._hands([self._slider, field]))
        question = "Each arm pays 1 or nothing, with its own hidden probability. Which one is best?"
        heading = HTML(f'<div class="gl-question">{question}</div>')
        super().__init__(heading, both)
        self.add_class("gl-bandit")

    @property
    def visits(self) -> list[int]:
        """The number of coins put into each arm."""
        return list(self._arms.visits)

    @property
    def totals(self) -> list[int]:
        """The number of coins paid by each arm."""
        return list(self._arms.totals)

    @property
    def regret(self) -> float:
        """The expected loss of these pulls, in coins, compared with always pulling the best arm."""
        return self._arms.regret

    def pull(self, arm: int) -> int:
        """Put a coin into an arm and return its payment; ValueError for an unknown arm."""
        paid = self._arms.pull(arm)
        self._show(f"Arm {arm} paid {_coins(paid)}.")
        return paid

    def ucb(self, coins: int = 1) -> None:
        """Let UCB1 choose an arm for each of the coins."""
        self._by_ucb = True
        for _ in range(coins):
            arm = self._arms.ucb1(self._c)
            score = self._arms.rows(self._c)[arm].score
            paid = self._arms.pull(arm)
        reason = "its bar had no end" if score == inf else f"its bar ended highest, at {score:.2f}"
        message = f"UCB1 took arm {arm}: {reason}. It paid {_coins(paid)}."
        self._show(message if coins == 1 else f"UCB1 has placed {coins} coins.")

    def reveal(self) -> None:
        """Show the true probabilities, and the regret."""
        self._revealed = True
        self._show()

    def restart(self) -> None:
        """Begin again without coins; with a seed, the arms pay as before."""
        order = random.Random(None if self._seed is None else f"order {self._seed}")
        self._arms = Arms(
            order.sample(PAYOUT_PROBABILITIES, len(PAYOUT_PROBABILITIES)), random.Random(self._seed)
        )
        self._revealed = self._by_ucb = False
        self._show("Put a coin into an arm.")

    def state_text(self) -> str:
        """Return the number of arms, and the coins played and won."""
        return f"{len(self.visits)} arms, {self._played()}"

    def _hands(self, weight: list[Any]) -> VBox:
        by_hand = [
            button(f"Arm {arm}", partial(self.pull, arm), f"Put a coin into arm {arm}")
            for arm in range(len(self._arms.probabilities))
        ]
        by_ucb = [
            button("UCB1: a coin", self.ucb, "UCB1 chooses an arm"),
            button("UCB1: 100 coins", partial(self.ucb, 100), "UCB1 chooses 100 times"),
        ]
        ends = [
            button("Show the probabilities", self.reveal, "Show what the arms really pay"),
            button("Start again", self.restart, "Take all coins back"),
        ]
        rows = [row(*widgets) for widgets in (by_hand, by_ucb, weight, ends)]
        return add_css_classes(VBox([*rows, self._said]), "gl-hands")

    def _turn(self, c: float) -> None:
        """Set c from the slider, which rounds its own value to two digits."""
        if abs(c - self._c) > 0.005:
            self._c = c
            self._show()

    def _played(self) -> str:
        coins = sum(self.visits)
        return f"{coins} {'coin' if coins == 1 else 'coins'} played, {sum(self.totals)} won"

    def _show(self, event: str = "") -> None:
        """Draw the arms and show the event; without one, show the last event again."""
        self._event = event or self._event
        chosen = self._arms.ucb1(self._c) if self._by_ucb else None
        probabilities = self._arms.probabilities if self._revealed else None
        self._picture.value = bandit(
            self._arms.rows(self._c), chosen=chosen, probabilities=probabilities
        )
        text = f"{self._event} {self._played()}." if any(self.visits) else self._event
        if self._revealed:
            text += f" Regret: {self.regret:.1f} coins."
        self._said.value = f'<div class="gl-status" role="status">{text}</div>'


def _coins(paid: int) -> str:
    return "1 coin" if paid else "nothing"
