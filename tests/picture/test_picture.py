from gamelib import GameTree, Nim, TicTacToe


def test_a_board_shows_its_board():
    assert "<title>" in TicTacToe()._repr_svg_()
    assert "<svg" in Nim((1, 2))._repr_svg_()


def test_a_textbook_tree_shows_all_its_leaves():
    picture = GameTree([[31, 12, 8], [2, 4, 6], [14, 5, 27]])._repr_svg_()
    assert all(f">{leaf}<" in picture for leaf in (31, 12, 8, 2, 4, 6, 14, 5, 27))
