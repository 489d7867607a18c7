from gamelib.games.lines import look_up_table


def test_a_table_that_fills_itself_asks_once_and_is_emptied_when_it_is_full():
    asked = []
    table = look_up_table(lambda stones: asked.append(stones) or -stones, 13, most=2)
    assert [table[stones] for stones in (1, 2, 1, 2, 3, 1)] == [-1, -2, -1, -2, -3, -1]
    assert asked == [1, 2, 3, 1]
