"""What a release says of itself: one version everywhere, and a page whose examples run."""

import doctest
import re
import tarfile
import tomllib
from io import BytesIO
from pathlib import Path

import yaml

import gamelib
from tools import release

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAGE = ROOT / PROJECT["readme"]


def test_version_is_the_same_everywhere() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest, date = re.findall(r"^## \[(\d[\d.]*)\] - (\S+)$", changes, re.M)[0]
    assert gamelib.__version__ == newest == citation["version"]
    assert citation["date-released"] == date
    named = set(re.findall(r"course-([\d.]+)-py3", PAGE.read_text(encoding="utf-8")))
    assert named == {gamelib.__version__}


def test_examples_on_the_package_page_run() -> None:
    done = doctest.testfile(str(PAGE), module_relative=False)
    assert done.attempted >= 5
    assert done.failed == 0


def test_package_page_links_work_anywhere() -> None:
    links = re.findall(r"\]\(([^)]*)\)", PAGE.read_text(encoding="utf-8"))
    assert [link for link in links if not link.startswith("https://")] == []


def test_package_page_lists_the_extras_that_are_tried() -> None:
    listed = re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.M)
    assert listed == [extra for extra in release.PROGRAMS if extra]
    assert set(listed) <= set(PROJECT["optional-dependencies"])
    assert PROJECT["dependencies"] == []


def test_repository_is_named_in_metadata_and_page(tmp_path) -> None:
    (tmp_path / "docs").mkdir()
    for name in ("pyproject.toml", PROJECT["readme"]):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    release.add_repository(tmp_path, "https://example.org/course")
    metadata = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))
    assert metadata["project"]["urls"]["Repository"] == "https://example.org/course"
    page = (tmp_path / PROJECT["readme"]).read_text(encoding="utf-8")
    assert f"](https://example.org/course/raw/v{gamelib.__version__}/{release.PICTURE})" in page


def test_files_missing_from_the_sdist_are_named(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(release, "known_files", lambda: ["a.py", "tests/test_a.py"])
    path = tmp_path / "course-1.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in ("a.py", "stray.py", "PKG-INFO", "x.egg-info/PKG-INFO"):
            archive.addfile(tarfile.TarInfo(f"course-1/{name}"), BytesIO())
    assert release.compare_files(path) == ({"tests/test_a.py"}, {"stray.py"})


def test_picture_of_the_package_page_exists() -> None:
    assert (ROOT / release.PICTURE).exists()
