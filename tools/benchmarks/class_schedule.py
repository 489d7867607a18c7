"""How well rankings agree with the truth, where the truth is known.

`made-up`: 120 agents of known strength win by the model of the ratings, no game is played.  Who
begins is favoured in some openings, and not in others: by as many Elo points as chance draws for
each.  Swiss rounds, and everyone against everyone, always in both seats.  Two
kinds of classes: strengths like a bell (standard deviation 350 Elo), and 15 programs that eight
students each hand in with small changes.  Agreement is Kendall's tau: 1 for the same order, 0 for
any order; (1 + tau) / 2 of all pairs are in the right order.

`real`: programs without chance play Connect Four.  The truth is their share of the points against
all others over many openings.  A tournament is of ten of the programs, from ten of the openings or
from the empty board, in both seats.  How often is the better of two before the other, and how often
does the ranking show it?  For the pair of which one gets 60 % of the points against the other, and
for all pairs in which one gets 55 to 65 %.

Means with 95 % intervals.
"""

import sys
from dataclasses import replace
from itertools import combinations
from math import exp, sqrt
from random import Random
from statistics import mean, stdev

import numpy as np

from arena.play.match import play_job
from arena.results.games import GameRecord, Job
from arena.results.openings import openings
from arena.results.schedule import Plan
from arena.results.standings import Tournament
from arena.results.statistics import ELO, NORMAL_95, BradleyTerry, wilson_interval
from gamelib import ConnectFour, SearchAgent, TicTacToe, alphabeta, centre_first, windows_heuristic

AGENTS, SEEDS = 120, 20
NAMES = [f"agent {number}" for number in range(AGENTS)]
FAVOUR = 200  # Elo points for who begins, standard deviation over the openings


def bell(chance):
    return [chance.gauss(0, 350) for _ in NAMES]


def copies(chance):
    programs = [chance.gauss(0, 430) for _ in range(AGENTS // 8)]
    return [programs[number // 8] + chance.gauss(0, 17) for number in range(AGENTS)]


def result(job, strengths, seed):
    """Return a game that the model draws; its opening favours who begins, or the other."""
    one, other = (strengths[seat] for seat in job.seats)
    favour = Random(f"{seed}/{job.opening}").gauss(0, FAVOUR)
    chance = Random(f"{seed}/{job.seats}/{job.opening}").random()
    won = chance < 1 / (1 + exp((other - one - favour) / ELO))
    return GameRecord(**vars(job), actions=job.opening, utilities=(1, -1) if won else (-1, 1),
                      forfeit=None, counts=(), seconds=())  # fmt: skip


def games_of(rounds, strengths, seed):
    """Return the games of Swiss rounds; of everyone against everyone, without `rounds`."""
    header = {"kind": "tournament", "agents": NAMES, "games": 2, "seed": seed}
    header |= {"rounds": rounds, "openings": False}
    plan, played = Plan(header, TicTacToe()), {}
    while todo := [job for job in plan.jobs(played) if job.game not in played]:
        for job in todo:  # each round has an opening of its own
            opened = replace(job, opening=(job.game // AGENTS if rounds else 0,))
            played[job.game] = result(opened, strengths, seed)
    return played.values()


def agreement(strengths, games):
    """Return Kendall's tau, and the share of the ten best that are among the first ten."""
    points = np.zeros((AGENTS, AGENTS))
    for game in games:
        one, other = game.seats if game.utilities[0] > 0 else game.seats[::-1]
        points[one, other] += 1
    ratings = np.array([each.rating for each in BradleyTerry([points.tolist()]).ratings()])
    truth = np.array(strengths)
    row, column = np.triu_indices(AGENTS, 1)
    signs = np.sign(ratings[row] - ratings[column]) * np.sign(truth[row] - truth[column])
    best = {*np.argsort(-ratings)[:10]} & {*np.argsort(-truth)[:10]}
    return float(signs.mean()), len(best) / 10


def interval(values):
    return f"{mean(values):.3f} +- {NORMAL_95 * stdev(values) / sqrt(len(values)):.3f}"


def made_up():
    ways = {"Swiss, 15 rounds": 15, "Swiss, 30 rounds": 30, "everyone": None}
    for kind in (bell, copies):
        print(f"{kind.__name__}, {SEEDS} seeds{'games':>25}  {'tau':>15}  {'of the ten best':>15}")
        for name, rounds in ways.items():
            found, games = [], []
            for seed in range(SEEDS):
                strengths = kind(Random(seed))
                games = games_of(rounds, strengths, seed)
                found.append(agreement(strengths, games))
            tau, best = zip(*found, strict=True)
            print(
                f"{name:35}{len(games):6,}  {interval(tau):>15}  {interval(best):>15}", flush=True
            )


# --- real games ---

START, OPENINGS, PLAYED, TEN, TOURNAMENTS = ConnectFour(), 100, 10, 10, 400
WEIGHTS = (1, 4, 16), (1, 4, 9), (1, 2, 3), (1, 9, 9), (0, 1, 4), (1, 1, 16)


def programs():
    return [
        SearchAgent(alphabeta, f"depth {depth}, {weights}{', c' if order else ''}", depth=depth,
                    evaluate=windows_heuristic(weights=weights), order=order)
        for depth in (1, 2) for order in (None, centre_first) for weights in WEIGHTS
    ]  # fmt: skip


def real():
    agents, lots = programs(), openings(START, 1000, Random(1))
    drawn_ = lots[:OPENINGS]
    pairs = list(combinations(range(len(agents)), 2))
    games = {}  # of each pair from each opening, the empty one too, in both seats
    for opening in [(), *drawn_]:
        for pair in pairs:
            jobs = [Job(0, seats, 0, opening=opening) for seats in (pair, pair[::-1])]
            games[opening, pair] = [play_job(job, agents, START) for job in jobs]
    print(f"{len(agents)} programs, {2 * len(games):,} games")
    between = {pair: share(pair, [r for o in drawn_ for r in games[o, pair]]) for pair in pairs}
    points = np.zeros(len(agents))
    for (one, other), got in between.items():
        points[one], points[other] = points[one] + got, points[other] + 1 - got
    # The better one first; pairs of which the better program gets less from the other are left out.
    agree = [p for p in pairs if (points[p[0]] > points[p[1]]) == (between[p] > 0.5)]
    near = {p for p in agree if 0.05 <= abs(between[p] - 0.5) <= 0.15}
    known = {}
    for pair in sorted(agree, key=lambda pair: abs(abs(between[pair] - 0.5) - 0.1))[:6]:
        jobs = [Job(0, seats, 0, opening=o) for o in lots for seats in (pair, pair[::-1])]
        known[pair] = share(pair, [play_job(job, agents, START) for job in jobs])
    sixty = min(known, key=lambda pair: abs(abs(known[pair] - 0.5) - 0.1))
    low, high = wilson_interval(known[sixty] * len(jobs), len(jobs))
    one, other = (agents[index].name for index in sixty)
    print(f"{one} gets {low:.1%} to {high:.1%} of {len(jobs):,} games against {other}")
    chance, rows = Random(2), {}
    for _ in range(TOURNAMENTS):
        others = [index for index in range(len(agents)) if index not in sixty]
        ten = sorted([*sixty, *chance.sample(others, TEN - 2)])
        lot = chance.sample(drawn_, PLAYED)
        for way, begun in (("from the empty board", [()] * PLAYED), ("with openings", lot)):
            met = list(combinations(ten, 2))
            found = ranked(
                [agents[index] for index in ten], ten, [games[o, p] for o in begun for p in met]
            )
            for name, chosen in (("the pair of 60 %", {sixty}), ("all of 55 to 65 %", near)):
                leads = [found(*sorted(p, key=lambda i: -points[i])) for p in chosen & {*met}]
                if leads:
                    counted = [(each.rating > 1e-6, each.low > 0, each.high < 0) for each in leads]
                    rows.setdefault((name, way), []).append(np.mean(counted, axis=0))
    for (name, way), found in rows.items():
        right, shown, wrong = (interval(column.tolist()) for column in np.array(found).T)
        print(f"{name}, {way}: in the right order {right}; shown {shown}, wrongly {wrong}")


def share(pair, records):
    """Return the share of the points of the first of two."""
    return 0.5 + mean(record.utilities[record.seats.index(pair[0])] for record in records) / 2


def ranked(agents, indices, played):
    """Return a function that says by how much a tournament puts one before another."""
    records = [
        replace(record, game=number, seats=tuple(indices.index(seat) for seat in record.seats))
        for number, record in enumerate(record for pair in played for record in pair)
    ]
    names = tuple(agent.name for agent in agents)
    results = Tournament(names, START, 2 * PLAYED, 0, tuple(records), None, {})
    return lambda one, other: results._model.lead(indices.index(one), indices.index(other))


if __name__ == "__main__":
    {"made-up": made_up, "real": real}[sys.argv[1]]()
