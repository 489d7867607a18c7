"""The review of a game: each statement is compared with a program that searches everything."""

import random
from collections import Counter
from functools import cache

import pytest

from course import PlayBoard
from course.widgets import game_review, oracle
from course.widgets.game_review import ReviewedMove, review
from course.widgets.oracle import exact_value
from course.widgets.review_pane import summary
from gamelib import ConnectFour, EinStein, GameState, GameTree, Nim, TicTacToe
from gamelib.state import CHANCE
from tests.widgets.conftest import asked, first, live_widgets

GAMES = {"tictactoe": TicTacToe(), "nim": Nim((2, 3, 3)), "connect four": ConnectFour(4, 4, 3)}
GAMES_EACH = 17  # of a kind, 51 in all
VERDICTS = {  # of a move, by the values before and after it
    (1, 1): "kept the win",
    (1, 0): "threw a win away, now a draw",
    (1, -1): "threw a win away, now a loss",
    (0, 0): "kept the draw",
    (0, -1): "threw a draw away, now a loss",
    (-1, -1): "could not be saved",
}


def true_value(state: GameState, player: int) -> float:
    """Return the value for a player, in a game whose payoffs sum to 0."""
    return value_for_first(state) if player == 0 else 0 - value_for_first(state)


@cache
def value_for_first(state: GameState) -> float:
    """Return the value for player 0 by trying every line to its end."""
    if state.is_terminal():
        return state.utilities()[0]
    children = [value_for_first(state.successor(a)) for a in state.legal_actions()]
    if state.current_player == CHANCE:
        chances = [chance for _, chance in state.chance_outcomes()]
        return sum(c * v for c, v in zip(chances, children, strict=True))
    return max(children) if state.current_player == 0 else min(children)


def random_game(state: GameState, rng: random.Random) -> tuple[list[GameState], list]:
    """Return the positions and the actions of a game between two random players."""
    positions, actions = [state], []
    while not positions[-1].is_terminal():
        actions.append(rng.choice(positions[-1].legal_actions()))
        positions.append(positions[-1].successor(actions[-1]))
    return positions, actions


def reviewed(positions: list[GameState], actions: list) -> list[ReviewedMove]:
    return review(positions, actions, lambda share, moves: None, lambda: False)


def true_change(move: ReviewedMove) -> tuple[float, float]:
    """Return the values before and after a move for its player, by the program above."""
    player = move.state.current_player
    return true_value(move.state, player), true_value(move.state.successor(move.action), player)


@cache
def reviewed_games(name: str) -> list[ReviewedMove]:
    rng = random.Random(name)
    return [move for _ in range(GAMES_EACH) for move in reviewed(*random_game(GAMES[name], rng))]


@pytest.mark.parametrize("name", GAMES)
def test_verdicts_equal_those_of_brute_force(name: str) -> None:
    wrong = [
        (move.state, move.action, move.verdict)
        for move in reviewed_games(name)
        if move.verdict != VERDICTS[true_change(move)]
    ]
    assert wrong == []


def test_random_games_have_every_verdict() -> None:
    found = {move.verdict for name in GAMES for move in reviewed_games(name)}
    assert found == {*VERDICTS.values()}


@pytest.mark.parametrize("name", GAMES)
def test_summary_counts_thrown_away_results(name: str) -> None:
    moves = reviewed_games(name)
    lost = Counter()
    for move in moves:
        before, after = true_change(move)
        if after < before:
            lost[move.state.player_name(move.state.current_player), before] += 1
    said = summary(moves)
    for (player, before), number in lost.items():
        about = said.split(f"{player} threw away ")[1].split(", and ")[0]
        assert f"{number} {oracle.RESULTS[before]}" in about


def test_chance_game_is_judged_by_expected_values() -> None:
    rng = random.Random(4)
    paper = GameTree.parse("{1/2: [2 4] 1/2: [-1 5]} {0.75: [0 3] 0.25: [8 9]}")
    for start in (paper, EinStein.parse("X1 . . / . X2 O2 / . . O1", die=1)):
        for _ in range(10):
            for move in reviewed(*random_game(start, rng)):
                if move.by_chance:
                    continue
                before, after = true_change(move)
                assert (move.before, move.after) == pytest.approx((before, after))
                assert move.verdict.startswith("kept " if before == after else "gave away ")
                assert not move.thrown_away


# What is not proven


def test_unproven_moves_are_called_estimates(monkeypatch) -> None:
    monkeypatch.setattr(game_review, "exact_value", lambda *_, **__: None)
    moves = reviewed(*random_game(TicTacToe(), random.Random(1)))
    assert all(move.verdict.startswith("estimate ") for move in moves)
    assert not any(move.thrown_away for move in moves)
    said = summary(moves)
    assert f"0 of {len(moves)} moves" in said
    assert game_review.LEGEND in said


def test_three_players_get_estimates() -> None:
    moves = reviewed(*random_game(Nim((2, 2), num_players=3), random.Random(1)))
    assert all(move.estimate and not move.proven for move in moves)
    assert all(mean <= best for mean, best in (move.estimate for move in moves))


def test_time_limit_ends_the_proofs(monkeypatch) -> None:
    monkeypatch.setattr(game_review, "PROOF_SECONDS", -1)
    moves = reviewed(*random_game(ConnectFour(7, 7), random.Random(2)))
    assert any(move.estimate for move in moves)


def test_stop_keeps_verdicts_found_so_far() -> None:
    positions, actions = random_game(TicTacToe(), random.Random(3))
    seen = []
    moves = review(
        positions, actions, lambda share, moves: seen.append(share), lambda: len(seen) > 1
    )
    assert [move.proven for move in moves] == [False] * (len(actions) - 2) + [True, True]
    assert "The others are not judged." in summary(moves)


# The value of a position


@pytest.mark.parametrize("name", GAMES)
def test_exact_value_equals_brute_force(name: str) -> None:
    rng = random.Random(name)
    for _ in range(5):
        positions, _ = random_game(GAMES[name], rng)
        for state in positions:
            assert exact_value(state) == true_value(state, state.current_player)


@pytest.mark.parametrize(
    ("state", "options"),
    [
        (TicTacToe(num_players=3), {}),
        (ConnectFour(7, 7), {"patience": 0.05}),
        (ConnectFour(7, 7), {"stop": lambda: True}),
    ],
)
def test_exact_value_is_unknown(state, options) -> None:
    assert exact_value(state, **options) is None


@pytest.mark.parametrize("leaves", [[(1, 1), (0, 2)], [(0.5, -0.5), (1, -1)]])
def test_game_without_solver_is_reviewed(leaves) -> None:
    (move,) = reviewed([GameTree(leaves), GameTree(leaves).successor(0)], [0])
    assert not move.proven


# On the board


def finished_board(agents=None) -> PlayBoard:
    """Return a board on which X has thrown a win away with move 5, and O then won."""
    board = PlayBoard(TicTacToe(), agents)
    for action in (0, 1, 3, 6, 2, 4, 5, 8, 7):
        if board.state.is_terminal():
            break
        if action in board.state.legal_actions():
            board.click(action)
    return board


def labels(board: PlayBoard) -> list[str]:
    return [button.description for button in board._review._list.children]


def test_review_is_offered_after_a_game() -> None:
    board = PlayBoard(TicTacToe())
    assert board._buttons["Review"].layout.display == "none"
    board = finished_board()
    assert board.state.is_terminal()
    assert board._buttons["Review"].layout.display == ""
    asked(board, "Review")
    positions, actions = board._reviewed
    verdicts = [move.verdict for move in reviewed(positions, actions)]
    assert [label.split(": ")[1] for label in labels(board)] == verdicts
    assert 'role="status"' in board._review._words.value


def test_chosen_move_goes_back_to_its_position() -> None:
    board = asked(finished_board(), "Review")
    played, listed = board.actions, labels(board)
    board._review._list.children[2].click()
    assert board.actions == played[:2]
    assert board.score == ""
    assert board._review.moves[2].verdict in board._remark
    board.click(4)
    board._review._list.children[4].click()  # of the reviewed game, and not of the new line
    assert board.actions == played[:4]
    assert labels(board) == listed


def test_agent_waits_after_going_back() -> None:
    board = PlayBoard(TicTacToe(), {1: first})
    for action in (3, 4, 5):
        board.click(action)
    asked(board, "Review")
    board._review._list.children[1].click()
    assert (board.actions, board.agent_to_move) == ((3,), True)
    assert "Next move" in board._remark


def test_undo_during_review_keeps_moves_judged(monkeypatch) -> None:
    board = finished_board()
    positions, _ = board._positions, board._actions
    known = {*positions[-3:]}
    reached = []

    def slow(state, stop, *, patience):
        while state not in known and not stop():
            reached.append(state)
        return exact_value(state)

    monkeypatch.setattr(game_review, "exact_value", slow)
    board._buttons["Review"].click()
    while not reached:
        pass
    assert not board._buttons["Stop"].disabled
    board._buttons["Stop"].click()
    board.wait()
    assert not board._review.busy
    assert labels(board)[-1].endswith(board._review.moves[-1].verdict)
    assert labels(board)[0].endswith("...")
    assert "The others are not judged." in board._review._words.value


def test_new_game_removes_review() -> None:
    board = finished_board()
    before = live_widgets()
    asked(board, "Review")
    assert live_widgets() > before
    board.restart()
    assert board._review.layout.display == "none"
    assert live_widgets() == before


def test_error_of_a_game_is_reported(monkeypatch) -> None:
    def broken(*anything, **options):
        raise RuntimeError("<b>no idea</b>")

    board = finished_board()
    monkeypatch.setattr(game_review, "exact_value", broken)
    asked(board, "Review")
    assert "RuntimeError" in board._remark
    assert "<b>no" not in board._remark
    assert not board._review.busy
