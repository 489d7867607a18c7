"""What the site is made of: the files that Pyodide's lock names, and no others."""

import shutil
from pathlib import Path

import pytest

from tools.site import lock, sources


@pytest.fixture
def folder() -> Path:
    return sources.pyodide()


def test_all_that_the_lock_names_lies_beside_it(folder: Path) -> None:
    packages = lock.read(folder)["packages"].values()
    assert {"ipython", "ipywidgets", "tqdm"} <= {p["name"] for p in packages}
    assert {p["file_name"]: p["sha256"] for p in packages} == {
        p["file_name"]: lock.sha256(folder / p["file_name"]) for p in packages
    }


def test_what_a_package_needs_is_there(folder: Path) -> None:
    packages = lock.read(folder)["packages"]
    assert lock.closure(packages, packages) == sorted(packages)


def test_a_file_that_the_lock_does_not_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = shutil.copytree(sources.CACHE / "bundle", tmp_path / "bundle")
    next(bundle.glob("numpy-*.whl")).write_bytes(b"another one")
    core = sources.from_npm("pyodide", sources.VERSION, sources.NPM)
    monkeypatch.setattr(sources, "CACHE", tmp_path)
    monkeypatch.setattr(sources, "from_npm", lambda *_: core)
    with pytest.raises(ValueError, match="is not the file"):
        sources.pyodide()
    assert list(tmp_path.iterdir()) == [bundle]


def test_half_of_a_folder_is_none(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "first").touch()
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space"):
        sources.once(tmp_path / "folder", fail)
    assert list(tmp_path.iterdir()) == []
