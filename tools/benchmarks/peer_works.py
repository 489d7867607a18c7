"""What the programs of the benchmark `peers` do, and how each of them is called."""

import random
from collections.abc import Callable
from functools import partial
from time import process_time

import gamefast
import gamelib
from gamefast.solver import board_of
from gamelib import ConnectFour, GameState, SearchResult, TicTacToe
from tools.benchmarks.peer_programs import (
    MOST,
    PROOFS,
    aima,
    easy_ai,
    limit,
    open_spiel_alphabeta,
    open_spiel_mcts,
    open_spiel_minimax,
    open_spiel_search,
)
from tools.benchmarks.peer_tables import COMPILED, READABLE, Measure, Program, Sample, Work, timed

C, OPEN_SPIEL_C, OPEN_SPIEL = "C, -O3", "OpenSpiel, C++", "OpenSpiel, Python"
EASY_AI, AIMA, BITBULLY = "easyAI", "aima3", "BitBully"
NAMES = (COMPILED, READABLE, C, OPEN_SPIEL_C, OPEN_SPIEL, EASY_AI, AIMA, BITBULLY)
EMPTY, FOUR, DEPTH = TicTacToe(), ConnectFour(), 8
NODES = {"minimax": 549_946, "alpha-beta": 18_297, "Connect Four": 12_574}


def program(name: str, make: Callable[[], Measure]) -> Program:
    """Return the row of a program; it says so where the program is missing."""
    try:
        return Program(name, make())
    except ImportError:
        return Program(name, None)


def searched(search: Callable[[], SearchResult]) -> Measure:
    """Return a measure of one of our searches, which counts its own nodes."""

    def run() -> tuple[float, int]:
        result = search()
        return result.value, result.stats.nodes

    return timed(run)


def counted(search: Callable[[], object], nodes: int) -> Measure:
    """Return a measure of a search that does not count its nodes; it returns a value, or None."""
    return timed(lambda: (search(), nodes))


def in_c(name: str, *arguments: int) -> Measure:
    """Return a measure of a function in C that returns the nodes of a search for a draw."""
    function = getattr(limit(), name)
    return timed(lambda: (0, function(*arguments)))


def trees() -> list[Work]:
    """Return the searches for a value, which walk the same trees unless a note says so."""
    plain = partial(open_spiel_alphabeta, "tic_tac_toe", 30)
    four = partial(open_spiel_alphabeta, "connect_four", DEPTH)
    return [
        Work(
            "Tic-tac-toe, full minimax",
            "node",
            [
                Program(COMPILED, searched(lambda: gamefast.minimax(EMPTY))),
                Program(READABLE, searched(lambda: gamelib.minimax(EMPTY))),
                program(C, lambda: in_c("tictactoe_minimax")),
                program(OPEN_SPIEL, lambda: counted(open_spiel_minimax(), NODES["minimax"])),
                program(AIMA, lambda: counted(*aima("minimax_decision"))),
            ],
            rounds=3,
            notes=[
                "OpenSpiel: its `expectiminimax`, in Python over states in C++. It does not count "
                "its nodes; the same tree is what the rules leave it.",
                "easyAI always prunes, so it has no row here.",
            ],
        ),
        Work(
            "Tic-tac-toe, alpha-beta",
            "node",
            [
                Program(COMPILED, searched(lambda: gamefast.alphabeta(EMPTY))),
                Program(READABLE, searched(lambda: gamelib.alphabeta(EMPTY))),
                program(C, lambda: in_c("tictactoe_alphabeta")),
                program(OPEN_SPIEL, lambda: counted(plain(), NODES["alpha-beta"])),
                program(EASY_AI, lambda: counted(*easy_ai("TicTacToe", 9))),
                program(AIMA, lambda: counted(*aima("alphabeta_search"))),
            ],
            notes=[
                "easyAI counts a sooner win as worth more, so fewer values tie, and it walks a "
                "larger tree. The others walk the same one.",
                "A call of the compiled tier has a fixed cost of some microseconds, which is in "
                "these figures: it shows on a search as short as this.",
            ],
            other_trees=[EASY_AI],
        ),
        Work(
            "Tic-tac-toe, alpha-beta with a table",
            "run",
            [
                Program(READABLE, timed(lambda: (gamelib.alphabeta(EMPTY, table=True).value, 1))),
                program(EASY_AI, lambda: counted(easy_ai("TicTacToe", 9, table=True)[0], 1)),
            ],
            notes=[
                "The table is empty before every run. The compiled alpha-beta has none; the "
                "solver has."
            ],
        ),
        Work(
            f"Connect Four, alpha-beta to depth {DEPTH}",
            "node",
            [
                Program(COMPILED, searched(lambda: gamefast.alphabeta(FOUR, depth=DEPTH))),
                Program(READABLE, searched(lambda: gamelib.alphabeta(FOUR, depth=DEPTH))),
                program(C, lambda: in_c("connect_four_alphabeta", DEPTH)),
                program(OPEN_SPIEL, lambda: counted(four(), NODES["Connect Four"])),
                program(EASY_AI, lambda: counted(*easy_ai("ConnectFour", DEPTH))),
                program(AIMA, lambda: counted(*aima("alphabeta_cutoff_search", DEPTH))),
            ],
            notes=["All walk the same tree: columns from left to right, no heuristic, no table."],
        ),
    ]


def repeated(play: Callable[[int], object], count: int) -> Measure:
    """Return a measure of `play(seed)`, which plays `count` games or simulations."""

    def measure(seed: int) -> Sample:
        started = process_time()
        play(seed)
        return Sample(process_time() - started, count)

    return measure


def simulated(
    name: str, search: Callable[..., SearchResult], state: GameState, count: int
) -> Program:
    """Return one of our programs that makes so many simulations."""
    return Program(name, repeated(lambda seed: search(state, simulations=count, rng=seed), count))


def mcts_work(title: str, state: GameState, name: str, many: int = 50_000) -> Work:
    some = min(many, 5_000)

    def in_python() -> Measure:
        search = open_spiel_search(name, some)
        return repeated(lambda _: search(), some)

    return Work(
        f"{title}, MCTS of {many:,}",
        "simulation",
        [
            simulated(COMPILED, gamefast.mcts, state, many),
            simulated(READABLE, gamelib.mcts, state, many),
            program(OPEN_SPIEL_C, lambda: repeated(open_spiel_mcts(name, many), many)),
            program(OPEN_SPIEL, in_python),
        ],
        notes=[
            "UCT with one random game a simulation, c = √2 for rewards of 0 to 1 (2√2 for those of "
            "OpenSpiel, -1 to 1), from the empty board. In Python it makes 5,000 at most, a "
            "smaller tree, which helps it a little; it looks for proofs, too, unless told not to.",
            "OpenSpiel gives a child where the game is over its payoff without an exploration "
            "term. So it is another search there, and where a game can end at once its choices "
            "are worse: this table says how fast it is, not how good.",
        ],
    )


def long_mcts(simulations: int = 1_000_000) -> Work:
    theirs = partial(open_spiel_mcts, "connect_four", simulations)
    return Work(
        f"Connect Four, MCTS of {simulations:,}",
        "simulation",
        [
            simulated(COMPILED, gamefast.mcts, FOUR, simulations),
            program(OPEN_SPIEL_C, lambda: repeated(theirs(), simulations)),
        ],
        rounds=3,
        notes=[
            "A tree that no cache of a processor holds. Only for programs that finish in seconds."
        ],
    )


def proofs() -> list[Work]:
    """Return the proofs of a position's value: simulations, and the time, until it is proven."""

    def ours(search: Callable[..., SearchResult], state: GameState, share: bool) -> Measure:
        def measure(seed: int) -> Sample:
            started = process_time()
            result = search(state, simulations=MOST, rng=seed, solver=True, share=share)
            seconds, count = process_time() - started, result.stats.simulations
            proven = result.utilities is not None
            return Sample(seconds, count, result.value if proven else None, proven)

        return measure

    def theirs(name: str) -> Measure:
        search = open_spiel_mcts(name, MOST, solve=True)

        def measure(seed: int) -> Sample:
            started = process_time()
            count = search(seed).explore_count
            return Sample(process_time() - started, count, proven=count < MOST)

        return measure

    works = []
    for title, (state, name) in PROOFS.items():
        title = f"{title[0].upper()}{title[1:]}, proven by MCTS"
        both = [(COMPILED, gamefast.mcts), (READABLE, gamelib.mcts)]
        # Without shared positions the readable search needs minutes to give up on the last.
        plain = both[: 1 + ("1 3 5 7" not in title)]
        programs = [Program(who, ours(search, state, False)) for who, search in plain]
        programs.append(program(OPEN_SPIEL_C, partial(theirs, name)))
        note = (
            f"Each round has another seed. All give up after {MOST:,} simulations. OpenSpiel's c "
            "is 2√2 where ours is √2, which explores as much: its rewards are -1 to 1, ours 0 to 1."
        )
        works.append(Work(title, "proof", programs, notes=[note]))
        shared = [Program(who, ours(search, state, True)) for who, search in both]
        only = "OpenSpiel's MCTS cannot share equal positions, so it has no row here."
        works.append(Work(f"{title}, equal positions shared", "proof", shared, notes=[only]))
    return works


# Columns of a game that is nearly over.
LATE = list(map(int, "4002665423222236655050136335043561"))


def positions(count: int, low: int, high: int) -> list[tuple[list[int], ConnectFour]]:
    """Return random positions after `low` to `high` plies, and the columns played."""
    rng = random.Random(low)
    found: list[tuple[list[int], ConnectFour]] = []
    while len(found) < count:
        state, columns = FOUR, []
        for _ in range(rng.randint(low, high)):
            if not state.is_terminal():
                columns.append(rng.choice(state.legal_actions()))
                state = state.successor(columns[-1])
        if not state.is_terminal():
            found.append((columns, state))
    return found


def score(state: ConnectFour, answer: SearchResult | int) -> int:
    """Return half of the cells left at the end, rounded up: + for a win, 0 for a draw.

    So BitBully answers; of our answers it is worked out.
    """
    if not isinstance(answer, SearchResult):
        return answer
    if not answer.value or answer.distance is None:
        return 0
    left = 42 - state.stones(0).bit_count() - state.stones(1).bit_count()
    return int(answer.value) * ((left - answer.distance + 2) // 2)


def measured(
    search: Callable, forget: Callable[[], object], to_board: Callable, part: Callable
) -> Measure:
    """Return a measure of a solver that forgets all it knows before each position.

    To forget empties the processor's caches: the search of LATE brings the program back there.
    """

    def measure(number: int) -> Sample:
        seconds, scores = 0.0, []
        for columns, state in part(number):
            board = to_board(columns)
            forget()
            search(to_board(LATE))
            started = process_time()
            answer = search(board)
            seconds += process_time() - started
            scores.append(score(state, answer))
        return Sample(seconds, len(scores), scores)

    return measure


def exact(low: int, high: int, count: int = 200) -> Work:
    """Return the exact values of random positions, one in each round."""
    found, board = positions(count, low, high), board_of(ConnectFour, 6, 7, 4)
    part = lambda number: [found[number % count]]  # noqa: E731

    def by_us(solve: Callable[..., SearchResult], forget: Callable[[], object]) -> Measure:
        to_board = lambda columns: FOUR.play(*columns)  # noqa: E731
        return measured(lambda state: solve(state, only_value=True), forget, to_board, part)

    def by_bitbully() -> Measure:
        from bitbully import BitBully, Board

        agent = BitBully(opening_book=None)
        return measured(agent.mtdf, agent.reset_transposition_table, Board, part)

    programs = [Program(COMPILED, by_us(gamefast.solve, lambda: board.table.fill(0)))]
    slow = []
    if low > 20:
        programs.append(Program(READABLE, by_us(gamelib.solve, lambda: None)))
    else:
        slow.append("The readable solver needs too long here.")
    return Work(
        f"Connect Four, exact, {low} to {high} plies",
        "position",
        [*programs, program(BITBULLY, by_bitbully)],
        rounds=count,
        notes=[
            "Value and distance of random positions after this number of plies, another one in "
            "every round. All programs forget what they know before each. Few positions take most "
            "of the time: the totals say who is through first, the medians who answers a position "
            "first.",
            "BitBully has no opening book, and uses its fastest search, `mtdf`. The answers are "
            "compared. Its wheel is built for any x86-64, without the instruction popcnt; ours is "
            "compiled for this machine.",
            *slow,
        ],
    )


def all_works() -> list[Work]:
    return [
        *trees(),
        mcts_work("Tic-tac-toe", EMPTY, "tic_tac_toe", 1_000),
        mcts_work("Tic-tac-toe", EMPTY, "tic_tac_toe"),
        mcts_work("Connect Four", FOUR, "connect_four"),
        long_mcts(),
        *[exact(*plies) for plies in ((8, 13), (14, 20), (21, 28))],
        *proofs(),
    ]
