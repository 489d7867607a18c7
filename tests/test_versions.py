"""The oldest versions and other systems: what `make versions` installs, what the workflow runs."""

import re
from pathlib import Path

import yaml

from tests.messages import broken
from tools.versions import PROJECT, lower_bounds

WORKFLOW = Path(__file__).parents[1] / ".github/workflows/test.yml"


def test_every_test_requirement_has_a_lower_bound() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    own = f"{PROJECT['project']['name']}["
    left, wanted = ["test"], []
    while left:  # an extra may contain others
        needs = extras[left.pop()]
        wanted += needs
        left += [need.removeprefix(own)[:-1] for need in needs if need.startswith(own)]
    names = [re.split(r"[><=;\[ ]", each)[0] for each in wanted if not each.startswith(own)]
    missing = sorted(set(names) - {bound.split("==")[0] for bound in lower_bounds()})
    rule = "Each requirement in pyproject.toml needs a lower bound, like `segno>=1.5`. Add it to:"
    assert missing == [], broken(rule, missing)


def test_workflow_covers_versions_and_systems() -> None:
    jobs = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]
    assert jobs["test"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.x"]
    assert "make versions VERSIONS=oldest" in [step.get("run") for step in jobs["oldest"]["steps"]]
    assert jobs["elsewhere"]["strategy"]["matrix"]["os"] == ["windows-latest", "macos-latest"]


def test_workflows_do_not_choose_empty_text() -> None:
    """It counts as false there: of `chosen && '' || other` comes `other`, whatever is chosen."""
    for path in WORKFLOW.parent.iterdir():
        assert "&& ''" not in path.read_text(encoding="utf-8")
