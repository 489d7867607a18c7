"""What the builder of the site writes, and what it leaves alone."""

from pathlib import Path

import pytest

from tools.site import __main__ as builder


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ([], "is there and is no site: nothing was written"),
        (["--no-hints"], "are for --student"),
        (["--solutions", "01_framework"], "are for --student"),
    ],
)
def test_what_would_do_harm_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], why: str
) -> None:
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(SystemExit):
        builder.main([str(tmp_path), *options])
    assert why in capsys.readouterr().err
    assert (tmp_path / "thesis.txt").read_text(encoding="utf-8") == "years of work"
