import threading
import time

import pytest
from ipywidgets import Widget

from course import PlayBoard
from course.widgets import agent_choices, oracle
from course.widgets.agent_choices import TimeLimitedSearch, opponents
from course.widgets.clickable_board import ClickableBoard, SquareStyle
from course.widgets.oracle import ExactValue, affordable_depth
from course.widgets.play_board import SeatControls
from gamelib import IllegalActionError, SearchAgent, lookahead_agent, random_agent
from gamelib.games import ConnectFour, GameTree, Nim, TicTacToe
from gamelib.search import alphabeta, maxn, mcts, minimax, solve
from tests.messages import names
from tests.widgets.conftest import asked, first, live_widgets


def test_click_plays_and_agent_replies() -> None:
    board = PlayBoard(TicTacToe(), {1: first})
    assert repr(board) == "PlayBoard(TicTacToe: .../.../..., X to move)"
    assert board.click(4) == TicTacToe().play(4, 0)
    assert board.actions == (4, 0)
    board._board._cells[4].click()  # a taken cell: it is said, and nothing is played
    assert "cell 4 cannot be played" in board._remark
    assert repr(board) == "PlayBoard(TicTacToe: O../.X./..., X to move)"
    names = [square.tooltip for square in board._board._cells[:2]]
    assert names == ["cell 0, row 1, column 1, O", "cell 1, row 1, column 2, empty"]


@pytest.mark.parametrize("action", [4, 9, -1, "4", None])
def test_illegal_click_from_code_raises(action) -> None:
    board = PlayBoard(TicTacToe())
    board.click(4)
    with pytest.raises(IllegalActionError):
        board.click(action)
    assert board.actions == (4,)


def test_undo_takes_back_reply() -> None:
    board = PlayBoard(TicTacToe(), {1: first})
    board.click(4)
    board.click(8)
    board.undo()
    assert board.actions == (4, 0)
    board.agents[1] = None
    board.click(3)
    board.click(5)
    board.undo()  # between humans, one action
    assert board.actions == (4, 0, 3)


def test_agent_begins_once_board_is_displayed() -> None:
    board = PlayBoard(TicTacToe(), {0: first})
    assert board.actions == ()
    shown = board._repr_mimebundle_()
    assert "X to move" in shown["text/plain"]
    board.wait()
    assert board.actions == (0,)


def test_two_agents_wait_for_next_move() -> None:
    board = PlayBoard(TicTacToe(), {0: first, 1: first})
    for actions in ((0,), (0, 1)):
        board._buttons["Next move"].click()
        board.wait()
        assert board.actions == actions
    board._buttons["Play on"].click()
    board.wait()
    assert board.state.is_terminal()
    assert "Games: first as X 1, first as O 0, drawn 0." in board.score


def raises(state):
    raise RuntimeError("<b>no idea</b>")


def leaves(state):
    raise SystemExit("enough")


def cheats(state):
    state.current_player = 0
    return first(state)


def worth(state):
    raise NotImplementedError


def unwritten(state):
    return max(state.legal_actions(), key=lambda action: worth(state.successor(action)))


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        (raises, "O (raises) failed"),
        (leaves, "O (leaves) failed"),
        (lambda state: 99, "O (&lt;lambda&gt;) failed. IllegalActionError: an action is a cell"),
        (cheats, "changed the position that it was given"),
        (solve, "not a SearchResult"),  # advised as in a match
        (unwritten, "O (unwritten) failed. <code>worth</code> is not written yet"),
    ],
)
def test_failing_agent_is_reported(agent, said) -> None:
    start = TicTacToe().play(0, 1, 2, 3)
    board = PlayBoard(start, {1: agent})
    board.click(4)
    assert said in board._remark
    assert "<b>" not in board._remark
    assert board.state == start.play(4)
    board.undo()
    board.agents[1] = first
    assert board.click(4) == start.play(4, 5)


class Slow:
    """An agent that thinks until it is stopped, and counts how often it was asked."""

    name = "slow"

    def __init__(self) -> None:
        self.asked = 0
        self.begun = threading.Event()

    def __call__(self, state, stop):
        self.asked += 1
        self.begun.set()
        while not stop():
            time.sleep(0.002)
        return first(state)


@pytest.fixture
def thinking():
    agent = Slow()
    board = PlayBoard(TicTacToe(), {1: agent})
    board._board._cells[4].click()
    assert agent.begun.wait(60)
    yield board
    board.close()


def test_clicks_while_agent_thinks_are_ignored(thinking) -> None:
    for square in thinking._board._cells:
        square.click()
    thinking._buttons["Stop"].click()
    thinking.wait()
    assert thinking.actions == (4, 0)  # the answer is the best so far
    assert not thinking.runner.running


class Stuck(TicTacToe):
    """Tic-tac-toe whose `is_terminal` forgets the full board."""

    __slots__ = ()

    def is_terminal(self):
        return self.winner is not None


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("button", ["Hint", "Verdicts"])
def test_nonterminal_position_without_actions_is_reported(button, players) -> None:
    stuck = Stuck(num_players=players).play(0, 1, 2, 4, 3, 5)
    board = asked(PlayBoard(stuck), button)
    assert "not over, but has no legal action" in board._remark


@pytest.mark.parametrize("back", [PlayBoard.restart, PlayBoard.undo])
def test_undo_discards_thinking_agent(thinking, back) -> None:
    back(thinking)
    time.sleep(0.1)  # time enough for a late answer
    assert thinking.actions == ()


@pytest.mark.parametrize(
    ("state", "cells", "others"),
    [
        (TicTacToe(), 9, 0),
        (ConnectFour(), 42, 0),
        (Nim(), 16, 0),
        (Nim((50, 50)), 0, 100),
        (Nim((1_000,), max_take=3), 0, 3),
        (GameTree([[1, 2], [3, 4]]), 0, 2),
    ],
)
def test_closed_board_leaves_no_widgets(state, cells, others) -> None:
    before = live_widgets()
    board = PlayBoard(state, {1: first})
    assert (len(board._board._cells), len(board._board._row.children)) == (cells, others)
    board.click(first(state))
    assert live_widgets() > before
    board.close()
    assert live_widgets() == before


def every_button(widget: Widget):
    for child in getattr(widget, "children", ()):
        yield from every_button(child)
        if type(child).__name__ == "Button":
            yield child


@pytest.mark.parametrize("state", [ConnectFour(4, 5), Nim((2, 3)), GameTree([[1, 2], [3, 4]])])
def test_game_can_be_played_by_buttons(state) -> None:
    board = PlayBoard(state)
    while not board.state.is_terminal():
        before = board.state
        for button in every_button(board._board):
            if button.tabbable is not False:
                button.click()
            if board.state is not before:
                break
        assert board.state is not before
    assert "Game over" in board._words.value


@pytest.mark.parametrize(
    ("proven", "said"),
    [
        ({5: ExactValue(1, 1)}, "Proven: X wins after cell 5."),
        ({1: ExactValue(-1, 2)}, "Not everything is proven here.  This wins at once: cell 5."),
    ],
)
def test_unproven_actions_are_marked_open(proven, said, monkeypatch) -> None:
    monkeypatch.setattr(oracle, "exact_action_values", lambda *anything, **options: proven)
    board = asked(PlayBoard(TicTacToe.parse("O.X/XX./OO.")), "Verdicts")
    looks = {n: board._board.square_styles[f"gl-c{n}"].text for n in (1, 5, 8)}
    assert [n for n, text in looks.items() if text != "?"] == list(proven)
    assert "?: not proven in 8 seconds." in board._legend
    assert said in oracle.best_action_hint(board.state)


@pytest.mark.parametrize(
    ("sit", "said"),
    [
        (lambda: PlayBoard(TicTacToe(), {2: first}), "seats from 0 to 1"),
        (lambda: PlayBoard(TicTacToe(), {"X": first}), "seats from 0 to 1"),
        (lambda: PlayBoard(TicTacToe()).seat(2, first), "seats from 0 to 1"),
        (lambda: PlayBoard(TicTacToe(), {1: "minimax"}), "the agent of seat 1 must be a function"),
        (lambda: PlayBoard(TicTacToe(), [first]), "agents must be like"),
    ],
)
def test_invalid_seat_or_agent_raises(sit, said) -> None:
    with pytest.raises((TypeError, ValueError), match=names(said)):
        sit()


@pytest.mark.parametrize("name", ["random", "look-ahead", "minimax", "alpha-beta", "MCTS"])
def test_agent_chosen_in_list_plays(name: str) -> None:
    board = PlayBoard(TicTacToe.parse("XO./.X./..."))
    board._seats.lists[1].value = name
    board.wait()
    assert len(board.actions) == 1
    assert f"O ({name})" not in board._words.value
    assert "X to move" in board._words.value


@pytest.mark.parametrize(
    ("state", "action", "most"), [(TicTacToe(), 4, 5), (ConnectFour(), 3, 6), (Nim(), (3, 2), 12)]
)
def test_click_is_handled_with_few_messages(messages_of, state, action, most) -> None:
    board = PlayBoard(state)
    sent = messages_of(lambda: board.click(action))
    assert sent[0] == (board._board._style, ["value"])  # all that is seen
    assert len(sent) <= most


def test_text_on_square_cannot_end_style_sheet() -> None:
    look = SquareStyle((), 'X"; } </style><b>')
    assert "</" not in look.writing
    assert ";" not in look.writing.split('"')[1]
    assert look.writing.count('"') == 6  # the text twice, and the empty one for screen readers


@pytest.mark.parametrize(
    ("played", "says"),
    [
        ((), "Two moves ahead nothing is forced, so no action is named."),
        ((3, 0, 3, 0, 3), "Only this leaves no other player a win: column 3."),
        ((3, 0, 3, 0, 3, 6), "This wins at once: column 3."),
        ((3, 0, 2, 0), "This wins with the next move, whatever the reply: column"),
    ],
)
def test_unproven_hint_names_forced_actions_only(played, says, monkeypatch) -> None:
    monkeypatch.setattr(oracle, "exact_action_values", lambda *_, **__: None)
    hint = oracle.best_action_hint(ConnectFour().play(*played))
    assert hint.startswith("Too large to prove anything here.")
    assert says in hint


# The score, and how a game ends


def played(agents, *actions):
    board = PlayBoard(TicTacToe(), agents)
    for action in actions:
        board.click(action)
    return board


def test_result_addresses_only_human() -> None:
    assert "You won." in played({1: first}, 3, 4, 5)._words.value
    assert "You lost: O won." in played({1: first}, 4, 8, 7)._words.value
    swapped = played({0: lambda state: state.legal_actions()[-1]}, 0)
    assert "your turn" in swapped._words.value
    assert "Game over: X won." in played({}, 0, 3, 1, 4, 2)._words.value
    assert "Game over: draw." in played({}, 0, 1, 2, 4, 3, 5, 7, 6, 8)._words.value


def test_score_follows_players() -> None:
    board = played({1: first}, 3, 4, 5)
    assert "Games: you 1, first 0, drawn 0." in board._words.value
    assert board._buttons["New game"].button_style == "primary"
    board._buttons["New game"].click()
    assert (board.actions, board._buttons["New game"].button_style) == ((), "")
    for action in (4, 8, 7):
        board.click(action)
    assert "Games: you 1, first 1, drawn 0." in board._words.value
    assert "You lost: O won." in board._words.value
    board.swap_sides()
    assert "You lost: O won." in board._words.value  # not "You won", because nothing was played
    assert "Games: first 1, you 1, drawn 0." in board._words.value
    assert [each.value for each in board._seats.lists] == ["first", "human"]


def test_undone_game_is_not_scored() -> None:
    board = played({1: first}, 3, 4, 5)
    board.undo()
    assert board.score == ""
    board.click(5)
    assert "you 1, first 0" in board._words.value


# Verdicts and errors


def test_verdicts_are_available_on_empty_board() -> None:
    board = asked(PlayBoard(ConnectFour()), "Verdicts")
    shown = {button.tooltip for button in every_button(board._board) if "drop" in button.tooltip}
    ends = {0: "loss 40", 1: "loss 42", 2: "draw", 3: "win 41", 4: "draw", 5: "loss 42"}
    ends[6] = "loss 40"
    assert shown == {f"column {c}: drop a disc, {end}" for c, end in ends.items()}
    assert "Proven, for X; a number counts the plies to the end." in board._legend


def test_verdict_is_shown_once_proven(monkeypatch) -> None:
    shown = []

    def slowly(state, stop, *, patience, on_update):
        on_update({0: ExactValue(0)})
        shown.append([board._board._cells[n].tooltip for n in (0, 1)])
        return {0: ExactValue(0), 1: ExactValue(-1, 4)}

    monkeypatch.setattr(oracle, "exact_action_values", slowly)
    board = PlayBoard(TicTacToe())
    asked(board, "Verdicts")
    assert shown == [["cell 0, row 1, column 1, empty, draw", "cell 1, row 1, column 2, empty, ?"]]
    assert board._board._cells[1].tooltip == "cell 1, row 1, column 2, empty, loss 4"


def test_click_during_solving_plays(monkeypatch) -> None:
    def never(state, stop, **options):
        while not stop():
            time.sleep(0.002)
        return {}

    monkeypatch.setattr(oracle, "exact_action_values", never)
    board = PlayBoard(TicTacToe())
    board._verdicts.value = True
    assert not board._buttons["Stop"].disabled
    board._board._cells[4].click()
    assert board.actions == (4,)
    board._buttons["Stop"].click()
    board.wait()
    assert "The solver was stopped" in board._remark
    board.close()


def test_hint_explains_unsolvable_game() -> None:
    hint = oracle.best_action_hint(GameTree([(1, 1), (0, 2)]))
    assert hint.startswith("Nothing can be proven here: this search needs a zero-sum game")


def test_verdicts_keep_error_message() -> None:
    board = asked(PlayBoard(TicTacToe(), {1: raises}), "Verdicts")
    board.click(4)
    assert "O (raises) failed" in board._remark
    assert "Proven, for O" in board._legend


def test_stopped_agent_names_widget_that_stopped_it() -> None:
    def slow(state, stop):
        while not stop():
            time.sleep(0.01)

    board = PlayBoard(TicTacToe(), {0: slow})
    board._go_on(pause=0)
    PlayBoard(TicTacToe(), {1: lambda state: 8}).click(4)
    board.wait()
    assert "Another widget, a PlayBoard" in board._remark
    board._one_move()
    board._buttons["Stop"].click()
    board.wait()
    assert "X (slow) was stopped. Press Next move to ask it again.</div>" in board._remark


class Growing(TicTacToe):
    """A game that shows only the cells that were played."""

    __slots__ = ()

    def spots(self):
        return [spot for spot in super().spots() if not spot.empty]


def test_board_grows_for_new_spots() -> None:
    played = []
    board = ClickableBoard(Growing(), played.append)
    board.show(Growing())
    assert (len(board._cells), len(board._row.children)) == (0, 9)
    board.show(Growing().play(4, 0))
    names = ["cell 0, row 1, column 1, O", "cell 4, row 2, column 2, X"]
    assert [cell.tooltip for cell in board._cells] == names
    next(button for button in board._row.children if button.description == "8").click()
    assert played == [8]


# Who sits there, and how strong


@pytest.mark.parametrize(
    ("state", "nodes", "depth"),
    [
        (ConnectFour(), 400, 3),  # 1 + 7 + 49 + 343 nodes
        (ConnectFour(), 399, 2),
        (TicTacToe(), 1_000_000, None),  # 549,946 nodes are all of it
        (TicTacToe(4, 4, 4), 3, 1),  # never less than one
    ],
)
def test_affordable_depth_is_largest_within_nodes(state, nodes, depth) -> None:
    assert affordable_depth(state, nodes) == depth


def test_time_limited_search_keeps_to_nodes(monkeypatch) -> None:
    monkeypatch.setattr(agent_choices, "NODES", 3000)
    monkeypatch.setattr(agent_choices, "FAST_NODES", 3000)
    assert TimeLimitedSearch(minimax)(ConnectFour()).stats.nodes == 2801


def seats_of(state, agents):
    chosen = []
    return SeatControls(state, agents, lambda player, agent: chosen.append((player, agent))), chosen


@pytest.mark.parametrize(
    ("agent", "strength", "offered"),
    [
        (None, None, False),
        (random_agent(), None, False),
        (SearchAgent(mcts, simulations=500, rng=0), "500 simulations", True),
        (SearchAgent(mcts, seconds=1), "1 s", True),
        (SearchAgent(maxn, depth=4), "depth 4", True),
    ],
)
def test_strength_of_given_agent_is_shown(agent, strength, offered) -> None:
    listed, _ = seats_of(TicTacToe(), {0: None, 1: agent})
    assert listed.strengths[1].value == strength
    assert (listed.strengths[1].layout.display == "") == offered


def test_changed_strength_keeps_name_in_list() -> None:
    agent = SearchAgent(mcts, simulations=500, c=0.5)
    listed, chosen = seats_of(TicTacToe(), {0: None, 1: agent})
    listed.strengths[1].value = "2 s"
    ((player, other),) = chosen
    assert (player, other.name) == (1, "mcts, 2 s")
    assert other.options == {"simulations": None, "seconds": 2, "c": 0.5}
    assert agent.options["simulations"] == 500
    listed.show({0: other, 1: other})
    assert [choice.value for choice in listed.lists] == ["MCTS", "MCTS"]
    assert listed._names["MCTS"] is agent


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (SearchAgent(mcts, seconds=1), "MCTS"),
        (lookahead_agent(), "look-ahead"),
        (SearchAgent(alphabeta, depth=2), "alpha-beta"),
    ],
)
def test_given_agent_replaces_default_of_same_name(agent, name) -> None:
    listed, _ = seats_of(ConnectFour(), {0: None, 1: agent})
    assert listed.lists[1].value == name
    assert listed.lists[1].options == tuple(opponents(ConnectFour()))
