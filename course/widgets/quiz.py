"""Questions with a reason for every answer, and guesses that a measurement answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf, isfinite
from typing import Any, Literal

from ipywidgets import HTML, Checkbox, RadioButtons, Text, VBox

from course.exercises import activity_log
from course.exercises.lesson_data import quiz_data
from course.widgets.controls import add_css_classes, button, row, side_by_side
from course.widgets.panel import Notice, Panel, cell_text, markup_to_html, message_html
from course.widgets.step_questions import parse_numbers
from gamelib.state import GameState, is_number
from gamelib.svg import board_svg

Answer = str | float
Judging = Literal["exact", "amount", "magnitude"]
# "Of 100 positions, in how many", "how many of 20 runs": no guess can be more than all.
ALL = re.compile(r"(?=.*how many)(?:.*\b)of (?:the )?(\d[\d,]*)\b", re.IGNORECASE)

# A point groups digits in some languages and begins the fraction in others.
TWO_READINGS = re.compile(r"[1-9]\d{0,2}\.\d{3}")


class PlainText(str):
    """A text that a cell shows without quotation marks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Quiz(Panel):
    """A question; nothing is chosen until the learner chooses.

    answers   each answer with the reason why it is right or wrong, in the order shown
    correct   the right answer; a list of them, if several must be chosen
    """

    def __init__(
        self, question: str, answers: Mapping[str, str], *, correct: str | Sequence[str]
    ) -> None:
        self.question, self.answers = question, dict(answers)
        self.name = shorten(question)  # in the record
        self.several = not isinstance(correct, str)
        self.right = [correct] if isinstance(correct, str) else list(correct)
        self.tries = 0
        self.given: tuple[str, ...] = ()
        self._feedback = Notice()
        if self.several:
            self._input: Any = VBox([Checkbox(description=a, indent=False) for a in self.answers])
        else:
            self._input = RadioButtons(options=list(self.answers), index=None)
        check = button("Check", self._check, "Check the answer", "primary")
        prompt = HTML(f'<div class="gl-question">{markup_to_html(question)}</div>')
        super().__init__(prompt, self._input, row(check), self._feedback)

    @property
    def correct(self) -> bool:
        """Whether the last answer given is right."""
        return {*self.given} == {*self.right}

    def answer(self, *given: str) -> PlainText:
        """Return what the quiz says to an answer, or to several of them.

        ValueError for a text that is not among the answers.
        """
        if not given or not {*given} <= {*self.answers} or (given[1:] and not self.several):
            count = "one answer or more" if self.several else "one answer"
            raise ValueError(f"give {count} of {list(self.answers)}; got {given!r}")
        self.given = tuple(dict.fromkeys(given))
        self.tries += 1
        activity_log.log_event("quiz", self.name, given=self.given, right=self.correct)
        text = " ".join(self._reasons())
        if not text.startswith("Right"):
            text = f"{'Right' if self.correct else 'Not yet'}. {text}"
        if self.several:
            for box in self._input.children:
                box.value = box.description in self.given
        else:
            self._input.value = self.given[0]
        self._feedback.show(message_html("right" if self.correct else "wrong", text))
        return PlainText(text)

    def state_text(self) -> str:
        """Return the question, shortened, and what became of it."""
        verdict = "right" if self.correct else "wrong"
        state = f"answered {verdict}" if self.tries else "not answered"
        return f"{shorten(self.question)!r}, {state}"

    def _check(self) -> None:
        if self.several:
            chosen = tuple(box.description for box in self._input.children if box.value)
        else:
            chosen = () if self._input.index is None else (self._input.value,)
        if chosen:
            self.answer(*chosen)
        else:
            self._feedback.show(message_html("note", "Choose an answer first."))

    def _reasons(self) -> Iterable[str]:
        for text in [text for text in self.given if text not in self.right] or self.given:
            reason = self.answers[text]
            yield f"{text.rstrip('.')}: {reason}" if self.several else reason
        if self.several and (missing := len(set(self.right) - set(self.given))):
            yield f"{missing} more {'is' if missing == 1 else 'are'} right."


def quiz(name: str) -> Quiz:
    """Return the quiz called "notebook/question", like "minimax/value"; ValueError if unknown."""
    data = quiz_data(name)
    data.pop("code", None)  # the misconception behind the wrong answers: for the instructor
    panel = Quiz(**data)
    panel.name = name
    return panel


class Predict(Panel):
    """A guess made before a run: a number, or one of `choices`.

    `answer(500)` enters it from code, `compare(measured)` sets it beside what was measured.  A
    notebook runs without a guess, too.

    kind    how a number is judged: an "exact" one is right or not, an "amount" so much too high or
            too low, a "magnitude" so many times; one of `choices` is always right or not
    limits  the lowest and the highest guess that can be, such as the numbers of lines in a listing
    state   the position that is asked about: it is drawn beside the question, and of two actions
            that lead to mirror images one is as right as the other
    """

    def __init__(
        self,
        question: str,
        choices: Sequence[Any] | None = None,
        *,
        kind: Judging = "amount",
        limits: tuple[float, float] | None = None,
        state: GameState | None = None,
    ) -> None:
        self.question, self.choices = question, list(choices) if choices else None
        self.answers = 0  # how many guesses were kept: the same one may be kept again
        self._is_set_aside = False
        self.kind, self.state = "exact" if self.choices else kind, state
        self.guess: Answer | None = None
        many = ALL.search(question) if self.kind == "amount" else None
        self.limits = limits or ((0, int(many[1].replace(",", ""))) if many else None)
        self._note = Notice()
        if self.choices:
            self._input: Any = RadioButtons(options=self.choices, index=None)
        else:
            self._input = number_field("Your guess", "your guess, a number", self._keep)
        keep = button("Keep my guess", self._keep, "", "primary")
        prompt = HTML(f'<div class="gl-question">{markup_to_html(question)}</div>')
        asked = [self._input, row(keep)] if self.choices else [row(self._input, keep)]
        parts = [prompt, *asked, self._note]
        if state is not None:
            board = HTML(f'<div class="gl-asked">{board_svg(state)}</div>')
            parts = [side_by_side(VBox(parts), board)]
        super().__init__(*parts)

    def answer(self, guess: Answer) -> Predict:
        """Store a guess and return the widget; ValueError if it is not a number, or no choice."""
        if self.choices and guess not in self.choices:
            raise ValueError(f"the choices are {self.choices}; got {guess!r}")
        if not (self.choices or (is_number(guess) and abs(guess) < inf)):
            raise ValueError(f"a guess is a number; got {guess!r}")
        if self.limits and not self.limits[0] <= float(guess) <= self.limits[1]:
            least, most = self.limits
            raise ValueError(f"a guess is a number from {least:,} to {most:,}; got {guess!r}")
        self.guess, self._is_set_aside = guess, False
        self.answers += 1
        activity_log.log_event("guess", self.question, guess=guess, choices=self.choices)
        self._input.value = guess if self.choices else str(guess)
        self._note.show(message_html("note", f"Your guess: {cell_text(guess)}. Now measure."))
        return self

    def compare(self, measured: Answer, note: str = "") -> PlainText:
        """Return the guess beside what was measured, and how far apart they are."""
        text = f"measured: {cell_text(measured)}"
        if self.guess is None:  # the question stays open: its panel does not tell the answer
            return PlainText(f"no guess yet; {text}. {note}".strip())
        apart = self._difference(measured)
        right = apart.startswith("right")
        activity_log.log_event(
            "guess", self.question, guess=self.guess, measured=measured, right=right
        )
        text = f"your guess: {cell_text(self.guess)}; {text}; {apart}"
        self._note.show(message_html("note", f"{text[0].upper()}{text[1:]}."))
        return PlainText(f"{text}. {note}".strip())

    def mark_not_comparable(self, circumstances: str) -> None:
        """Say for what the guess was made: what is measured now is something else."""
        self._is_set_aside = True
        text = f"Your guess, {cell_text(self.guess)}, was for {circumstances}."
        self._note.show(message_html("note", text))

    def _difference(self, measured: Answer) -> str:
        guess = self.guess
        if guess == measured:
            return "right"
        if self.state is not None and _are_mirrored(self.state, guess, measured):
            return "right, since the two are mirror images"
        if self.kind == "exact" or isinstance(guess, str) or isinstance(measured, str):
            return "not right"
        own = guess or 0
        side = "high" if own > measured else "low"
        if self.kind == "magnitude" and own > 0 and measured > 0:
            factor = max(own, measured) / min(own, measured)
            times = f"{factor:.1f}" if factor < 10 else f"{factor:,.0f}"
            return f"{times} times too {side}" if factor >= 1.1 else "less than 10 % apart"
        return f"{abs(own - measured):,.4g} too {side}"

    def state_text(self) -> str:
        """Return the question, shortened, and the guess."""
        guess = "no guess yet" if self.guess is None else f"guess {cell_text(self.guess)}"
        return f"{shorten(self.question)!r}, {guess}"

    def _keep(self) -> None:
        guess = self._input.value if self.choices else as_number(self._input.value)
        if guess is None:
            text = "Choose one first." if self.choices else no_number(self._input.value)
            self._note.show(message_html("note", text))
        elif guess != self.guess or self._is_set_aside:
            try:
                self.answer(guess)
            except ValueError as error:
                self._note.show(message_html("note", f"That cannot be: {error}."))


def number_field(name: str, placeholder: str, enter: Callable[[], object]) -> Text:
    """Return a field for a number, with a name that screen readers say.

    `enter` is called when Enter, or leaving the field, ends what is typed there.
    """
    field = Text(description=name, placeholder=placeholder, continuous_update=False)
    field.observe(lambda change: enter() if change.new.strip() else None, "value")
    return add_css_classes(field, "gl-number")


def as_number(text: str) -> float | None:
    """Return the number that a learner typed: "549,946", "0,5", "1e6"; None if it is none.

    A text that people read in two ways, such as "20.000", is none.
    """
    if TWO_READINGS.fullmatch(text.strip()):
        return None
    try:
        (number,) = parse_numbers(text)
    except (ValueError, ZeroDivisionError):
        return None
    return number if isfinite(number) else None


def no_number(text: str) -> str:
    """Return why a text is not read as a number, and what to write instead."""
    text = text.strip()
    if not text:
        return "Enter a number first."
    if TWO_READINGS.fullmatch(text):
        whole, part = text.replace(".", ""), text.rstrip("0").rstrip(".")
        if part == text:
            part += "0"  # with four digits it is a fraction for everybody
        return f"{text} can be read in two ways. Write {whole}, or {part}."
    if "%" in text:
        return "Enter the number without the sign for percent."
    return f"{shorten(text)} is not a number. Write it in digits, such as 1500 or 0.5."


def shorten(text: str, length: int = 50) -> str:
    """Return the text, or its beginning and three dots."""
    return text if len(text) <= length else text[: length - 3].rstrip() + "..."


def _are_mirrored(state: GameState, one: Any, other: Any) -> bool:
    if not {one, other} <= {*state.legal_actions()}:
        return False
    key = state.successor(one).symmetry_key()
    return key is not None and key == state.successor(other).symmetry_key()
