"""What an agent has won, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

from arena.results.intervals import wilson_interval


@dataclass(frozen=True)
class Tally:
    """Wins, draws and losses of an agent."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def share(self) -> float:
        """The share of the points: a win is one, a draw half a point."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the share of the points.

        It treats half points like wins.  Draws only make a share vary less, so that with many of
        them the interval is wider than it need be.
        """
        return wilson_interval(self.wins + self.draws / 2, self.games)
