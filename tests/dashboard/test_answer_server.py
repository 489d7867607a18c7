"""Live answers without a shared folder: all that is right arrives, and nothing else is kept."""

import json
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from time import sleep
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from classroom import AMOUNT

from course import ClassAnswers
from course.exercises import upload
from tools.dashboard.answer_server import MAX_BYTES, MAX_NAMES, MAX_STUDENTS, AnswerServer, main

SITE = "https://course.example"
HUB = "127.0.1.1"  # an address that the class shares


def log(*events):
    return [{"n": n} | event for n, event in enumerate(events)]


def guess(number, **facts):
    return {"kind": "guess", "key": AMOUNT, "guess": number} | facts


def body(student, *events):
    return json.dumps({f"{student:08x}": log(*events)}).encode()


@pytest.fixture
def desk(tmp_path):
    desk = AnswerServer(tmp_path, ("127.0.0.1", 0), SITE, [HUB])
    serving = threading.Thread(target=desk.serve_forever, daemon=True)
    serving.start()
    yield desk
    desk.shutdown()
    serving.join()


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


def post_from(address, desk, data):
    """Return the status of the answer to a post that comes from an address of this computer."""
    line = HTTPConnection(*desk.server_address, timeout=60, source_address=(address, 0))
    try:
        line.request("POST", "/", data)
        return line.getresponse().status
    finally:
        line.close()


def attack(desk):
    """Send 500 names and 1,000 malformed posts from one address, beside 200 connections."""
    for number in range(500):
        with suppress(OSError, HTTPException):
            post_from("127.0.0.1", desk, body(10**6 + number, guess(9)))
    for number in range(1000):
        with suppress(OSError, HTTPException):
            post_from("127.0.0.1", desk, [*BAD.values()][number % len(BAD)])


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a computer has fewer addresses")
@pytest.mark.parametrize("address", ["127.0.1.{}", HUB], ids=["own computers", "hub"])
def test_class_of_120_arrives_despite_attack(desk, screen, capfd, address):
    dripping = [socket.create_connection(desk.server_address) for _ in range(200)]
    for each in dripping:
        with suppress(OSError):
            each.send(b"POST / HTTP/1.1\r\nContent-Length: 9")
    attacker = threading.Thread(target=attack, args=[desk])
    attacker.start()

    def send(number):
        return post_from(address.format(number + 1), desk, body(number, guess(number % 3)))

    with ThreadPoolExecutor(40) as students:
        assert set(students.map(send, range(120))) == {204}
    for each in dripping:
        each.close()
    attacker.join()
    assert [count for label, count in told(screen) if label in "012"] == [40, 40, 40]
    assert sum(count for label, count in told(screen) if label not in "012") <= MAX_NAMES
    assert "127.0.0.1 has" in capfd.readouterr().err


def test_full_address_is_rejected_and_reported_once(desk, capfd):
    found = [post(desk, body(n, guess(5)))[0] for n in range(MAX_NAMES + 3)]
    assert found == [204] * MAX_NAMES + [503] * 3
    assert capfd.readouterr().err.count("--shared") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a computer has fewer addresses")
def test_hub_has_connections_for_whole_class(desk, capfd):
    lines = [HTTPConnection(*desk.server_address, source_address=(HUB, 0)) for _ in range(120)]
    for line in lines:
        line.connect()
    for number, line in enumerate(lines):
        line.request("POST", "/", body(number, guess(5)))
    assert {line.getresponse().status for line in lines} == {204}
    for line in lines:
        line.close()
    assert capfd.readouterr().err == ""


def test_request_that_drips_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr("tools.dashboard.answer_server.MAX_SECONDS", 0.5)
    desk = AnswerServer(tmp_path, ("127.0.0.1", 0))
    threading.Thread(target=desk.serve_forever, daemon=True).start()
    with socket.create_connection(desk.server_address, timeout=0.1) as raw:
        raw.sendall(b"POST / HTTP/1.1\r\nContent-Length: 99\r\n\r\n")
        for _ in range(100):
            try:
                raw.sendall(b"x")
                if raw.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        else:
            pytest.fail("a post of ten bytes a second is still open")
    desk.shutdown()


@pytest.mark.parametrize("text", ["é" * 30_000, "\ud800" * 5000])
def test_post_is_stored_as_it_came(desk, tmp_path, text):
    data = json.dumps({"00000001": log(guess(5, note=text))}, ensure_ascii="\ud800" in text)
    assert post(desk, data.encode())[0] == 204
    assert (tmp_path / "00000001.json").read_bytes() == data.encode()


BAD = {
    "nothing": b"",
    "no JSON": b"\xff{",
    "no records": b"[1]",
    "deep": b"[" * 60_000,
    "no events": body(9, {"kind": "guess"}),
    "no kind": body(9, {"kind": "attempt", "key": AMOUNT}),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_malformed_post_is_rejected_without_loss(desk, screen, tmp_path, bad):
    assert post(desk, body(1, guess(5)))[0] == 204
    assert post(desk, bad)[0] == 400
    assert [file.name for file in tmp_path.iterdir()] == ["00000001.json"]
    assert told(screen) == [("5", 1)]


@pytest.mark.parametrize("name", ["../../evil", "", "0000000g", "00000001/../2", "x" * 999])
def test_unknown_log_id_is_rejected(desk, tmp_path, name):
    assert post(desk, json.dumps({name: log(guess(1))}).encode())[0] == 400
    assert list(tmp_path.iterdir()) == []


def test_excessive_posts_are_rejected(desk, monkeypatch):
    assert post(desk, b" " * (MAX_BYTES + 1))[0] == 413
    monkeypatch.setattr("tools.dashboard.answer_server.MIN_SECONDS_BETWEEN_POSTS", 1e9)
    assert [post(desk, body(1, guess(5)))[0] for _ in range(2)] == [204, 429]
    monkeypatch.setattr("tools.dashboard.answer_server.MAX_STUDENTS", 1)
    assert post(desk, body(2, guess(5)))[0] == 503
    assert MAX_STUDENTS >= 300


@pytest.mark.parametrize("length", ["-1", "x", "", "9" * 500, "\u0661"])
def test_invalid_content_length_is_rejected(desk, length):
    with socket.create_connection(desk.server_address, timeout=60) as raw:
        raw.sendall(f"POST / HTTP/1.0\r\nContent-Length: {length}\r\n\r\n".encode())
        assert raw.recv(100).split()[1] in (b"411", b"400")


def test_silent_client_does_not_block_others(desk):
    silent = [socket.create_connection(desk.server_address) for _ in range(15)]
    assert post(desk, body(1, guess(5)))[0] == 204
    for each in silent:
        each.close()


def test_only_pages_of_site_may_post(desk):
    status, headers = post(desk, body(1, guess(5)), Origin=SITE)
    assert (status, headers["Access-Control-Allow-Origin"]) == (204, SITE)
    assert post(desk, body(2, guess(5)), Origin="https://evil.example")[0] == 403


def test_server_page_shows_command_for_students(desk):
    with urlopen(desk.url) as page:
        assert f'share("{desk.url}")</p><svg' in page.read().decode()


def test_retried_upload_arrives_once_server_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(upload, "RETRY_SECONDS", [0, *[0.01] * 1000])
    with socket.create_server(("127.0.0.1", 0)) as place:
        address = place.getsockname()
    sent = upload.AnswerUploader(f"http://127.0.0.1:{address[1]}/")
    sent.send(log(guess(5)))
    desk = AnswerServer(tmp_path, address)
    threading.Thread(target=desk.serve_forever, daemon=True).start()
    while not list(tmp_path.glob("*.json")):
        sleep(0.01)
    desk.shutdown()


def test_unusable_folder_is_reported(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert main([str(tmp_path / "file")]) == 1
    assert "File exists" in capsys.readouterr().err
