"""What the builder of the site writes, and what it leaves alone."""

from pathlib import Path

import pytest

from tools.site import __main__ as builder
from tools.site import index


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


def test_the_first_page_has_every_notebook(tmp_path: Path) -> None:
    index.write(tmp_path, 20)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    notebooks = [path.stem for path in (index.ROOT / "notebooks").glob("*.ipynb")]
    assert page.count('class="run"') == len(notebooks) == 12
    for name in notebooks:
        assert f'href="{name}.html"' in page
        assert f'href="run/notebooks/index.html?path={name}.ipynb"' in page
    assert "$" not in page
