"""How well rankings agree with the truth, where the truth is known.

`made-up`: 120 agents of known strength win by the model of the ratings, no game is played.  Who
begins is favoured in some openings, and not in others: by as many Elo points as chance draws for
each.  Swiss rounds, rounds in which chance says who meets, and everyone against everyone.  Two
kinds of classes: strengths like a bell (standard deviation 350 Elo), and 15 programs that eight
students each hand in with small changes.  Agreement is Kendall's tau: 1 for the same order, 0 for
any order; (1 + tau) / 2 of all pairs are in the right order.

`real`: ten agents without chance play Connect Four.  The truth is their share of the points over
all of many openings.  Of these, tournaments draw ten, or play from the empty board.  How often is
the better of two first, and how often does the ranking show it?  For the pair that is nearest to
60 % of the points between them, and for all pairs that are between 55 and 65 %.

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


def drawn(rounds, strengths, seed):
    games, chance = [], Random(seed)
    for number in range(rounds):
        order = chance.sample(range(AGENTS), AGENTS)
        for one, other in zip(order[::2], order[1::2], strict=True):
            for seats in ((one, other), (other, one)):
                games.append(result(Job(0, seats, 0, opening=(number,)), strengths, seed))
    return games


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
    ways = {f"{way.__name__}, {n} rounds": (way, n) for n in (15, 30) for way in (drawn, games_of)}
    ways["everyone, both seats"] = games_of, None
    for kind in (bell, copies):
        print(f"{kind.__name__}, {SEEDS} seeds{'games':>25}  {'tau':>15}  {'of the ten best':>15}")
        for name, (way, rounds) in ways.items():
            found, games = [], []
            for seed in range(SEEDS):
                strengths = kind(Random(seed))
                games = way(rounds, strengths, seed)
                found.append(agreement(strengths, games))
            tau, best = zip(*found, strict=True)
            print(
                f"{name:35}{len(games):6,}  {interval(tau):>15}  {interval(best):>15}", flush=True
            )


# --- real games ---

START, OPENINGS, PLAYED, TOURNAMENTS = ConnectFour(), 400, 10, 400


def ten_agents():
    weights = {"": (1, 4, 16), " flat": (1, 4, 9)}
    return [
        SearchAgent(alphabeta, f"depth {depth}{named}{' c' if order else ''}", depth=depth,
                    evaluate=windows_heuristic(weights=each), order=order)
        for depth, orders in ((1, (None, centre_first)), (2, (None, centre_first)), (3, (None,)))
        for order in orders
        for named, each in weights.items()
    ]  # fmt: skip


def real():
    agents, drawn_ = ten_agents(), openings(START, OPENINGS, Random(1))
    pairs = list(combinations(range(len(agents)), 2))
    games = {}  # for each opening, the empty one too, the games of all pairs in both seats
    for number, opening in enumerate([(), *drawn_]):
        jobs = [Job(0, s, 0, opening=opening) for p in pairs for s in (p, p[::-1])]
        games[opening] = [play_job(job, agents, START) for job in jobs]
        if number % 100 == 0:
            print(f"{number} openings", file=sys.stderr, flush=True)
    print(f"{len(drawn_)} openings, {sum(map(len, games.values())):,} games")
    leads = {pair: [] for pair in pairs}
    points = np.zeros(len(agents))
    for opening in drawn_:
        for record in games[opening]:
            one, other = record.seats
            lead = record.utilities[0]
            points[one], points[other] = points[one] + 1 + lead, points[other] + 1 - lead
            leads[min(record.seats), max(record.seats)].append(lead if one < other else -lead)
    between = {pair: 0.5 + mean(each) / 2 for pair, each in leads.items()}
    pairs = [p for p in pairs if (points[p[0]] > points[p[1]]) == (between[p] > 0.5)]
    near = [pair for pair in pairs if 0.05 <= abs(between[pair] - 0.5) <= 0.15]
    sixty = min(pairs, key=lambda pair: abs(abs(between[pair] - 0.5) - 0.1))
    known(agents, sixty)
    chance = Random(2)
    runs = [chance.sample(drawn_, PLAYED) for _ in range(TOURNAMENTS)]
    for named, chosen in (("60 %", [sixty]), ("55 to 65 %", near)):
        print(f"pairs of {named}: {len(chosen)}")
        for way, lots in (("from the empty board", [[()] * PLAYED]), ("with openings", runs)):
            right = shown = wrong = all_ = 0
            for lot in lots:
                results = standings(agents, [record for o in lot for record in games[o]])
                for one, other in chosen:
                    if points[one] < points[other]:
                        one, other = other, one
                    lead = results._model.lead(one, other)
                    all_ += 1
                    right += lead.rating > 1e-6
                    shown, wrong = shown + (lead.low > 0), wrong + (lead.high < 0)
            ends = " to ".join(f"{end:.0%}" for end in wilson_interval(right, all_))
            print(f"  {way}: right {right} of {all_} ({ends}); shown {shown}, wrongly {wrong}")


def known(agents, pair):
    """Print how much of the points one agent gets against the other in 2,000 games."""
    lots = openings(START, 1000, Random(3))
    jobs = [Job(0, seats, 0, opening=o) for o in lots for seats in (pair, pair[::-1])]
    leads = [play_job(job, agents, START).utilities[job.seats.index(pair[0])] for job in jobs]
    low, high = wilson_interval(len(jobs) / 2 + sum(leads) / 2, len(jobs))
    print(f"{agents[pair[0]]} gets {low:.1%} to {high:.1%} of {len(jobs):,} games "
          f"against {agents[pair[1]]}")  # fmt: skip


def standings(agents, records):
    numbered = tuple(replace(record, game=n) for n, record in enumerate(records))
    return Tournament(tuple(each.name for each in agents), START, 2 * PLAYED, 0, numbered, None, {})


if __name__ == "__main__":
    {"made-up": made_up, "real": real}[sys.argv[1]]()
