from gamelib.search.alphabeta import alphabeta as alphabeta
from gamelib.search.best_reply import best_reply as best_reply
from gamelib.search.deepening import iterative_deepening as iterative_deepening
from gamelib.search.expectiminimax import expectiminimax as expectiminimax
from gamelib.search.expectiminimax import star1 as star1
from gamelib.search.heuristics import OpenLines as OpenLines
from gamelib.search.heuristics import lines_heuristic as lines_heuristic
from gamelib.search.heuristics import open_lines as open_lines
from gamelib.search.heuristics import open_windows as open_windows
from gamelib.search.heuristics import windows_heuristic as windows_heuristic
from gamelib.search.limits import PayoffBounds as PayoffBounds
from gamelib.search.lookahead import lookahead as lookahead
from gamelib.search.lookahead import random_choice as random_choice
from gamelib.search.lookahead import safe_actions as safe_actions
from gamelib.search.lookahead import two_step_wins as two_step_wins
from gamelib.search.lookahead import winning_actions as winning_actions
from gamelib.search.maxn import hurt_the_leader as hurt_the_leader
from gamelib.search.maxn import maxn as maxn
from gamelib.search.mcts import mcts as mcts
from gamelib.search.minimax import minimax as minimax
from gamelib.search.minimax import negamax as negamax
from gamelib.search.ordering import centre_first as centre_first
from gamelib.search.ordering import preferred as preferred
from gamelib.search.paranoid import paranoid as paranoid
from gamelib.search.registry import Search
from gamelib.search.result import COUNTING as COUNTING
from gamelib.search.result import Bound as Bound
from gamelib.search.result import SearchResult as SearchResult
from gamelib.search.result import Stats as Stats
from gamelib.search.rollouts import random_rollout as random_rollout
from gamelib.search.rollouts import take_a_win as take_a_win
from gamelib.search.solver import solve as solve
from gamelib.search.table import Table as Table
from gamelib.search.tree import SearchTree as SearchTree

SEARCHES: dict[str, Search]
