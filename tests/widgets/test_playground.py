import threading
import time

import pytest
from textbook import HAND

from course import Playground
from course.draw.wording import format_number
from course.widgets import search_runs
from course.widgets.playground import EXAMPLES, SEARCHES
from course.widgets.runner import RunOutcome
from course.widgets.search_form import middle_first
from course.widgets.search_runs import SearchTask, marks_of
from gamelib import IllegalActionError
from gamelib.games import ConnectFour, GameTree, Nim, TicTacToe
from gamelib.search import SearchTree, centre_first, mcts, minimax
from tests.messages import names
from tests.widgets.conftest import compiled, first, later

SURE = TicTacToe.parse("XX./OO./AA.", num_players=3)


def test_run_returns_and_stores_result() -> None:
    playground = Playground(HAND)
    assert repr(playground) == "Playground(minimax, TicTacToe: O.X/XX./OO., X to move)"
    result = playground.run("minimax")
    assert repr(playground) == "Playground(minimax, TicTacToe: O.X/XX./OO., X to move; chose 5)"
    board = playground._board
    assert board._cells[5].tooltip == "cell 5, row 2, column 3, empty, = 1"
    assert {"win", "chosen"} <= set(board.square_styles["gl-c5"].names)
    assert "loss" in board.square_styles["gl-c1"].names
    assert result.action == 5
    assert result.stats.nodes == 11
    assert playground.result is result
    assert playground.runs[0].optimal is True


@pytest.mark.parametrize(
    ("state", "algorithm", "options", "optimal", "said"),
    [
        (HAND, "last", {}, False, "no. It leads to this: a draw; only cell 5 is optimal: X wins."),
        (ConnectFour(7, 7), "mcts", {"simulations": 20}, None, "Not known: a full search of this"),
        (GameTree([(1, 1), (0, 2)]), "maxn", {}, None, "Not known: this search needs a zero-sum"),
        (TicTacToe(num_players=3), "maxn", {"depth": 2}, None, "depends on how the others choose"),
        (TicTacToe(2, 3, 2, num_players=3), "maxn", {}, True, "After every action: X wins, whatev"),
        (TicTacToe(2, 3, 2), "minimax", {}, True, "every action is optimal here"),
        (SURE, "maxn", {}, True, "Optimal: yes. X wins, whatever the others play."),
        (SURE, "last", {}, None, "Certain is cell 2: X wins, whatever the others play."),
    ],
)
def test_choice_is_compared_with_optimal_actions(state, algorithm, options, optimal, said) -> None:
    playground = Playground(
        state, algorithm=algorithm, searches={"last": lambda state: state.legal_actions()[-1]}
    )
    playground.run(**options)
    assert playground.runs[-1].optimal is optimal
    assert said in playground._words.value


@pytest.mark.parametrize("game", EXAMPLES)
def test_every_listed_game_can_be_played(game: str) -> None:
    playground = Playground(algorithm="mcts")
    playground._game.value = game
    assert type(playground.state) is type(EXAMPLES[game]())
    playground.run("random_choice")
    assert playground.result is not None
    playground.click(playground.state.legal_actions()[0])


def broken(state, player):
    raise RuntimeError("<i>not</i> today")


def test_error_of_heuristic_is_shown() -> None:
    playground = Playground(TicTacToe())
    with pytest.raises(RuntimeError, match="not"):
        playground.run(depth=1, evaluate=broken)
    assert "of <code>broken</code>" in playground._words.value
    assert "<i>" not in playground._words.value
    assert playground.run(depth=1, evaluate=lambda state, player: 1 / 3).action == 0
    assert playground._board.square_styles["gl-c0"].text == "~ 0.33"


def test_huge_depth_is_confirmed_with_estimate() -> None:
    playground = Playground(ConnectFour())
    assert playground._anyway.layout.display == "none"
    with pytest.raises(ValueError, match=r"at least .* nodes.*anyway=True"):
        playground.run("minimax", depth=None)
    assert playground.runs == []
    playground._run_button.click()
    assert "would visit at least" in playground._words.value
    assert playground._anyway.layout.display == ""
    assert not playground.runner.running


@pytest.fixture
def searching():
    playground = Playground(ConnectFour())
    playground._form.choose(depth=None)
    playground._begin()
    yield playground
    playground.close()


def test_search_can_be_stopped(searching) -> None:
    searching._stop_button.click()
    searching.runner.wait()
    assert "topped" in searching._words.value
    assert not searching._run_button.disabled


def test_clicks_during_search_are_ignored(searching) -> None:
    searching._on_click(3)
    assert searching.state == ConnectFour()


def test_new_position_discards_search(searching) -> None:
    searching.set_position(HAND)
    time.sleep(0.1)
    assert searching.runs == []
    assert searching.run().action == 5


def test_click_and_undo_change_position() -> None:
    playground = Playground(TicTacToe())
    playground.click(4)
    playground.click(0)
    playground._undo()
    assert playground.state == TicTacToe().play(4)
    playground._undo()
    assert playground.state == TicTacToe()
    with pytest.raises(IllegalActionError):
        playground.click(9)


def test_position_text_keeps_rules_of_game() -> None:
    playground = Playground(TicTacToe(4, 4, 4))
    playground._text.value = "X.../..../..../...."
    assert playground.state == TicTacToe(4, 4, 4).play(0)
    for text in ("XX", "<b>", ""):
        playground._text.value = text
        assert playground.state == TicTacToe(4, 4, 4).play(0)
        assert "gl-error" in playground._words.value
        assert "<b>" not in playground._words.value


def test_prune_has_default_of_search() -> None:
    playground = Playground(TicTacToe(num_players=3), algorithm="paranoid")
    assert playground._form.options["prune"] is True
    playground._form.choose("maxn")
    assert playground._form.options["prune"] is False
    plain = playground.run(depth=3)
    pruned = playground.run(depth=3, prune=True)
    assert pruned.action == plain.action
    assert pruned.stats.nodes <= plain.stats.nodes


def test_nim_sum_rollout_is_offered_for_nim_only() -> None:
    playground = Playground(algorithm="mcts")
    rollouts = playground._form._widgets["rollout"]
    assert list(rollouts.options) == ["random", "take a win"]
    playground._game.value = "Nim 1 3 5 7"
    assert list(rollouts.options) == ["random", "take a win", "by the nim-sum"]
    rollouts.value = "by the nim-sum"
    assert playground.run(simulations=20).stats.simulations == 20
    assert "rollout by the nim-sum" in playground._words.value
    playground._game.value = "Connect Four"
    assert playground._form.options["rollout"] is None


def test_comparison_shows_both_results() -> None:
    playground = Playground(HAND)
    playground.compare_with("mcts", simulations=30)
    assert playground.run("minimax").stats.nodes == 11
    assert [run.task.algorithm for run in playground.runs] == ["minimax", "mcts"]
    assert [run.result.stats.simulations for run in playground.runs[-2:]] == [0, 30]
    assert playground.result is playground.runs[-2].result
    assert playground._words.value.count(" chose ") == 2
    playground.compare_with(None)
    playground.run()
    assert len(playground._shown) == 1
    assert len(playground.runs) == 3


def test_stopped_comparison_shows_first_result_only() -> None:
    playground = Playground(ConnectFour(), algorithm="mcts")
    playground._form.choose(simulations=10_000_000)
    playground.compare_with("mcts", simulations=10_000_000)
    progressed = threading.Event()
    playground._on_progress = lambda share, best: progressed.set()  # type: ignore[method-assign]
    playground._begin()
    assert progressed.wait(300)  # its machine code may have to be made first
    playground._stop_button.click()
    playground.runner.wait()
    assert len(playground._shown) == 1
    assert playground.result.stopped
    playground.close()


def test_stopped_result_and_reason_are_one_message() -> None:
    playground, said = Playground(HAND), []
    playground.run()
    playground._words.observe(lambda change: said.append(change["new"]), "value")
    playground._on_end(RunOutcome("stopped", playground._shown, by="Lab"))
    assert len(said) == 1
    assert "Lab" in said[0]


# Machine code


@compiled
@pytest.mark.parametrize(
    ("state", "search", "options", "quick"),
    [
        *((HAND, name, {}, True) for name in ("minimax", "alphabeta", "mcts", "solve")),
        (HAND, "mcts", {"simulations": 60}, False),  # its tree is drawn
        (HAND, "mcts", {"rollout": "take a win"}, False),
        (HAND, "iterative_deepening", {}, False),
        (GameTree([[3, 12, 8], [2, 4, 6]]), "minimax", {}, False),
        (HAND, "own", {}, False),
    ],
)
def test_compiled_search_runs_if_available(state, search, options, quick) -> None:
    playground = Playground(state, algorithm=search, searches={"own": first})
    playground.run(**options)
    assert playground.runs[-1].compiled == quick
    assert (f"{search} (compiled) chose" in playground._words.value) == quick


@compiled
def test_seconds_exclude_loading_time(monkeypatch) -> None:
    asked = []

    def counted(state, **options):
        asked.append((state.is_terminal(), len(state.legal_actions()), options.get("simulations")))
        return mcts(state, **options)

    monkeypatch.setattr(search_runs, "fastest", lambda search, state, **options: counted)
    search_runs.run(
        TicTacToe(), [SearchTask(mcts, {"simulations": 200})], lambda *_: None, lambda: False
    )
    late, run = asked
    assert late[1] < 9
    assert (late[0], late[2]) == (False, 1)
    assert run == (False, 9, 200)


def test_runs_table_names_options_like_form() -> None:
    assert Playground(algorithm="mcts")._form.options["c"] == 2**0.5  # shown as 1.414
    playground = Playground(HAND, algorithm="alphabeta")
    playground.run(depth=2, evaluate="open lines, large board", order="last first", strict=True)
    said = "depth 2, heuristic open lines, large board, order last first, strict"
    assert playground.runs[-1].task.settings == said
    assert said in playground._words.value
    playground.run(table=True)  # an empty table is false, and on
    assert playground.runs[-1].task.settings == f"{said}, with a table"
    playground.run("mcts", simulations=20, c=0, rng=0, evaluate=None)
    assert playground.runs[-1].task.settings == "simulations 20, c 0, seed 0"


@pytest.mark.parametrize("state", [ConnectFour(), TicTacToe(4, 4, 4), Nim((3, 4, 5)), HAND])
@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "negamax"])
def test_first_run_needs_no_confirmation(state, algorithm) -> None:
    task = SearchTask(SEARCHES[algorithm], {"depth": None})
    depth = search_runs.first_depth(state, task)
    assert search_runs.warning(state, [SearchTask(task.search, {"depth": depth})]) is None
    assert (depth is None) == (search_runs.warning(state, [task]) is None)
    assert Playground(state, algorithm=algorithm)._form.options["depth"] == depth


def test_suggested_depth_follows_game_unless_chosen() -> None:
    playground = Playground(ConnectFour())
    assert playground._form.options["depth"] > 4
    playground.set_position(HAND)
    assert playground._form.options["depth"] is None
    playground._form.choose(depth=3)
    playground.set_position(ConnectFour())
    assert playground._form.options["depth"] == 3


@pytest.mark.parametrize(
    ("number", "words"),
    [
        *((12_345, "12,345"), (999_999, "1 million"), (1_250_000, "1.2 million")),
        *((99_600_000, "100 million"), (999.6e6, "1 billion"), (2.5e12, "2.5 trillion")),
        *((9.99e14, "1 * 10^15"), (1.23e17, "1.2 * 10^17")),
    ],
)
def test_large_number_is_formatted_without_exponent(number, words) -> None:
    assert format_number(number) == words


def test_estimate_has_sign_but_no_colour() -> None:
    playground = Playground(TicTacToe().play(0))
    playground.run("minimax", depth=3)
    marks = marks_of(playground.runs[-1])
    assert {(mark.text, mark.kind) for mark in marks.values()} == {("~ 0", "plain")}
    assert "Value for O: ~ 0." in playground._words.value
    assert "<td>~\N{NO-BREAK SPACE}0</td>" in playground._words.value
    playground.run("minimax", depth=None)
    marks = marks_of(playground.runs[-1])
    shown = {(mark.text, mark.kind) for mark in marks.values()}
    assert shown == {("= 0", "draw"), ("= -1", "loss")}
    assert "Value for O: = 0." in playground._words.value


# What is offered, and what is seen


@pytest.mark.parametrize(
    ("state", "middle", "heuristics"),
    [
        (ConnectFour(), centre_first, 3),
        (TicTacToe(), middle_first, 3),
        (Nim((1, 2)), middle_first, 1),
        (GameTree([1, 2]), middle_first, 1),
    ],
)
def test_form_offers_only_suitable_options(state, middle, heuristics) -> None:
    playground = Playground(ConnectFour())  # its middle is that of its board
    playground.set_position(state)
    lists = playground._form._lists
    assert [*lists["order"]] == ["as listed", "centre first", "last first"]
    assert lists["order"]["centre first"] is middle
    assert len(lists["evaluate"]) == heuristics


@pytest.mark.parametrize(
    ("algorithm", "last"), [("minimax", "negamax"), ("mcts", "mcts"), ("paranoid", "best_reply")]
)
def test_later_searches_are_offered_on_request(algorithm, last) -> None:
    playground = Playground(TicTacToe(), algorithm=algorithm, searches={"own": minimax})
    names = playground._form.choice.options
    end = names.index("random_choice") + 1  # a search that somebody adds comes after it
    assert (*names[end - 3 : end], names[-1]) == (last, "lookahead", "random_choice", "own")
    assert playground._other.choice.options == ("nothing", *names)
    if playground._every.layout.display == "":
        playground._every.value = True
    assert set(playground._form.choice.options) == {*SEARCHES, "own"}
    assert playground._every.layout.display == "none"
    assert playground.algorithm == algorithm


@pytest.mark.parametrize(
    ("slip", "said"),
    [
        (lambda: Playground(algorithm="minmax"), "algorithm must be one of minimax; got 'minmax'"),
        (lambda: Playground(searches=[len]), 'searches must be like {"my own": function}; got'),
        (
            lambda: Playground()._form.choose(simulations=5),
            "has the options depth, evaluate, quick_wins",
        ),
        (lambda: Playground()._form.choose("mcts", simulations=0), "simulations cannot be 0"),
        (
            lambda: Playground()._form.choose("mcts", c=float("nan")),
            "c must be a value; got nan",
        ),
        (lambda: Playground().compare_with("minmax"), "algorithm must be one of nothing, minimax"),
    ],
)
def test_slip_error_names_the_argument(slip, said) -> None:
    with pytest.raises((TypeError, ValueError), match=names(said)):
        slip()


def test_only_small_trees_are_drawn() -> None:
    playground = Playground(HAND)
    playground.run("minimax")
    assert "<svg" in playground.runs[-1].tree in playground._words.value
    playground.run("mcts", simulations=20, rng=0)
    assert "<svg" in playground.runs[-1].tree
    playground.set_position(TicTacToe())
    playground.run("minimax", depth=3)
    assert not playground.runs[-1].tree


def test_mcts_run_shows_ucb_table() -> None:
    playground = Playground(HAND)
    playground.run("mcts", simulations=60, rng=3, c=1.0)
    tree = SearchTree()
    mcts(HAND, simulations=60, rng=3, c=1.0, tree=tree)
    shown = playground._words.value
    for row in tree.table():
        assert f"<td>{HAND.action_name(row.action)}</td><td>{row.visits}</td>" in shown
        assert f"<td>{row.mean:.2f}</td><td>{row.score:.2f}</td>" in shown
    assert "mean for X" in shown


def test_legend_separates_exact_values_from_estimates() -> None:
    playground = Playground(HAND)
    assert "Green:" not in playground._words.value
    playground.run("minimax")
    assert "Green: X wins; yellow: a draw; red: O wins." in playground._words.value
    assert "Text: the value for X that minimax found." in playground._words.value
    playground.run("random_choice", rng=0)  # the newest comes first, and an action has its name
    table = playground._words.value
    assert table.index("random_choice") < table.index("minimax")
    assert "cell 5" in table
    playground.set_position(ConnectFour(7, 7))
    playground.run("mcts", simulations=20)
    assert "Grey: nothing is proven. Text: the share of the visits" in playground._words.value


@pytest.mark.parametrize(
    ("search", "said"),
    [
        (lambda state: 0, r"returned 0, .* \[1, 5, 8\]"),
        (lambda state: None, "your function returned None .* a `return`"),
        (later, "not `async`"),
    ],
)
def test_own_search_without_legal_action_raises(search, said) -> None:
    playground = Playground(HAND, algorithm="mine", searches={"mine": search})
    with pytest.raises((TypeError, ValueError), match=said):
        playground.run()
    assert "gl-error" in playground._words.value
    assert playground.run("minimax").action == 5


@pytest.mark.parametrize("name", SEARCHES)
def test_every_search_runs(name: str) -> None:
    playground = Playground(HAND)
    result = playground.run(name)
    assert result.action in HAND.legal_actions()
    assert playground.runs[-1].task.algorithm == name


def test_games_with_dice_need_search_that_plays_them() -> None:
    with_dice = {name for name, make in EXAMPLES.items() if make().has_chance}
    assert with_dice
    assert not with_dice & {*Playground(TicTacToe(), algorithm="minimax")._game.options}
    assert with_dice <= {*Playground(TicTacToe(), algorithm="mcts")._game.options}
