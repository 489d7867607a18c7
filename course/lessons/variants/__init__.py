"""Personal variants: an exercise on paper for each student number, all of them as hard.

A student number is any int, or a text such as "s1234567"; capitals and spaces around it do not
count.  The same number gives the same exercise on every computer.  How hard an exercise is, is
counted, and the same for everybody:

paper       4 x 4 cells, three of them empty; 11 nodes; one action wins, one draws, one loses;
            whoever reads the tree in one of the wrong ways of `PAPER_MISTAKES` gets another answer
tree        four min nodes with three leaves each; two cuts, three leaves never read; alpha rises
            once after the first node; every mistake of `VALUE_MISTAKES` and `READ_MISTAKES` shows
heaps       four different heaps of 1 to 20 stones, and one winning action; it is not on the largest
            heap, and no program of `NIM_MISTAKES` finds it
ucb         three actions, 10 to 20 visits; the one to select has neither the best mean nor the
            fewest visits, and leads by 0.05 at least
simulation  14 to 20 visits of a root with three children, and two below each; the scores lead by
            0.05 at least on both plies; every mistake of `SELECTION_MISTAKES` leads elsewhere
three       eight leaves, of players 0, 1 and 2; MaxN and Paranoid choose different branches; every
            mistake of `VECTOR_MISTAKES` and `SURE_MISTAKES` shows
match       two match-ups with draws; the larger difference is not shown, by 60 to 100 games, the
            smaller one is, by 300 to 500; every formula of `INTERVAL_MISTAKES` shows
"""

from course.lessons.variants.alpha_beta import (
    READ_MISTAKES,
    VALUE_MISTAKES,
    branches,
    check_tree,
    tree,
)
from course.lessons.variants.experiments import INTERVAL_MISTAKES, check_match, match
from course.lessons.variants.mcts import (
    SELECTION_MISTAKES,
    check_simulation,
    check_ucb,
    simulation,
    ucb,
)
from course.lessons.variants.minimax import PAPER_MISTAKES, check_paper, paper
from course.lessons.variants.multiplayer import SURE_MISTAKES, VECTOR_MISTAKES, check_three, three
from course.lessons.variants.solver import check_heaps, heaps

__all__ = [
    "INTERVAL_MISTAKES",
    "PAPER_MISTAKES",
    "READ_MISTAKES",
    "SELECTION_MISTAKES",
    "SURE_MISTAKES",
    "VALUE_MISTAKES",
    "VECTOR_MISTAKES",
    "branches",
    "check_heaps",
    "check_match",
    "check_paper",
    "check_simulation",
    "check_three",
    "check_tree",
    "check_ucb",
    "heaps",
    "match",
    "paper",
    "simulation",
    "three",
    "tree",
    "ucb",
]
