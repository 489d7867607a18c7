"""Live answers without a shared folder: all that is right arrives, and nothing else is kept."""

import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from time import sleep
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from classroom import AMOUNT

from course import ClassAnswers
from course.exercises import upload
from tools.dashboard.answer_server import MAX_BYTES, MAX_STUDENTS, AnswerServer, main

SITE = "https://course.example"


def log(*events):
    return [{"n": n} | event for n, event in enumerate(events)]


def guess(number, **facts):
    return {"kind": "guess", "key": AMOUNT, "guess": number} | facts


def body(student, *events):
    return json.dumps({f"{student:08x}": log(*events)}).encode()


@pytest.fixture
def desk(tmp_path):
    desk = AnswerServer(tmp_path, ("127.0.0.1", 0), SITE)
    threading.Thread(target=desk.serve_forever, args=(0.01,), daemon=True).start()
    yield desk
    desk.shutdown()
    desk.server_close()


@pytest.fixture
def screen(tmp_path):
    screen = ClassAnswers(tmp_path)
    yield screen
    screen.close()


def post(desk, data, **headers):
    """Return the status of the answer and its headers."""
    request = Request(desk.url, data, {"Content-Type": "text/plain", **headers})
    try:
        with urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers
    except HTTPError as error:
        return error.code, error.headers


def told(screen):
    screen.refresh()
    return [(bar.label, bar.count) for bar in screen.histogram.bars]


def test_a_class_of_120_is_seen(desk, screen):
    with ThreadPoolExecutor(30) as class_:
        found = class_.map(lambda n: post(desk, body(n, guess(n % 3)))[0], range(120))
        assert set(found) == {204}
    assert told(screen) == [("0", 40), ("1", 40), ("2", 40)]


BAD = {
    "nothing": b"",
    "no JSON": b"\xff{",
    "no records": b"[1]",
    "deep": b"[" * 60_000,
    "no events": body(9, {"kind": "guess"}),
    "no kind": body(9, {"kind": "attempt", "key": AMOUNT}),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_what_is_malformed_is_refused_and_nothing_is_lost(desk, screen, tmp_path, bad):
    assert post(desk, body(1, guess(5)))[0] == 204
    assert post(desk, bad)[0] == 400
    assert [file.name for file in tmp_path.iterdir()] == ["00000001.json"]
    assert told(screen) == [("5", 1)]


@pytest.mark.parametrize("name", ["../../evil", "", "0000000g", "00000001/../2", "x" * 999])
def test_a_name_that_no_notebook_has_is_refused(desk, tmp_path, name):
    assert post(desk, json.dumps({name: log(guess(1))}).encode())[0] == 400
    assert list(tmp_path.iterdir()) == []


def test_what_is_too_large_too_fast_or_too_much_is_refused(desk, monkeypatch):
    assert post(desk, b" " * (MAX_BYTES + 1))[0] == 413
    monkeypatch.setattr("tools.dashboard.answer_server.MIN_SECONDS_BETWEEN_POSTS", 1e9)
    assert [post(desk, body(1, guess(5)))[0] for _ in range(2)] == [204, 429]
    monkeypatch.setattr("tools.dashboard.answer_server.MAX_STUDENTS", 1)
    assert post(desk, body(2, guess(5)))[0] == 503
    assert MAX_STUDENTS >= 300


@pytest.mark.parametrize("length", ["-1", "x", "", "9" * 500, "\u0661"])
def test_a_length_that_is_none_is_refused(desk, length):
    with socket.create_connection(desk.server_address, timeout=60) as raw:
        raw.sendall(f"POST / HTTP/1.0\r\nContent-Length: {length}\r\n\r\n".encode())
        assert raw.recv(100).split()[1] in (b"411", b"400")


def test_who_sends_nothing_keeps_nobody_waiting(desk):
    silent = [socket.create_connection(desk.server_address) for _ in range(50)]
    assert post(desk, body(1, guess(5)))[0] == 204
    for each in silent:
        each.close()


def test_pages_of_the_site_may_send_and_no_others(desk):
    status, headers = post(desk, body(1, guess(5)), Origin=SITE)
    assert (status, headers["Access-Control-Allow-Origin"]) == (204, SITE)
    assert post(desk, body(2, guess(5)), Origin="https://evil.example")[0] == 403


def test_its_page_says_what_students_run(desk):
    with urlopen(desk.url) as page:
        assert f'share("{desk.url}")</p><svg' in page.read().decode()


def test_what_is_sent_again_and_again_arrives_when_the_server_is_there(tmp_path, monkeypatch):
    monkeypatch.setattr(upload, "RETRY_SECONDS", [0, *[0.01] * 1000])
    with socket.create_server(("127.0.0.1", 0)) as place:
        address = place.getsockname()
    sent = upload.AnswerUploader(f"http://127.0.0.1:{address[1]}/")
    sent.send(log(guess(5)))
    desk = AnswerServer(tmp_path, address)
    threading.Thread(target=desk.serve_forever, args=(0.01,), daemon=True).start()
    while not list(tmp_path.glob("*.json")):
        sleep(0.01)
    desk.shutdown()
    desk.server_close()


def test_a_place_that_cannot_be_had_is_said_so(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert main([str(tmp_path / "file")]) == 1
    assert "File exists" in capsys.readouterr().err
