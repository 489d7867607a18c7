"""The rules of .vale/House, on examples and on the texts of the project."""

import pytest
import yaml

from tests.messages import broken
from tools.prose_linter import RULES, checked_files, find_hits, load_rules, read_passages

BAD = {
    "Dialect": "Each row begins anew.",
    "Headless": "Who takes the last stick wins.",
    "IsNo": "The value is no chance.",
    "Order": "Below it stands the vector of each action.",
    "Small": "It may use alpha-beta, for it is a game of two sides.",
    "Standing": "The number stands below the root.",
}
GOOD = [
    "Each row is a new search.",
    "Whoever takes the last stick wins.",
    "Who takes the last stick?",
    "The value is no longer an estimate.",
    "There is no such number.",
    "Look for its children, for example the first.",
    "The number stands for a player.",
    "Four stones stand in a row.",
    "Below the root you see the vector of each action.",
]


def broken_rules(sentence: str) -> set[str]:
    return {rule.name for rule in load_rules() if rule.pattern.search(sentence)}


@pytest.mark.parametrize("rule", [path.stem for path in RULES.glob("*.yml")])
def test_bad_sentence_breaks_its_rule(rule: str) -> None:
    assert rule in broken_rules(BAD[rule])


@pytest.mark.parametrize("sentence", GOOD)
def test_good_sentence_breaks_no_rule(sentence: str) -> None:
    assert broken_rules(sentence) == set()


def test_rules_use_only_keys_that_vale_has() -> None:
    known = {"extends", "message", "level", "scope", "ignorecase", "nonword", "swap", "tokens"}
    for path in RULES.glob("*.yml"):
        unknown = set(yaml.safe_load(path.read_text())) - known
        rule = f"Vale does not know these keys in {path.name}. Take them out:"
        assert unknown == set(), broken(rule, sorted(unknown))


def test_markdown_code_is_not_prose() -> None:
    text = "# Title\n\nOne `anew` word.\n\n    anew()\n\n```\nanew()\n```\n- item\n  goes on\n"
    passages = [passage for _, passage in read_passages(".md", text)]
    assert passages == ["# Title", "One `anew` word.", "- item\n  goes on"]


def test_python_texts_have_their_lines() -> None:
    text = '"""First."""\n\n\ndef f():\n    """Second.\n\n    Third.\n    """\n'
    text += "    # Fourth,\n    # fifth.\n"
    assert list(read_passages(".py", text)) == [
        (1, "First."),
        (5, "Second."),
        (7, "Third."),
        (9, "Fourth,\nfifth."),
    ]


def test_toml_code_is_not_prose() -> None:
    text = 'hint = "anew"\nline = "anew()"\n\n[answers]\n"The first" = "Why."\n'
    assert list(read_passages(".toml", text)) == [(1, "anew"), (5, "The first"), (5, "Why.")]


def test_checked_texts_break_no_rule() -> None:
    hits = find_hits(checked_files())
    assert hits == [], broken("Rewrite these sentences, or narrow the rule in .vale/House:", hits)
