"""Results of an experiment that a student handed in: some of its games are played again."""

from __future__ import annotations

import random
from typing import Any

from arena.play.match import play_job
from arena.play.run import configuration
from arena.play.specs import parse_agent, parse_game
from arena.results.match_up import MatchUp
from arena.results.schedule import Plan as Games
from course.kit.feedback import Feedback
from course.kit.guarded import guarded
from course.lessons.experiments.check import Plan

GAMES = 3  # played again; which ones, nobody knows before
MADE_UP = (
    "game {} of the results is not the one that this plan plays. Let `plan.run()` make the results."
)


@guarded
def played_again(plan: Any, results: Any, conclusion: Any) -> Feedback:
    """Return feedback on whether results follow from a plan: the same plan plays the same games."""
    if not isinstance(plan, Plan) or not isinstance(results, MatchUp) or plan.complaints():
        return Feedback(True, "the check itself says what is wrong.")
    agents = [parse_agent(text) for text in (plan.better, plan.than)]
    state, known = parse_game(plan.game), {record.game: record for record in results.records}
    header = configuration("match-up", agents, state, plan.games, plan.seed)
    for job in random.sample(Games(header, state).jobs({}), GAMES):
        record, again = known.get(job.game), play_job(job, agents, state)
        if record is not None and _facts(record) != _facts(again):
            return Feedback(False, MADE_UP.format(job.game))
    return Feedback(True, "the games that were played again are the same.")


def _facts(record: Any) -> tuple[Any, ...]:
    return record.seats, record.seed, record.actions, record.utilities
