"""Define the workloads of the benchmark `peers`, and how each program is called."""

import random
from collections.abc import Callable
from functools import partial
from time import process_time

import gamefast
import gamelib
from gamefast.solver import tables_for
from gamelib import ConnectFour, GameState, SearchResult, TicTacToe
from tools.benchmarks.peer_programs import (
    MAX_SIMULATIONS,
    PROOFS,
    aima,
    c_reference,
    easy_ai,
    open_spiel_alphabeta,
    open_spiel_mcts,
    open_spiel_minimax,
    open_spiel_search,
)
from tools.benchmarks.peer_tables import (
    COMPILED,
    READABLE,
    Measure,
    Program,
    Sample,
    Workload,
    timed_measure,
)

C, OPEN_SPIEL_C, OPEN_SPIEL = "C, -O3", "OpenSpiel, C++", "OpenSpiel, Python"
EASY_AI, AIMA, BITBULLY = "easyAI", "aima3", "BitBully"
NAMES = (COMPILED, READABLE, C, OPEN_SPIEL_C, OPEN_SPIEL, EASY_AI, AIMA, BITBULLY)
EMPTY, FOUR, DEPTH = TicTacToe(), ConnectFour(), 8
MANY, LEAST_SECONDS = 50_000, 0.02
NODES = {"minimax": 549_946, "alpha-beta": 18_297, "Connect Four": 12_574}


def program(name: str, make: Callable[[], Measure]) -> Program:
    """Return the row of a program, which says so if the program is not installed."""
    try:
        return Program(name, make())
    except ImportError:
        return Program(name, None)


def own_search(search: Callable[[], SearchResult]) -> Measure:
    """Return a measure of one of our searches, which counts its own nodes."""

    def run() -> tuple[float, int]:
        result = search()
        return result.value, result.stats.nodes

    return timed_measure(run)


def uncounted_search(search: Callable[[], object], nodes: int) -> Measure:
    """Return a measure of a search that does not count its nodes; it returns a value, or None."""
    return timed_measure(lambda: (search(), nodes))


def c_function(name: str, *arguments: int) -> Measure:
    """Return a measure of a function in C that returns the nodes of a search for a draw."""
    function = getattr(c_reference(), name)
    return timed_measure(lambda: (0, function(*arguments)))


def tree_workloads() -> list[Workload]:
    """Return the searches for a value, which visit the same trees unless a note says otherwise."""
    plain = partial(open_spiel_alphabeta, "tic_tac_toe", 30)
    four = partial(open_spiel_alphabeta, "connect_four", DEPTH)
    return [
        Workload(
            "Tic-tac-toe, full minimax",
            "node",
            [
                Program(COMPILED, own_search(lambda: gamefast.minimax(EMPTY))),
                Program(READABLE, own_search(lambda: gamelib.minimax(EMPTY))),
                program(C, lambda: c_function("tictactoe_minimax")),
                program(
                    OPEN_SPIEL, lambda: uncounted_search(open_spiel_minimax(), NODES["minimax"])
                ),
                program(AIMA, lambda: uncounted_search(*aima("minimax_decision"))),
            ],
            rounds=3,
            notes=[
                "OpenSpiel's `expectiminimax` is in Python, over states in C++. It does not count"
                " its nodes, but the rules leave only the same tree.",
                "easyAI always prunes, so it has no row here.",
            ],
        ),
        Workload(
            "Tic-tac-toe, alpha-beta",
            "node",
            [
                Program(COMPILED, own_search(lambda: gamefast.alphabeta(EMPTY))),
                Program(READABLE, own_search(lambda: gamelib.alphabeta(EMPTY))),
                program(C, lambda: c_function("tictactoe_alphabeta")),
                program(OPEN_SPIEL, lambda: uncounted_search(plain(), NODES["alpha-beta"])),
                program(EASY_AI, lambda: uncounted_search(*easy_ai("TicTacToe", 9))),
                program(AIMA, lambda: uncounted_search(*aima("alphabeta_search"))),
            ],
            notes=[
                "In easyAI a sooner win is worth more, so fewer values tie, and its tree is "
                "larger. The others search the same tree.",
                "A call of the compiled tier has a fixed cost of some microseconds. It is part of "
                "these figures, and matters in a search as short as this one.",
            ],
            other_trees=[EASY_AI],
        ),
        Workload(
            "Tic-tac-toe, alpha-beta with a table",
            "run",
            [
                Program(
                    READABLE, timed_measure(lambda: (gamelib.alphabeta(EMPTY, table=True).value, 1))
                ),
                program(
                    EASY_AI, lambda: uncounted_search(easy_ai("TicTacToe", 9, table=True)[0], 1)
                ),
            ],
            notes=[
                "The table is empty before every run. The compiled alpha-beta has no table, but "
                "the solver has one."
            ],
        ),
        Workload(
            f"Connect Four, alpha-beta to depth {DEPTH}",
            "node",
            [
                Program(COMPILED, own_search(lambda: gamefast.alphabeta(FOUR, depth=DEPTH))),
                Program(READABLE, own_search(lambda: gamelib.alphabeta(FOUR, depth=DEPTH))),
                program(C, lambda: c_function("connect_four_alphabeta", DEPTH)),
                program(OPEN_SPIEL, lambda: uncounted_search(four(), NODES["Connect Four"])),
                program(EASY_AI, lambda: uncounted_search(*easy_ai("ConnectFour", DEPTH))),
                program(AIMA, lambda: uncounted_search(*aima("alphabeta_cutoff_search", DEPTH))),
            ],
            notes=[
                "All search the same tree, with columns from left to right, no heuristic and "
                "no table."
            ],
        ),
    ]


def repeated_searches(search: Callable[[int], object], count: int) -> Measure:
    """Return a measure of `search(seed)`, which makes `count` simulations, for 0.02 s or more."""

    def measure(seed: int) -> Sample:
        times, started = 0, process_time()
        while (elapsed := process_time() - started) < LEAST_SECONDS:
            search(1000 * seed + times)
            times += 1
        return Sample(elapsed / times, count)

    return measure


def simulation_program(
    name: str, search: Callable[..., SearchResult], state: GameState, count: int
) -> Program:
    """Return the row of one of our programs, which makes `count` simulations in each search.

    The time includes the value, because the other programs return their result, too.
    """
    return Program(
        name,
        repeated_searches(lambda seed: search(state, simulations=count, rng=seed).value, count),
    )


def mcts_workload(title: str, state: GameState, name: str, many: int) -> Workload:
    """Return searches of `many` simulations; the slow programs have no row if there are many."""
    some = min(many, 5_000)

    def in_c() -> Measure:
        search, is_four = c_reference().uct, int(isinstance(state, ConnectFour))
        return repeated_searches(lambda seed: search(is_four, many, seed), many)

    def in_python() -> Measure:
        search = open_spiel_search(name, some)
        return repeated_searches(lambda _: search(), some)

    programs = [
        simulation_program(COMPILED, gamefast.mcts, state, many),
        simulation_program(READABLE, gamelib.mcts, state, many),
        program(C, in_c),
        program(OPEN_SPIEL_C, lambda: repeated_searches(open_spiel_mcts(name, many), many)),
        program(OPEN_SPIEL, in_python),
    ]
    notes = [
        "UCT plays one random game for each simulation, with c = √2 for rewards from 0 to 1 "
        "(2√2 for OpenSpiel's, from -1 to 1), from the empty board. OpenSpiel in Python makes"
        " at most 5,000 simulations, which helps it a little, because its tree is smaller. It"
        " looks for proofs, too, unless told not to.",
        "At terminal states, OpenSpiel uses the payoff without an exploration term. So its "
        "choices are worse if a game can end at once: these tables say how fast it is, not "
        "how good.",
        "The program in C is as plain as one page allows. It adds all children of a leaf at once, "
        "so with many simulations its tree takes more memory than ours.",
    ]
    if many > MANY:
        programs = [one for one in programs if one.name not in (READABLE, OPEN_SPIEL)]
        notes.append(
            "This tree is larger than the caches of a processor. Only programs that finish in "
            "seconds have a row."
        )
    return Workload(
        f"{title}, MCTS of {many:,}",
        "simulation",
        programs,
        rounds=3 if many > MANY else 15,
        notes=notes,
    )


def proof_workloads() -> list[Workload]:
    """Return the proofs of a position's value, which measure simulations and time to the proof."""

    def ours(search: Callable[..., SearchResult], state: GameState, share: bool) -> Measure:
        def measure(seed: int) -> Sample:
            started = process_time()
            result = search(state, simulations=MAX_SIMULATIONS, rng=seed, solver=True, share=share)
            seconds, count = process_time() - started, result.stats.simulations
            proven = result.utilities is not None
            return Sample(seconds, count, result.value if proven else None, proven)

        return measure

    def theirs(name: str) -> Measure:
        search = open_spiel_mcts(name, MAX_SIMULATIONS, solve=True)

        def measure(seed: int) -> Sample:
            started = process_time()
            count = search(seed).explore_count
            return Sample(process_time() - started, count, proven=count < MAX_SIMULATIONS)

        return measure

    works = []
    for title, (state, name) in PROOFS.items():
        title = f"{title[0].upper()}{title[1:]}, proven by MCTS"
        both = [(COMPILED, gamefast.mcts), (READABLE, gamelib.mcts)]
        # Without shared positions, the Python search fails at the last one after minutes.
        plain = both[: 1 + ("1 3 5 7" not in title)]
        programs = [Program(who, ours(search, state, False)) for who, search in plain]
        programs.append(program(OPEN_SPIEL_C, partial(theirs, name)))
        note = (
            f"Each round has a different seed. All give up after {MAX_SIMULATIONS:,} simulations. "
            "OpenSpiel's c is 2√2 and ours is √2, because its rewards are from -1 to 1 and ours "
            "from 0 to 1."
        )
        works.append(Workload(title, "proof", programs, notes=[note]))
        shared = [Program(who, ours(search, state, True)) for who, search in both]
        only = "OpenSpiel's MCTS cannot share equal positions, so it has no row here."
        works.append(Workload(f"{title}, equal positions shared", "proof", shared, notes=[only]))
    return works


# Columns of a game that is nearly over.
LATE_GAME = list(map(int, "4002665423222236655050136335043561"))


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


def score(state: ConnectFour, value: float, distance: int | None) -> int:
    """Return the score that BitBully uses, from our value and distance.

    It is half of the empty cells at the end, rounded up: positive for a win, 0 for a draw.
    """
    if not value or distance is None:
        return 0
    left = 42 - state.stones(0).bit_count() - state.stones(1).bit_count()
    return int(value) * ((left - distance + 2) // 2)


def scores(state: ConnectFour, answer: SearchResult, all_columns: bool) -> dict[int, int] | int:
    """Return the score of a position, or that of every column."""
    if not all_columns:
        return score(state, answer.value, answer.distance)
    return {
        column: score(state, bound.value, answer.distances[column])
        for column, bound in answer.values.items()
    }


def solver_measure(
    search: Callable, forget: Callable[[], object], to_board: Callable, part: Callable,
    read: Callable = lambda _, answer: answer,
) -> Measure:  # fmt: skip
    """Return a measure of a solver that clears its table before each position.

    Clearing a table evicts the program from the processor's caches, so a search of LATE_GAME runs
    before the measured one, and the clock is read once before.
    """

    def measure(number: int) -> Sample:
        seconds, found = 0.0, []
        for columns, state in part(number):
            board = to_board(columns)
            forget()
            search(to_board(LATE_GAME))
            process_time()
            started = process_time()
            answer = search(board)
            seconds += process_time() - started
            found.append(read(state, answer))
        return Sample(seconds, len(found), found)

    return measure


EXACT_NOTES = (
    "The programs find the value and the distance of random positions after this number of plies, "
    "a new one in every round, with empty tables. Few positions take most of the time. So the "
    "totals show which program finishes first, and the medians which one answers most positions "
    "first.",
    "BitBully has no opening book and uses its fastest search, `mtdf`. The answers are compared. "
    "Its wheel is for any x86-64, without the instruction popcnt; ours is compiled for this "
    "machine.",
)
ALL_COLUMNS_NOTE = (
    "This is `solve` by default: the value and the distance of every column. BitBully's function "
    "for this is `score_all_moves`."
)


def exact_workload(low: int, high: int, count: int = 200, *, all_columns: bool = False) -> Workload:
    """Return the exact values of random positions, or of all their columns, one in each round."""
    found, board = positions(count, low, high), tables_for(ConnectFour())
    part = lambda number: [found[number % count]]  # noqa: E731

    def by_us(solve: Callable[..., SearchResult], forget: Callable[[], object]) -> Measure:
        def search(state: ConnectFour) -> SearchResult:
            answer = solve(state, only_value=not all_columns)
            # What is compared is read in the time, because a result may be read late.
            if all_columns:
                _ = answer.values, answer.distances
            else:
                _ = answer.value, answer.distance
            return answer

        return solver_measure(
            search,
            forget,
            lambda columns: FOUR.play(*columns),
            part,
            lambda state, answer: scores(state, answer, all_columns),
        )

    def by_bitbully() -> Measure:
        from bitbully import BitBully, Board

        agent = BitBully(opening_book=None)
        search = agent.score_all_moves if all_columns else agent.mtdf
        return solver_measure(search, agent.reset_transposition_table, Board, part)

    programs = [Program(COMPILED, by_us(gamefast.solve, lambda: board.table.fill(0)))]
    notes = [ALL_COLUMNS_NOTE] if all_columns else list(EXACT_NOTES)
    if low > 20:
        programs.append(Program(READABLE, by_us(gamelib.solve, lambda: None)))
    else:
        notes.append("The readable solver needs too long here.")
    return Workload(
        f"Connect Four, {'all columns' if all_columns else 'exact'}, {low} to {high} plies",
        "position",
        [*programs, program(BITBULLY, by_bitbully)],
        rounds=count,
        notes=notes,
    )


def all_workloads() -> list[Workload]:
    counts = (10, 100, 1_000, MANY, 1_000_000)
    plies = ((8, 13), (14, 20), (21, 28), (29, 36))
    return [
        *tree_workloads(),
        *[mcts_workload("Tic-tac-toe", EMPTY, "tic_tac_toe", count) for count in counts],
        *[mcts_workload("Connect Four", FOUR, "connect_four", count) for count in counts],
        *[exact_workload(*band) for band in plies],
        *[exact_workload(*band, all_columns=True) for band in plies[1:]],
        *proof_workloads(),
    ]
