"""The lecturer's screen: what a class answers, as it comes in, and no right answer unasked."""

import json
import os
import threading
from functools import partial

import pytest

from course import ClassAnswers
from course.exercises import upload
from course.exercises.lesson_data import quiz_data
from course.widgets import class_answers
from course.widgets.sharing import ShareNotice

WHEN = iter(range(1, 1000))


def written(folder, student, *facts):
    """Write what a student has shared, each file a little later than the one before it."""
    log = [{"n": n, "kind": "guess"} | each for n, each in enumerate(facts)]
    file = folder / f"{student}.json"
    file.write_text(json.dumps({student: log}), encoding="utf-8")
    os.utime(file, ns=(when := 10**9 * next(WHEN), when))


def answered(screen, student, *facts):
    """Let a student answer, and look."""
    written(screen.folder, student, *facts)
    screen.refresh()


def guess(number, key="How many?", **facts):
    return {"key": key, "guess": number} | facts


other = partial(guess, key="And now?")


@pytest.fixture(autouse=True)
def asked(monkeypatch):
    """Let the course have the questions of this file."""
    known = class_answers._programs() + '"How many?""And now?""<script>"'
    monkeypatch.setattr(class_answers, "_programs", lambda: known)


@pytest.fixture
def screen(tmp_path):
    screen = ClassAnswers(tmp_path)
    yield screen
    screen.close()


def choose(screen, title):
    (screen._question.value,) = (k for k, one in screen.found.items() if one.title == title)


def told(screen):
    return [(bar.label, bar.count, bar.right) for bar in screen.histogram.bars]


def test_answers_are_counted_on_arrival(screen):
    assert (screen.histogram, repr(screen)) == (None, "ClassAnswers(nobody has answered)")
    assert "Nobody has answered yet." in screen._counted.value
    answered(screen, "a", guess(3))
    answered(screen, "b", guess(3))
    assert told(screen) == [("3", 2, False)]
    answered(screen, "c", guess(4))
    assert told(screen) == [("3", 2, False), ("4", 1, False)]
    assert repr(screen) == "ClassAnswers('How many?', 3 answered)"
    screen.reveal()
    assert "Nobody has measured yet." in screen._counted.value


def test_folder_is_polled_automatically(screen, tmp_path, monkeypatch):
    monkeypatch.setattr("course.widgets.class_answers.POLL_SECONDS", 0.01)
    seen = threading.Event()
    quick = ClassAnswers(tmp_path)
    quick._counted.observe(lambda _: seen.set(), "value")
    written(tmp_path, "a", guess(3))
    assert seen.wait(60)
    quick.close()
    quick._follower.join(60)
    assert not quick._follower.is_alive()
    assert told(quick) == [("3", 1, False)]


def test_newest_question_shown_until_one_is_chosen(screen):
    answered(screen, "a", guess(3))
    answered(screen, "b", guess(3), other(8))
    assert screen.histogram.title == "And now?"
    choose(screen, "How many?")
    answered(screen, "c", guess(3), other(9))
    assert (screen.histogram.title, screen.histogram.n) == ("How many?", 3)


def test_each_right_answer_needs_a_click(screen):
    answered(screen, "a", guess(3, measured=5, right=False))
    answered(screen, "b", other(8, measured=9, right=False))
    assert told(screen) == [("8", 1, False)]
    assert "right" not in screen._counted.value
    screen.reveal()
    assert told(screen) == [("8", 1, False), ("9", 0, True)]
    assert "✓ 9 (right)" in screen._counted.value
    choose(screen, "How many?")
    assert told(screen) == [("3", 1, False)]
    screen.reveal()
    screen._question.value = ""  # the newest again
    assert told(screen) == [("8", 1, False)]


def test_revealed_question_stays_while_class_continues(screen):
    answered(screen, "a", guess(3, measured=5, right=False))
    answered(screen, "b", guess(4, measured=5, right=False))
    screen.reveal()
    answered(screen, "c", guess(5, measured=5, right=True), other(8))
    assert told(screen) == [("3", 1, False), ("4", 1, False), ("5", 1, True)]


def test_quiz_is_shown_with_all_answers(screen):
    data = quiz_data("minimax/value")
    first = next(iter(data["answers"]))
    answered(screen, "a", {"kind": "quiz", "key": "minimax/value", "given": [first]})
    assert screen.histogram.title == data["question"]
    assert [bar.label for bar in screen.histogram.bars] == [*data["answers"]]
    assert "(right)" not in screen._counted.value


def test_incomplete_or_deleted_file_is_skipped(screen, tmp_path):
    answered(screen, "a", guess(3))
    answered(screen, "b", guess(4))
    (tmp_path / "c.json").write_text('{"c": [{"n": 0,', encoding="utf-8")
    screen.refresh()
    assert screen.histogram.n == 2
    (tmp_path / "b.json").unlink()
    screen.refresh()
    assert told(screen) == [("3", 1, False)]


FORGED = {
    "a question": {"key": "Buy this!", "guess": 1},
    "an answer": guess("Buy this!"),
    "a script": {"key": "<script>", "guess": "<script>"},
    "choices": guess(1, choices=["Buy this!", 1]),
    "what was measured": guess(1, measured="Buy this!"),
    "no number": guess(float("nan")),
}


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
def test_forged_text_is_not_shown(screen, forged):
    answered(screen, "a", guess(3))
    answered(screen, "b", forged)
    choose(screen, "How many?")
    screen.reveal()
    assert told(screen) == [("3", 1, False)]
    assert "<script" not in screen._counted.value
    assert "Buy" not in screen._counted.value + str(screen._question.options)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows knows no such files")
def test_foreign_files_are_ignored(screen, tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "deep.json").write_bytes(b"[" * 60_000)
    (tmp_path / "big.json").write_bytes(b" " * 70_000)
    (tmp_path / "link.json").symlink_to("/dev/zero")
    (tmp_path / "folder.json").mkdir()
    answered(screen, "a", guess(3))
    assert told(screen) == [("3", 1, False)]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_write_follows_no_link(tmp_path):
    victim = tmp_path / "precious"
    victim.write_text("mine")
    name = ShareNotice(tmp_path).file.stem
    for link in (f"{name}.json", f"{name}.part"):
        (tmp_path / link).unlink(missing_ok=True)
        (tmp_path / link).symlink_to(victim)
    ShareNotice(tmp_path)
    assert victim.read_text() == "mine"
    assert json.loads((tmp_path / f"{name}.json").read_text()).keys() == {name}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows knows no such files")
def test_file_replaced_by_pipe_does_not_block(screen, tmp_path, monkeypatch):
    answered(screen, "a", guess(3))
    exchanged, usual = [], os.open

    def exchange(path, flags):
        if str(path).endswith(".json"):
            os.unlink(path)
            os.mkfifo(path)
            exchanged.append(path)
        return usual(path, flags)

    monkeypatch.setattr(os, "open", exchange)
    screen.refresh()
    assert exchanged
    assert screen.histogram is None


@pytest.mark.skipif(not hasattr(os, "fchmod"), reason="Windows gives no such rights")
def test_rights_are_given_to_no_file_of_another(tmp_path, monkeypatch):
    secret, exchanged, usual = tmp_path / "secret", [], os.fchmod
    secret.touch(mode=0o600)

    def exchange(handle, mode):
        (part,) = tmp_path.glob("*.part")
        part.unlink()
        part.symlink_to(secret)
        exchanged.append(part)
        usual(handle, mode)

    monkeypatch.setattr(os, "fchmod", exchange)
    upload.write(tmp_path, "00000001", [])
    assert exchanged
    assert secret.stat().st_mode & 0o777 == 0o600
