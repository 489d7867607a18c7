"""Folders and archives as students and platforms make them."""

import io
import os
import zipfile

import pytest

from tools.submissions import MAX_BYTES, MAX_DIRECTORY_BYTES, MAX_FILES, find_submissions


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
        ("week 2/turingalan_13_346_mine.ipynb", "turingalan", ""),
        ("02_minimax/Ada L_47_assignsubmission_file_/mine.ipynb", "Ada L_47", "02_minimax"),
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


def test_archive_inside_two_others_is_not_opened(tmp_path):
    for levels, notebook in ((2, "02_minimax"), (3, "")):
        inside = packed({"02_minimax.ipynb": "{}"})
        for _ in range(levels - 1):
            inside = packed({"x.zip": inside})
        path = archive(tmp_path / f"{levels}.zip", {"ada/x.zip": inside})
        assert found(path) == [("ada", notebook)]


def test_archive_with_long_list_is_not_opened(tmp_path):
    names = {f"{number:0900}": "" for number in range(MAX_FILES // 2)}
    files = packed({"02_minimax.ipynb": "{}", **names})
    (tmp_path / "ada.zip").write_bytes(files)
    assert MAX_DIRECTORY_BYTES < len(files) < MAX_BYTES
    assert found(tmp_path) == [("ada", "")]


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


NESTED = "Bob B_48_assignsubmission_file_/02_minimax.ipynb"


@pytest.mark.parametrize("inside", [f"ada/{NESTED}", f"ada/{NESTED[:14]}/../{NESTED}"])
def test_names_inside_a_hand_in_identify_nobody(tmp_path, inside):
    written(tmp_path, inside, "bob/02_minimax.ipynb", "02_minimax_eve.ipynb")
    assert {student for student, _ in found(tmp_path)} == {"ada", "bob", "eve"}


def test_archive_cannot_use_the_budget_of_others(tmp_path):
    archive(tmp_path / "ada.zip", {NESTED: bytes(MAX_BYTES), "../bob/02_minimax.ipynb": "{}"})
    archive(tmp_path / "bob.zip", {"02_minimax.ipynb": "{}"})
    contents = {each.student: each.content for each in find_submissions(tmp_path)}
    assert contents == {"ada": None, "bob": b"{}"}


def test_name_inside_class_archive_identifies_no_student(tmp_path):
    names = (f"ada/{NESTED}", "../bob/02_minimax.ipynb", "/eve/./02_minimax.ipynb")
    files = dict.fromkeys(names, "{}")
    path = archive(tmp_path / "class.zip", files)
    assert {student for student, _ in found(path)} == {"ada", "bob", "eve"}


def matryoshka(levels, name):
    content = b"{}"
    for _ in range(levels):
        made = io.BytesIO()
        archive(made, {name: content})
        content = made.getvalue()
    return content


HOSTILE = {
    "nested": lambda: matryoshka(300, "."),
    "nested zips": lambda: matryoshka(300, "x.zip"),
    "entries": lambda: packed({f"{n}.txt": "" for n in range(MAX_FILES + 2)}),
    "entries in a long list": lambda: packed({f"{n:0200}.txt": "" for n in range(20_000)}),
    "long name": lambda: packed({"_" * 60_000 + "/02_minimax.ipynb": "{}"}),
    "empty": lambda: packed({}),
    "no zip": lambda: b"PK",
    "encrypted": lambda: bytes(packed({"02_minimax.ipynb": "{}"})).replace(
        b"PK\1\2\x14\x03\x14\0\0", b"PK\1\2\x14\x03\x14\0\1"
    ),
}


def packed(files):
    made = io.BytesIO()
    archive(made, files)
    return made.getvalue()


@pytest.mark.parametrize("made", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("in_class_archive", [False, True])
def test_hostile_archive_ends_its_own_hand_in_only(tmp_path, made, in_class_archive):
    files = {"ada/x.zip": made(), "bob/02_minimax.ipynb": b"{}"}
    path = archive(tmp_path / "class.zip", files)
    if not in_class_archive:
        with zipfile.ZipFile(path) as unpacked:
            unpacked.extractall(path := tmp_path / "class")
    submissions = find_submissions(path)
    assert [each.content for each in submissions if each.student == "bob"] == [b"{}"]
    told = [each for each in submissions if each.student == "ada"]
    assert told
    assert all(each.problem for each in told if each.content is None)
    assert not any(each.notebook and each.content for each in told)


def test_long_submission_names_are_cut_quickly(tmp_path):
    path = archive(tmp_path / "x.zip", {"_" * 65_000 + "/02_minimax.ipynb": "{}"})
    ((student, _),) = found(path)
    assert len(student) <= 100


def test_files_read_before_a_limit_are_kept(tmp_path):
    files = {"02_minimax.ipynb": "{}"} | {f"{n}.txt": "" for n in range(MAX_FILES)}
    archive(tmp_path / "ada.zip", files)
    notebook, limit = sorted(find_submissions(tmp_path), key=lambda each: each.problem)
    assert (notebook.notebook, notebook.content) == ("02_minimax", b"{}")
    assert f"{MAX_FILES:,}" in limit.problem


def test_pipe_is_not_waited_for(tmp_path):
    (tmp_path / "ada").mkdir()
    os.mkfifo(tmp_path / "ada" / "02_minimax.ipynb")
    (one,) = find_submissions(tmp_path)
    assert (one.student, one.content) == ("ada", None)
    assert one.problem


def test_download_in_its_own_folder_is_opened(tmp_path):
    files = {f"Ada L_47_assignsubmission_file_/{NESTED}": "{}", NESTED: ""}
    archive(tmp_path / "download.zip", files)
    assert {student for student, _ in found(tmp_path)} == {"Ada L_47", "Bob B_48"}


def test_truncated_archive_is_an_unreadable_file(tmp_path):
    path = archive(tmp_path / "ada.zip", {"02_minimax.ipynb": "{}" * 1000})
    path.write_bytes(path.read_bytes()[:60])
    (one,) = find_submissions(tmp_path)
    assert (one.student, one.notebook) == ("ada", "")


def test_path_without_folder_or_archive_raises(tmp_path):
    with pytest.raises(ValueError, match="neither a folder nor a zip"):
        find_submissions(tmp_path / "nothing")
