"""A notebook says within seconds whether its answers arrive at the lecturer's server."""

import json
import re
import socket
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from time import monotonic, sleep

import pytest

from course import Predict, share
from course.exercises import activity_log, upload
from course.widgets import sharing
from tests.exercises.test_activity_log import Publisher

TIMES = 20.0  # seconds: a machine with other work is slow


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(upload, "RETRY_SECONDS", (0, 0.05))
    monkeypatch.setattr(activity_log, "LOG_ID", "0123abcd")
    monkeypatch.setattr(activity_log, "_events", [])
    monkeypatch.setattr(activity_log, "_listeners", [])


@contextmanager
def server(status, port=0):
    """Yield a server that answers each post with a status, and the list of what came."""
    came = []

    class Visit(BaseHTTPRequestHandler):
        def do_POST(self):
            came.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    listening = HTTPServer(("127.0.0.1", port), Visit)
    threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.server_port}/", came
    finally:
        listening.shutdown()
        listening.server_close()


def until(true):
    end = monotonic() + TIMES
    while not true():
        assert monotonic() < end, "nothing happened"
        sleep(0.01)


def test_notice_says_that_answers_arrive():
    with server(204) as (url, came):
        assert f"Your answers arrive at the lecturer's server, {url}." in repr(share(url))
        Predict("How many?").answer(3)
        until(lambda: len(came) == 2)
    assert came[0] == {"0123abcd": []}  # the question whether they would
    assert came[1]["0123abcd"][0]["guess"] == 3


@pytest.mark.parametrize("status", [*upload.REFUSED, 200, 404, 500])
def test_notice_says_why_server_refuses(status):
    with server(status) as (url, _):
        assert re.search(rf"do NOT arrive at {url}: .*\({status}\)", repr(share(url)))


def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as place:
        return place.getsockname()[1]


def raw(answer):
    """Return the port of a server that answers with these bytes, whatever is asked."""
    listening = socket.create_server(("127.0.0.1", 0))

    def visits():
        for _ in range(100):
            visit, _ = listening.accept()
            visit.recv(65536)
            visit.sendall(answer)
            visit.close()

    threading.Thread(target=visits, daemon=True).start()
    return listening.getsockname()[1]


UNREACHED = {
    "stopped": (
        lambda: f"http://127.0.0.1:{closed_port()}/",
        "no server is listening at 127.0.0.1",
    ),
    "misspelt": (lambda: "http://no-such-computer.invalid:8321/", "no computer named no-such"),
    "nothing": (lambda: f"http://127.0.0.1:{raw(b'')}/", "(RemoteDisconnected|ConnectionReset)"),
    "no HTTP": (
        lambda: f"http://127.0.0.1:{raw(b'SSH-2.0-x')}/",
        "(BadStatusLine|ConnectionReset)",
    ),
    "no https": (lambda: f"https://127.0.0.1:{raw(b'HTTP/1.0 400 ?')}/", "does not use https"),
}


@pytest.mark.parametrize(("address", "words"), UNREACHED.values(), ids=UNREACHED)
def test_notice_says_that_server_is_unreachable(address, words, monkeypatch):
    monkeypatch.setattr(sharing, "FIRST_ANSWER", TIMES)
    url = address()
    assert re.search(rf"do NOT arrive at {url}: .*{words}", repr(share(url)))


def test_silent_server_is_reported(monkeypatch):
    monkeypatch.setattr(upload, "SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as place:
        shared = share(f"http://127.0.0.1:{place.getsockname()[1]}/")
        until(lambda: "127.0.0.1 does not answer" in repr(shared))


def test_notice_changes_when_server_stops_and_returns():
    shell = Publisher()
    with server(204) as (url, _):
        shared = share(url)
        shared._shell = shell
    Predict("How many?").answer(3)
    until(lambda: "do NOT arrive" in repr(shared))
    with server(204, int(url[:-1].rpartition(":")[2])) as (_, came):
        until(lambda: "Your answers arrive" in repr(shared))
    assert came[-1]["0123abcd"][0]["guess"] == 3
    texts = [text for text, *_ in shell.published]
    assert any("do NOT arrive" in text for text in texts)
    assert "Your answers arrive" in texts[-1]


def test_failing_page_update_does_not_stop_upload():
    with server(204) as (url, came):
        post = upload.AnswerUploader(url)
        post.on_change = lambda: 1 / 0
        for number in range(3):
            post.send([{"n": number}])
            until(lambda n=number: {"0123abcd": [{"n": n}]} in came)


WRONG = [
    "http://",
    "http:///",
    "http://[::1/",
    "http://127.0.0.1:88 18/",
    "http://127.0.0.1:8818/here and there",
    "http://127.0.0.1:x/",
    "http://127.0.0.1:99999/",
    "http://127.0.0.1:8\u0661/",
    "http:127.0.0.1:8321",
    "https://\x1b[2J/",
]


@pytest.mark.parametrize("place", WRONG)
def test_invalid_address_raises(place):
    with pytest.raises(ValueError, match="exactly as on the lecturer's screen; got"):
        share(place)


@pytest.mark.parametrize("change", [str.upper, lambda url: f" {url}\n"])
def test_address_ignores_case_and_surrounding_blanks(change):
    with server(204) as (url, _):
        assert "Your answers arrive" in repr(share(change(url)))
