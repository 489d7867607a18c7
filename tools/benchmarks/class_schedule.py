"""How well rankings agree with the truth: Swiss rounds, drawn rounds, everyone against everyone.

No game is played: 120 agents of known strength win by the model of the ratings, and are then rated
from these games.  Agreement is Kendall's tau: 1 for the same order, 0 for any order.  Two classes:
strengths like a bell (standard deviation 350 Elo), and 15 programs that eight students each hand in
with small changes.  Means over seeds, with 95 % intervals; the same strengths on every row.
"""

from collections import defaultdict
from functools import partial
from math import exp, sqrt
from random import Random
from statistics import mean, stdev

import numpy as np

from arena.results.games import GameRecord
from arena.results.schedule import Job, Swiss, round_robin
from arena.results.statistics import ELO, NORMAL_95, bradley_terry

AGENTS, SEEDS = 120, 20
NAMES = [f"agent {number}" for number in range(AGENTS)]


def bell(chance):
    return [chance.gauss(0, 350) for _ in NAMES]


def copies(chance):
    programs = [chance.gauss(0, 430) for _ in range(AGENTS // 8)]
    return [programs[number // 8] + chance.gauss(0, 17) for number in range(AGENTS)]


def result(job, strengths, chance):
    one, other = (strengths[seat] for seat in job.seats)
    won = chance.random() < 1 / (1 + exp((other - one) / ELO))
    return GameRecord(**vars(job), actions=(), utilities=(1, -1) if won else (-1, 1),
                      forfeit=None, counts=(), seconds=())  # fmt: skip


def swiss(strengths, chance, rounds):
    plan, played = Swiss(NAMES, 2, 2, rounds, chance.getrandbits(40), ()), {}
    while todo := [job for job in plan.jobs(played) if job.game not in played]:
        played.update((job.game, result(job, strengths, chance)) for job in todo)
    return played.values()


def drawn(strengths, chance, rounds):
    games = []
    for _ in range(rounds):
        order = chance.sample(range(AGENTS), AGENTS)
        for one, other in zip(order[::2], order[1::2], strict=True):
            games += [Job(0, (one, other), 0), Job(0, (other, one), 0)]
    return [result(job, strengths, chance) for job in games]


def everyone(strengths, chance):
    jobs = round_robin(NAMES, 2, 2, 0)  # in both seats, of which one is drawn
    return [result(chance.choice(pair), strengths, chance) for pair in both_seats(jobs)]


def both_seats(jobs):
    pairs = defaultdict(list)
    for job in jobs:
        pairs[frozenset(job.seats)].append(job)
    return pairs.values()


def agreement(strengths, games):
    """Return Kendall's tau, and the share of the ten best that are among the first ten."""
    points = np.zeros((AGENTS, AGENTS))
    for game in games:
        one, other = game.seats if game.utilities[0] > 0 else game.seats[::-1]
        points[one, other] += 1
    ratings = np.array([each.rating for each in bradley_terry(points.tolist())])
    truth = np.array(strengths)
    row, column = np.triu_indices(AGENTS, 1)
    signs = np.sign(ratings[row] - ratings[column]) * np.sign(truth[row] - truth[column])
    best = {*np.argsort(-ratings)[:10]} & {*np.argsort(-truth)[:10]}
    return float(signs.mean()), len(best) / 10


def interval(values):
    return f"{mean(values):.3f} +- {NORMAL_95 * stdev(values) / sqrt(len(values)):.3f}"


def main():
    ways = {
        f"{way.__name__}, {rounds} rounds": partial(way, rounds=rounds)
        for rounds in (15, 30)
        for way in (drawn, swiss)
    }
    ways["everyone once"] = everyone
    for kind in (bell, copies):
        print(f"{kind.__name__}, {SEEDS} seeds{'games':>25}  {'tau':>15}  {'of the ten best':>15}")
        for name, way in ways.items():
            found, games = [], []
            for seed in range(SEEDS):
                strengths = kind(Random(seed))
                played = way(strengths, Random(f"{name}/{seed}"))
                found.append(agreement(strengths, played))
                games.append(len(played))
            tau, best = zip(*found, strict=True)
            print(f"{name:35}{games[0]:6,}  {interval(tau):>15}  {interval(best):>15}", flush=True)


if __name__ == "__main__":
    main()
