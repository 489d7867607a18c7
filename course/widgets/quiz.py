"""Quizzes with a reason for every answer, and predictions that are compared with measurements."""

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
# Matches questions like "Of 100 positions, in how many" or "how many of 20 runs", whose number is
# the highest possible guess.
ALL = re.compile(r"(?=.*how many)(?:.*\b)of (?:the |its )?(\d[\d,]*)\b", re.IGNORECASE)

# In some languages a point groups digits, in others it is the decimal point.
TWO_READINGS = re.compile(r"[1-9]\d{0,2}\.\d{3}")


class PlainText(str):
    """A text that a cell shows without quotation marks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Quiz(Panel):
    """A question with answers to choose from; none is chosen at first.

    answers   each answer with the reason why it is right or wrong, in the order shown
    correct   the right answer, or a list of them if several must be chosen
    """

    def __init__(
        self, question: str, answers: Mapping[str, str], *, correct: str | Sequence[str]
    ) -> None:
        self.question, self.answers = question, dict(answers)
        self.name = shorten(question)  # its key in the activity log
        self.several = not isinstance(correct, str)
        self.right = [correct] if isinstance(correct, str) else list(correct)
        self.tries = 0
        self.given: tuple[str, ...] = ()
        self._feedback = Notice()
        if self.several:
            self._input: Any = VBox(
                [Checkbox(description=answer, indent=False) for answer in self.answers]
            )
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
        """Return the reply to an answer, or to several of them, and show it.

        ValueError for a text that is not one of the answers.
        """
        if not given or not {*given} <= {*self.answers} or (given[1:] and not self.several):
            count = "one answer or more" if self.several else "one answer"
            raise ValueError(f"given must be {count} of {list(self.answers)}; got {given!r}")
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
        """Return the question, shortened, and whether it was answered right."""
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
    panel = Quiz(**quiz_data(name))
    panel.name = name
    return panel


class Predict(Panel):
    """A guess made before a run: a number, or one of `choices`.

    From code, `answer(500)` enters a guess and `compare(measured)` shows it next to the
    measurement.  A notebook also runs without a guess.

    kind    how a number is judged: an "exact" one is right or wrong, an "amount" is too high or too
            low by a difference, a "magnitude" by a factor; one of `choices` is always right or
            wrong
    limits  the lowest and the highest possible guess, such as the line numbers of a listing
    state   the position in question: it is drawn next to the question, and two actions that lead to
            mirror images count as equal
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
        # the number of guesses that were kept, the same guess perhaps several times
        self.answers = 0
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
        """Store a guess and return the widget; ValueError if it is not a number or a choice."""
        if self.choices and guess not in self.choices:
            raise ValueError(f"a guess must be one of {self.choices}; got {guess!r}")
        if not (self.choices or (is_number(guess) and abs(guess) < inf)):
            raise ValueError(f"a guess must be a finite number; got {guess!r}")
        if self.limits and not self.limits[0] <= float(guess) <= self.limits[1]:
            low, high = self.limits
            raise ValueError(f"a guess must be a number from {low:,} to {high:,}; got {guess!r}")
        self.guess, self._is_set_aside = guess, False
        self.answers += 1
        activity_log.log_event("guess", self.question, guess=guess, choices=self.choices)
        self._input.value = guess if self.choices else str(guess)
        self._note.show(message_html("note", f"Your guess: {cell_text(guess)}. Now measure."))
        return self

    def compare(self, measured: Answer, note: str = "") -> PlainText:
        """Return the guess and the measurement in one sentence, with their difference.

        It is the output of a cell; the panel above does not say it a second time.
        """
        return PlainText(f"{self._verdict(measured)}. {note}".strip())

    def show_verdict(self, measured: Answer) -> None:
        """Show in the panel what `compare` returns, if there is a guess."""
        if self.guess is not None:  # otherwise the question stays open
            text = self._verdict(measured)
            self._note.show(message_html("note", f"{text[0].upper()}{text[1:]}."))

    def _verdict(self, measured: Answer) -> str:
        text = f"measured: {cell_text(measured)}"
        if self.guess is None:
            return f"no guess yet; {text}"
        difference = self._difference(measured)
        right = difference.startswith("right")
        activity_log.log_event(
            "guess", self.question, guess=self.guess, measured=measured, right=right
        )
        return f"your guess: {cell_text(self.guess)}; {text}; {difference}"

    def mark_not_comparable(self, circumstances: str) -> None:
        """Show that the guess was made for other circumstances and does not fit the measurement."""
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
        number = guess or 0
        side = "high" if number > measured else "low"
        if self.kind == "magnitude" and number > 0 and measured > 0:
            factor = max(number, measured) / min(number, measured)
            times = f"{factor:.1f}" if factor < 10 else f"{factor:,.0f}"
            return f"{times} times too {side}" if factor >= 1.1 else "less than 10 % apart"
        return f"{abs(number - measured):,.4g} too {side}"

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
    """Return a field for a number, with a name for screen readers.

    enter  called when the learner presses Enter or leaves the field, unless it is empty
    """
    field = Text(description=name, placeholder=placeholder, continuous_update=False)
    field.observe(lambda change: enter() if change.new.strip() else None, "value")
    return add_css_classes(field, "gl-number")


def as_number(text: str) -> float | None:
    """Return the number that a learner typed, like "549,946", "0,5" or "1e6"; None if invalid.

    An ambiguous text, such as "20.000", is invalid.
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
        whole, decimal = text.replace(".", ""), text.rstrip("0").rstrip(".")
        if decimal == text:
            decimal += "0"  # with four digits after the point it cannot be a grouped number
        return f"{text} can be read in two ways. Write {whole}, or {decimal}."
    if "%" in text:
        return "Enter the number without the sign for percent."
    return f"{shorten(text)} is not a number. Write it in digits, such as 1500 or 0.5."


def shorten(text: str, length: int = 50) -> str:
    """Return the text, or its beginning and three dots if it is longer than `length`."""
    return text if len(text) <= length else text[: length - 3].rstrip() + "..."


def _are_mirrored(state: GameState, first: Any, second: Any) -> bool:
    if not {first, second} <= {*state.legal_actions()}:
        return False
    key = state.successor(first).symmetry_key()
    return key is not None and key == state.successor(second).symmetry_key()
