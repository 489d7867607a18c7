"""What the site is made of: the files that Pyodide's lock names, and no others."""

from pathlib import Path

import pytest

from tools.site import lock, sources


@pytest.fixture(params=[sources.NEWEST, sources.TESTED], ids=lambda source: source.version)
def folder(request: pytest.FixtureRequest) -> Path:
    return sources.pyodide(request.param)


def test_all_that_the_lock_names_lies_beside_it(folder: Path) -> None:
    packages = lock.read(folder)["packages"].values()
    assert {"ipython", "ipywidgets", "tqdm"} <= {p["name"] for p in packages}
    assert {p["file_name"]: p["sha256"] for p in packages} == {
        p["file_name"]: lock.sha256(folder / p["file_name"]) for p in packages
    }


def test_what_a_package_needs_is_there(folder: Path) -> None:
    packages = lock.read(folder)["packages"]
    assert lock.closure(packages, packages) == sorted(packages)


def test_nothing_is_asked_of_another_host(folder: Path) -> None:
    assert not any("//" in p["file_name"] for p in lock.read(folder)["packages"].values())


def test_a_file_that_the_lock_does_not_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = sources.once(tmp_path / "release", lambda folder: None)
    for file in sources.pyodide(sources.TESTED).iterdir():
        (release / file.name).symlink_to(file)
    wheel = release / "six-1.16.0-py2.py3-none-any.whl"
    wheel.unlink()
    wheel.write_bytes(b"another one")
    monkeypatch.setattr(sources, "CACHE", tmp_path)
    with pytest.raises(ValueError, match="is not the file"):
        sources.unpacked(release, sources.TESTED)


def test_a_release_gives_what_the_course_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = sources.pyodide(sources.TESTED)
    monkeypatch.setattr(sources, "CACHE", tmp_path)
    taken = sources.unpacked(whole, sources.TESTED)
    assert lock.read(taken) == lock.read(whole)
    assert {file.name for file in taken.iterdir()} == {file.name for file in whole.iterdir()}


def test_half_of_a_folder_is_none(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "first").touch()
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space"):
        sources.once(tmp_path / "folder", fail)
    assert list(tmp_path.iterdir()) == []
