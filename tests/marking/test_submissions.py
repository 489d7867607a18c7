"""Folders and archives as students and platforms make them."""

import io
import os
import zipfile

import pytest

from tools.submissions import MAX_BYTES, find_submissions


def written(folder, *files):
    for file in files:
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"{}")
    return folder


def archive(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return path


def found(path):
    return [(each.student, each.notebook) for each in find_submissions(path)]


@pytest.mark.parametrize(
    ("file", "student", "notebook"),
    [
        ("ada/02_minimax.ipynb", "ada", "02_minimax"),
        ("ada/02_minimax/02_minimax.ipynb", "ada", "02_minimax"),
        ("02_minimax/ada/02_minimax.ipynb", "ada", "02_minimax"),
        ("02_minimax/ada.ipynb", "ada", "02_minimax"),
        ("02_minimax_ada.ipynb", "ada", "02_minimax"),
        ("ada-02_minimax (1).ipynb", "ada", "02_minimax"),
        ("ada/02_minimax-Copy1.ipynb", "ada", "02_minimax"),
        ("Ada L_47_assignsubmission_file_/02_minimax.ipynb", "Ada L_47", "02_minimax"),
        ("Ada L_47_assignsubmission_file_02_minimax.ipynb", "Ada L_47", "02_minimax"),
        ("week 2/Ada L_47_assignsubmission_file_/02_minimax.ipynb", "Ada L_47", "02_minimax"),
        ("turingalan_LATE_13_346_02_minimax-1.ipynb", "turingalan", "02_minimax"),
        ("turingalan_13_346_mine.ipynb", "turingalan", ""),
        ("assignment_7_export/submission_99123/02_minimax.ipynb", "submission_99123", "02_minimax"),
        ("ada/mine.ipynb", "ada", ""),
        ("02_minimax.ipynb", "(nobody named)", "02_minimax"),
    ],
)
def test_path_gives_student_and_notebook(tmp_path, file, student, notebook):
    assert found(written(tmp_path, file)) == [(student, notebook)]


def test_class_archive_is_read_like_a_folder(tmp_path):
    path = archive(tmp_path / "class.zip", {"ada/02_minimax.ipynb": "{}", "__MACOSX/x.ipynb": ""})
    assert found(path) == [("ada", "02_minimax")]


def test_student_archive_is_opened(tmp_path):
    archive(tmp_path / "ada.zip", {"02_minimax.ipynb": "{}"})
    archive(tmp_path / "bob.zip", {"homework/02_minimax.ipynb": "{}"})
    assert found(tmp_path) == [("ada", "02_minimax"), ("bob", "02_minimax")]


def test_nested_archive_is_opened(tmp_path):
    inner = io.BytesIO()
    archive(inner, {"02_minimax.ipynb": "{}"})
    name = "Ada L_47_assignsubmission_file_/all.zip"
    assert found(archive(tmp_path / "x.zip", {name: inner.getvalue()})) == [
        ("Ada L_47", "02_minimax")
    ]


def test_other_files_are_listed_without_a_notebook(tmp_path):
    written(tmp_path, "ada/02_minimax.ipynb", "ada/notes.pdf", "bob/essay.pdf", "list.txt")
    assert found(tmp_path) == [("ada", "02_minimax"), ("bob", ""), ("list", "")]


def test_hidden_files_and_links_are_not_read(tmp_path):
    secret = written(tmp_path / "elsewhere", "02_minimax.ipynb") / "02_minimax.ipynb"
    folder = written(tmp_path / "in", "ada/.ipynb_checkpoints/02_minimax-checkpoint.ipynb")
    (folder / "bob").mkdir()
    (folder / "bob" / "02_minimax.ipynb").symlink_to(secret)
    (folder / "eve").symlink_to(secret.parent)
    assert found(folder) == [("bob", "02_minimax"), ("eve", "")]
    assert [each.content for each in find_submissions(folder)] == [None, None]


def test_archive_bomb_is_not_unpacked(tmp_path):
    path = archive(tmp_path / "x.zip", {"ada/02_minimax.ipynb": bytes(MAX_BYTES + 2)})
    (one,) = find_submissions(path)
    assert one.content is None


def test_total_size_per_student_is_limited(tmp_path):
    half = bytes(MAX_BYTES // 2)
    files = {f"ada/{n}/02_minimax.ipynb": half for n in range(4)} | {"bob/02_minimax.ipynb": "{}"}
    content = [each.content for each in find_submissions(archive(tmp_path / "x.zip", files))]
    assert [len(each or b"") for each in content] == [len(half), len(half), 0, 0, 2]


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        (b"J\xf6rg", "Jörg"),
        ("Jörg".encode(), "Jörg"),
        (b"a\nb", r"a\nb"),
        (b"\x1b[2J", r"\x1b[2J"),
        (b"\xed\xa0\x80", r"í\xa0\x80"),
    ],
)
def test_undecodable_names_become_printable(tmp_path, name, printed):
    os.makedirs(os.fsencode(tmp_path) + b"/" + name)
    with open(os.fsencode(tmp_path) + b"/" + name + b"/02_minimax.ipynb", "wb") as file:
        file.write(b"{}")
    assert found(tmp_path) == [(printed, "02_minimax")]
    assert find_submissions(tmp_path)[0].content == b"{}"


def test_truncated_archive_is_an_unreadable_file(tmp_path):
    path = archive(tmp_path / "ada.zip", {"02_minimax.ipynb": "{}" * 1000})
    path.write_bytes(path.read_bytes()[:60])
    (one,) = find_submissions(tmp_path)
    assert (one.student, one.notebook) == ("ada", "")


def test_path_without_folder_or_archive_raises(tmp_path):
    with pytest.raises(ValueError, match="neither a folder nor a zip"):
        find_submissions(tmp_path / "nothing")
