import numpy
import pytest

from course import Predict, Quiz
from course.widgets.quiz import as_number
from course.widgets.step_questions import DASHES, parse_value
from gamelib import TicTacToe
from tests.messages import names

ANSWERS = {"9": "All cells are free.", "<b>3</b>": "That is one row only."}


@pytest.fixture
def quiz() -> Quiz:
    return Quiz("How many `openings` & no <i>?", ANSWERS, correct="9")


@pytest.fixture
def several() -> Quiz:
    reasons = {"a": "It is.", "b": "It is not.", "c": "It is, too."}
    return Quiz("Which?", reasons, correct=["a", "c"])


def test_check_without_choice_is_not_an_answer(quiz, several) -> None:
    assert quiz._input.index is None
    assert not any(box.value for box in several._input.children)
    assert repr(quiz) == "Quiz('How many `openings` & no <i>?', not answered)"
    for each in (quiz, several):
        each._check()
        assert each.tries == 0
        assert "first" in each._feedback.value


def test_wrong_answer_gets_reason_without_right_answer(quiz) -> None:
    assert quiz.answer("<b>3</b>") == "Not yet. That is one row only."
    assert not quiz.correct
    assert repr(quiz) == "Quiz('How many `openings` & no <i>?', answered wrong)"


def test_right_answer_is_confirmed(quiz) -> None:
    assert quiz.answer("9") == "Right. All cells are free."
    assert quiz.correct
    assert quiz._input.value == "9"
    assert "Right." in quiz._feedback.value
    assert repr(quiz) == "Quiz('How many `openings` & no <i>?', answered right)"


@pytest.mark.parametrize("answer", ["8", 9, None])
def test_unknown_answer_raises(quiz, answer) -> None:
    with pytest.raises(ValueError, match=names("given must be")):
        quiz.answer(answer)


def test_quiz_with_several_right_answers(several) -> None:
    assert several.answer("a") == "Not yet. a: It is. 1 more is right."
    assert several.answer("a", "b") == "Not yet. b: It is not. 1 more is right."
    assert several.answer("c", "a").startswith("Right.")
    assert [box.value for box in several._input.children] == [True, False, True]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[("500", 500), ("0.5", 0.5), ("1e3", 1000), ("549 946", 549_946), ("1_000", 1000)],
        *[(" 1,234,567.5 ", 1_234_567.5), ("0,5", 0.5), ("0,125", 0.125), ("12,3456", 12.3456)],
    ],
)
def test_as_number_reads_common_notations(text: str, value: float) -> None:
    assert as_number(text) == value


@pytest.mark.parametrize(
    "text", ["", "many", "nan", "inf", "1.2.3", "1,2,3", "9" * 5000, "__import__"]
)
def test_as_number_rejects_invalid_text(text: str) -> None:
    assert as_number(text) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "Enter a number first."),
        ("20.000", "20.000 can be read in two ways. Write 20000, or 20."),
        ("1.125", "1.125 can be read in two ways. Write 1125, or 1.1250."),
        ("5%", "Enter the number without the sign for percent."),
        ("3^9", "3^9 is not a number."),
        ("~1000", "~1000 is not a number."),
    ],
)
def test_invalid_guess_is_explained(text: str, says: str) -> None:
    asked = Predict("How many nodes?")
    asked._input.value = text
    asked._keep()
    assert asked.guess is None
    assert says in asked._note.value


def test_guess_outside_limits_is_rejected() -> None:
    asked = Predict("Which line is wrong?", kind="exact", limits=(1, 8))
    asked._input.value = "99"
    assert asked.guess is None
    assert "That cannot be: a guess must be a number from 1 to 8; got 99." in asked._note.value
    assert asked.answer(8).compare(8).endswith("right.")


def test_same_guess_is_kept_for_another_setting() -> None:
    asked = Predict("How many of 100 runs?")
    asked._input.value = "90"
    asked.mark_not_comparable("another position")
    asked._keep()
    assert "Your guess: 90. Now measure." in asked._note.value
    assert asked.answers == 2


def test_compare_shows_guess_and_measurement() -> None:
    guess = Predict("How many nodes?", kind="magnitude")
    assert guess.compare(9876) == "no guess yet; measured: 9,876."
    assert "9,876" not in guess._note.value  # the question stays open
    guess.answer(500)
    text = guess.compare(549_946, note="Each level multiplies.")
    assert text == (
        "your guess: 500; measured: 549,946; 1,100 times too low. Each level multiplies."
    )
    assert "549,946" not in guess._note.value  # the output below says it
    guess.show_verdict(549_946)
    assert "549,946" in guess._note.value


@pytest.mark.parametrize(
    ("kind", "guess", "measured", "difference"),
    [
        ("exact", 9, 9, "right"),
        ("exact", 4, 5, "not right"),
        ("exact", 1, -1, "not right"),
        ("amount", 0, 5, "5 too low"),
        ("amount", 2, -1, "3 too high"),
        ("amount", 60, 62.5, "2.5 too low"),
        ("magnitude", 9, 9, "right"),
        ("magnitude", 105, 100, "less than 10 % apart"),
        ("magnitude", 300, 100, "3.0 times too high"),
        ("magnitude", 0.5, 0.25, "2.0 times too high"),
        ("magnitude", 0, 5, "5 too low"),
        ("exact", numpy.int64(5), 5, "right"),
    ],
)
def test_compare_states_difference(kind, guess, measured, difference) -> None:
    assert Predict("?", kind=kind).answer(guess).compare(measured).endswith(f"; {difference}.")


@pytest.mark.parametrize("guess", [5_000, -1])
def test_impossible_guess_is_rejected_with_sentence(guess) -> None:
    asked = Predict("Of the 4,520 positions: how many get a wrong value?")
    asked._input.value = str(guess)
    assert asked.guess is None
    assert "That cannot be: a guess must be a number from 0 to 4,520" in asked._note.value


@pytest.mark.parametrize(("guess", "says"), [(2, "right, since"), (8, "right."), (1, "not right")])
def test_mirror_image_of_answer_is_right(guess, says) -> None:
    state = TicTacToe().play(4)
    asked = Predict("Which cell?", choices=list(state.legal_actions()), state=state)
    assert says in asked.answer(guess).compare(8)
    [both] = asked.children[2:]
    assert "<svg" in both.children[1].value  # the position, beside the question


@pytest.mark.parametrize("minus", ["-", "- ", *map(chr, DASHES)])
@pytest.mark.parametrize("one", ["1", "1.0"])
def test_all_minus_signs_are_read(minus, one) -> None:
    assert as_number(minus + one) == -1
    assert parse_value(minus + one) == -1


def test_predict_with_choices() -> None:
    guess = Predict("Who wins?", ["X", "O", "nobody"])
    assert guess._input.index is None
    assert repr(guess) == "Predict('Who wins?', no guess yet)"
    guess.answer("X")
    assert guess.compare("nobody") == "your guess: X; measured: nobody; not right."


def test_enter_keeps_guess() -> None:
    guess = Predict("How many?")
    guess._keep()
    assert guess.guess is None
    guess._input.value = "1,000"  # what the browser sends for Enter
    assert guess.guess == 1000
    guess._input.value = ""  # says nothing
    assert "Your guess: 1,000" in guess._note.value
    guess._input.value = "1000"
    guess.show_verdict(4)
    guess._keep()
    assert "measured: 4" in guess._note.value


NOT_MET = [
    (None, guess, "guess must be a finite number")
    for guess in (float("nan"), float("inf"), True, "5", None)
]


@pytest.mark.parametrize(
    ("choices", "guess", "said"), [*NOT_MET, (["X", "O"], "Y", "guess must be one of")]
)
def test_invalid_guess_from_code_raises(choices, guess, said) -> None:
    with pytest.raises(ValueError, match=said):
        Predict("How many?", choices).answer(guess)
