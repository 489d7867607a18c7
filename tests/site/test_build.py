"""What the builder of the site writes, and what it leaves alone."""

from pathlib import Path

import pytest

from tools.site import __main__ as builder


def test_a_folder_that_is_no_site_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(SystemExit):
        builder.main([str(tmp_path)])
    assert "is there and is no site: nothing was written" in capsys.readouterr().err
    assert (tmp_path / "thesis.txt").read_text(encoding="utf-8") == "years of work"


@pytest.mark.parametrize("option", [["--no-hints"], ["--solutions", "01_framework"]])
def test_what_is_for_a_students_copy_is_refused_without_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: list[str]
) -> None:
    with pytest.raises(SystemExit):
        builder.main([str(tmp_path / "site"), *option])
    assert "are for --student" in capsys.readouterr().err
