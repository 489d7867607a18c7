import course  # noqa: F401 - it draws whole trees
from gamelib import GameTree
from tests.fresh import fresh


def test_tree_picture_shows_all_leaves():
    picture = GameTree([[31, 12, 8], [2, 4, 6], [14, 5, 27]])._repr_svg_()
    assert all(f">{leaf}<" in picture for leaf in (31, 12, 8, 2, 4, 6, 14, 5, 27))


def test_tree_without_course_shows_text():
    program = "from gamelib import GameTree; print(GameTree([[1, 2], [3]])._repr_svg_())"
    assert fresh("-c", program).stdout.strip() == "None"
