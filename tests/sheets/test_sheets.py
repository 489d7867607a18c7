"""Sheets for a class: one for each student, and a key."""

import csv
import re

import pytest

from tools.sheets.__main__ import ClassListError, Person, class_list, main
from tools.sheets.topics import TOPICS as KINDS


def made(tmp_path, *words, people="s1, Ada Lovelace\ns2\n"):
    """Return the folder that the command has written for a class."""
    (tmp_path / "class.csv").write_text(people, encoding="utf-8")
    out = tmp_path / "out"
    assert main([str(tmp_path / "class.csv"), "--out", str(out), *words]) == 0
    return out


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("s1\ns2\n", [("s1", ""), ("s2", "")]),
        ("s1, Ada Lovelace\n\ns2,Alan\n", [("s1", "Ada Lovelace"), ("s2", "Alan")]),
        ("\ufeffNumber;Name\n1;Ada;Lovelace\n", [("1", "Ada Lovelace")]),
        ("student number\tname\n1\tLovelace, Ada", [("1", "Lovelace, Ada")]),
        ('# tutorial 3\n1,"Lovelace, Ada"\n', [("1", "Lovelace, Ada")]),
    ],
)
def test_class_list_accepts_common_formats(tmp_path, text, people):
    (path := tmp_path / "class.csv").write_text(text, encoding="utf-8")
    assert class_list(path) == [Person(*person) for person in people]


@pytest.mark.parametrize(
    ("text", "words"), [("s1\nS1\n", "line 2: S1 was there before"), ("\n", "names no student")]
)
def test_invalid_class_list_raises(tmp_path, text, words):
    (path := tmp_path / "class.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ClassListError, match=words):
        class_list(path)


def test_invalid_arguments_are_named_and_nothing_written(tmp_path, capsys):
    path, out = tmp_path / "class.csv", tmp_path / "out"
    assert main([str(path), "--exercise", "tree", "--out", str(out)]) == 1
    assert "class.csv" in capsys.readouterr().err
    path.write_text("s1")
    assert main([str(path), "--exercise", "trees", "--out", str(out)]) == 1
    assert "the exercises are paper, tree" in capsys.readouterr().err
    assert not out.exists()


def test_each_student_gets_sheet_and_key(tmp_path):
    out = made(tmp_path, "--exercise", ",".join(KINDS))
    page = (out / "sheets.html").read_text(encoding="utf-8")
    assert page.count('class="sheet"') == 2
    assert page.count("Ada Lovelace") == 1
    with (out / "key.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == page.count("<i></i>")
    key = (out / "key.html").read_text(encoding="utf-8")
    for row in rows:
        assert row["answer"] in key
        answers = KINDS_BY_TITLE[row["question"]].draw(row["number"]).answers
        assert answers[row["blank"]] == row["answer"]


KINDS_BY_TITLE = {kind.title: kind for kind in KINDS.values()}


def test_seed_selects_repeatable_questions(tmp_path):
    pages = []
    for place, words in enumerate([(), ("--seed", "a"), ("--seed", "b"), ("--seed", "a")]):
        folder = tmp_path / str(place)
        folder.mkdir()
        out = made(folder, "--exercise", "tree,signs", *words)
        pages.append((out / "sheets.html").read_text(encoding="utf-8"))
    assert len(set(pages)) == 3
    assert pages[1] == pages[3]


def test_student_name_is_escaped(tmp_path):
    out = made(tmp_path, "--exercise", "ucb", people="s1,<script>alert(1)</script>")
    for path in out.glob("*.html"):
        assert "<script" not in path.read_text(encoding="utf-8")


def test_sheet_loads_no_external_resource(tmp_path):
    page = (made(tmp_path, "--exercise", ",".join(KINDS)) / "sheets.html").read_text()
    assert not re.search(r"(?:src|href)=|url\(|@import", page)
