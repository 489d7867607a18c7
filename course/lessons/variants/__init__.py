"""Personal variants: an exercise on paper for each student number, all of them as hard.

A student number is any int, or a text such as "s1234567"; capitals and spaces around it do not
count.  The same number gives the same exercise on every computer.  How hard an exercise is, is
counted, and the same for everybody; whoever makes one of the known mistakes gets a wrong answer,
and nearly always one from which it is told which mistake it was:

paper       4 x 4 cells, three of them empty; 11 nodes; one action wins, one draws, one loses
tree        four min nodes with three leaves each; two cuts, three leaves never read; alpha rises
            once after the first node
heaps       four different heaps of 1 to 20 stones, and one winning action, not on the largest heap
ucb         three actions, 10 to 20 visits; the one to select has neither the best mean nor the
            fewest visits, and leads by 0.05 at least
simulation  14 to 20 visits of a root with three children, and two below each; the scores lead by
            0.05 at least on both plies
three       eight leaves, of players 0, 1 and 2; MaxN and Paranoid choose different branches
match       two match-ups with draws; the larger difference is not shown, by 60 to 100 games, the
            smaller one is, by 300 to 500
"""

from course.lessons.variants.variant_kinds import (
    heaps,
    match,
    position_values,
    simulation,
    three_players,
    tree,
    ucb,
)

__all__ = ["heaps", "match", "position_values", "simulation", "three_players", "tree", "ucb"]
