"""Measure how well rankings agree with the truth, in two settings in which the truth is known.

    python -m tools.benchmarks.ranking_accuracy made-up [AGENTS]
    python -m tools.benchmarks.ranking_accuracy real

`made-up`: the strengths of 120 agents, or of another number, are normally distributed (standard
deviation 350 Elo).  The model of the ratings draws the results, so no game is played.  Each opening
favours one seat by a random number of points.  The figure is the proportion of pairs in the correct
order, after Swiss rounds and after a round robin, always in both seats.

`real`: deterministic programs play Connect Four.  The truth is their score against all others over
many openings.  In a tournament, ten of the programs play in both seats, from ten openings or from
the empty board.  The figures are how often the better of two programs is ahead, and how often the
ranking shows this: for the pair in which one scores 60 %, and for all pairs with 55 to 65 %.

All figures are means with 95 % intervals.
"""

import sys
from itertools import permutations
from math import exp
from random import Random
from statistics import mean

import numpy as np

from arena.play.match import play_job
from arena.results.game_records import GameRecord, Job
from arena.results.openings import openings
from arena.results.schedule import Schedule
from arena.results.statistics import ELO, BradleyTerry, mean_interval, wilson_interval
from gamelib import ConnectFour, SearchAgent, TicTacToe, alphabeta, centre_first, windows_heuristic

AGENTS, SEEDS, FEW_SEEDS = 120, 20, 6
FAVOUR = 200  # Elo points, standard deviation over the openings


def simulated_game(job, opening, strengths, seed):
    """Return a game whose result the model draws at random."""
    one, other = (strengths[seat] for seat in job.seats)
    favour = Random(f"{seed}/{opening}").gauss(0, FAVOUR)
    chance = Random(f"{seed}/{job.seats}/{opening}").random()
    won = chance < 1 / (1 + exp((other - one - favour) / ELO))
    return GameRecord(**vars(job), actions=(), utilities=(1, -1) if won else (-1, 1),
                      forfeit=None, counts=(), seconds=())  # fmt: skip


def right_order(agents, rounds, seed):
    """Return the number of games, and the proportion of pairs that they rank correctly."""
    chance = Random(seed)
    strengths = np.array([chance.gauss(0, 350) for _ in range(agents)])
    header = {"kind": "tournament", "agents": [*map(str, range(agents))], "games": 2}
    plan = Schedule(header | {"seed": seed, "rounds": rounds, "openings": False}, TicTacToe())
    played, points = {}, np.zeros((agents, agents))
    while todo := [job for job in plan.jobs(played) if job.game not in played]:
        for job in todo:  # each round has its own opening
            opening = job.game // agents if rounds else 0
            played[job.game] = game = simulated_game(job, opening, strengths, seed)
            points[game.seats if game.utilities[0] > 0 else game.seats[::-1]] += 1
    ratings = np.array([each.rating for each in BradleyTerry([points]).ratings()])
    row, column = np.triu_indices(agents, 1)
    alike = (ratings[row] - ratings[column]) * (strengths[row] - strengths[column]) > 0
    return len(played), float(alike.mean())


def interval(values):
    """Return the mean of the runs with its 95 % interval."""
    low, high = mean_interval(values)
    return f"{mean(values):.3f} [{low:.3f}, {high:.3f}]"


def made_up(agents=AGENTS):
    many = agents > AGENTS  # everyone against everyone would take hours
    for name, rounds in (("Swiss", 15), ("Swiss", 30), ("everyone", None))[: 2 if many else 3]:
        runs = [right_order(agents, rounds, seed) for seed in range(FEW_SEEDS if many else SEEDS)]
        games, found = zip(*runs, strict=True)
        print(f"{name}, {games[0]:,} games: {interval(found)} in the right order", flush=True)


# --- real games ---

START, OPENINGS, PLAYED, TEN, TOURNAMENTS = ConnectFour(), 100, 10, 10, 400
WEIGHTS = (1, 4, 16), (1, 4, 9), (1, 2, 3), (1, 9, 9), (0, 1, 4), (1, 1, 16)


def programs():
    return [
        SearchAgent(alphabeta, f"depth {depth}, {weights}{', c' if order else ''}", depth=depth,
                    evaluate=windows_heuristic(weights=weights), order=order)
        for depth in (1, 2) for order in (None, centre_first) for weights in WEIGHTS
    ]  # fmt: skip


def points_table(agents, opening):
    """Return the points of each agent against each other agent, from one game in each seat."""
    points = np.zeros((len(agents), len(agents)))
    for seats in permutations(range(len(agents)), 2):
        lead = play_job(Job(0, seats, 0, opening=opening), agents, START).utilities[0]
        points[seats] += (1 + lead) / 2
        points[seats[::-1]] += (1 - lead) / 2
    return points


def real():
    agents, lots = programs(), openings(START, 1000, Random(1))
    empty, tables = (
        points_table(agents, ()),
        np.array([points_table(agents, o) for o in lots[:OPENINGS]]),
    )
    share = tables.mean(axis=0) / 2
    strength = share.sum(axis=1)
    pairs = [p for p in permutations(range(len(agents)), 2) if 0.55 <= share[p] <= 0.65]
    pairs = [(one, other) for one, other in pairs if strength[one] > strength[other]]
    known = {}
    for pair in sorted(pairs, key=lambda pair: abs(share[pair] - 0.6))[:6]:
        two = [agents[index] for index in pair]
        known[pair] = sum(points_table(two, opening)[0, 1] for opening in lots)
    sixty = min(known, key=lambda pair: abs(known[pair] / 2000 - 0.6))
    low, high = wilson_interval(known[sixty], 2000)
    one, other = (agents[index].name for index in sixty)
    print(f"{one} gets {low:.1%} to {high:.1%} of 2,000 games against {other}", flush=True)
    chance, rows = Random(2), {}
    for _ in range(TOURNAMENTS):
        others = [index for index in range(len(agents)) if index not in sixty]
        ten = [*sixty, *chance.sample(others, TEN - 2)]
        drawn = tables[chance.sample(range(OPENINGS), PLAYED)]
        for way, played in (("from the empty board", empty[None]), ("with openings", drawn)):
            model = BradleyTerry(played[:, ten][:, :, ten])
            for name, chosen in (("60 %", [sixty]), ("55 to 65 %", pairs)):
                leads = [
                    model.rating_difference(*map(ten.index, p)) for p in chosen if {*p} <= {*ten}
                ]
                counted = [(each.rating > 1e-6, each.low > 0, each.high < 0) for each in leads]
                rows.setdefault((name, way), []).append(np.mean(counted, axis=0))
    for (name, way), found in rows.items():
        right, shown, wrong = (interval(column.tolist()) for column in np.array(found).T)
        print(f"{name}, {way}: in the right order {right}; shown {shown}, wrongly {wrong}")


if __name__ == "__main__":
    {"made-up": made_up, "real": real}[sys.argv[1]](*map(int, sys.argv[2:]))
