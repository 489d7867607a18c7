"""What the site is made of: the files that Pyodide's lock names, and no others; and where."""

import shutil
from pathlib import Path

import pytest

from tools.site import __main__ as builder
from tools.site import downloads, pyodide_lock


def test_pyodide_lock_and_files_agree() -> None:
    folder = downloads.fetch_pyodide()
    packages = pyodide_lock.read(folder)["packages"]
    for package in packages.values():
        assert pyodide_lock.sha256(folder / package["file_name"]) == package["sha256"]
    assert pyodide_lock.with_dependencies(packages, [*packages, "ipython", "ipywidgets"]) == sorted(
        packages
    )


def test_file_with_wrong_hash_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = shutil.copytree(downloads.CACHE / "bundle", tmp_path / "bundle")
    next(bundle.glob("numpy-*.whl")).write_bytes(b"another one")
    core = downloads.from_npm("pyodide", downloads.PYODIDE_VERSION, downloads.PYODIDE_SHA512)
    monkeypatch.setattr(downloads, "CACHE", tmp_path)
    monkeypatch.setattr(downloads, "from_npm", lambda *_: core)
    with pytest.raises(ValueError, match="is not the file"):
        downloads.fetch_pyodide()
    assert list(tmp_path.iterdir()) == [bundle]


def test_failed_build_leaves_no_folder(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "first").touch()
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space"):
        downloads.build_once(tmp_path / "folder", fail)
    assert list(tmp_path.iterdir()) == []


def test_concurrent_builds_share_one_folder(tmp_path: Path) -> None:
    def slow(folder: Path) -> None:
        downloads.build_once(tmp_path / "folder", lambda other: (other / "first").touch())
        (folder / "second").touch()

    assert [path.name for path in downloads.build_once(tmp_path / "folder", slow).iterdir()] == [
        "first"
    ]
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ([], "is not a site"),
        (["--no-hints"], "without --student"),
        (["--solutions", "01_framework"], "without --student"),
    ],
)
def test_harmful_options_are_rejected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], why: str
) -> None:
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(SystemExit):
        builder.main([str(tmp_path), *options])
    assert why in capsys.readouterr().err
    assert (tmp_path / "thesis.txt").read_text(encoding="utf-8") == "years of work"
