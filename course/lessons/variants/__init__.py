"""Personal variants of exercises on paper: one for each student number, all equally hard.

A student number is any int, or a text such as "s1234567"; capitals and surrounding spaces are
ignored.  The same number gives the same exercise on every computer.  The difficulty is measured by
the counts below, which are the same for everybody.  Each known mistake leads to a wrong answer, and
nearly always to a different one, so that the mistake can be recognised:

paper       4 x 4 cells, three of them empty; 11 nodes; one action wins, one draws, one loses
tree        four min nodes with three leaves each; two cuts, three leaves never read; alpha rises
            once after the first node
heaps       four different heaps of 1 to 20 stones, and one winning action, not on the largest heap
ucb         three actions, 10 to 20 visits; the one to select has neither the best mean nor the
            fewest visits, and leads by at least 0.05
simulation  14 to 20 visits of a root with three children, and two below each; the scores lead by at
            least 0.05 on both plies
three       eight leaves for players 0, 1 and 2; MaxN and Paranoid choose different branches
match       two match-ups with draws; the larger difference is not shown, after 60 to 100 games, and
            the smaller one is, after 300 to 500

The check of a kind takes the student number and an answer for each part:

    position_values.check(s, {action: value, ...})  # the second position is that of s + " b"
    tree.check(s, value, [leaves])
    heaps.check(s, (heap, take))
    ucb.check(s, {"x": 1.234, ...}, "x")
    simulation.check(s, (1, 0), [(21, 12), ...])  # the path, and (visits, total) on it
    three_players.check(s, (3, 9, 1), 2)
    match.check(s, {"B": (48.1, 59.9), ...}, {"B": "not shown", ...})
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
