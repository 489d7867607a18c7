"""A small server that collects the answers of a class that does not share a folder.

    python -m tools.dashboard.answer_server FOLDER --address 192.168.1.5

The server writes a file for each student to FOLDER; `ClassAnswers("FOLDER")` in a notebook shows
them.  Students run `share("http://192.168.1.5:8321/")`; the page of the server shows this
line in large print.  Only computers that can reach the address can send answers; without --address,
only this computer can.  Pages in a browser can send answers if they belong to the site in --site.
Browsers let a page of an https site send to its own computer only.
"""

import argparse
import json
import re
import sys
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

import segno

from course.exercises import activity_log, upload

MAX_BYTES = 65_536  # of the answers of one student; `ClassAnswers` has the same limit
LOG_ID_PATTERN = re.compile(rf"({activity_log.TAB_PREFIX})?[0-9a-f]{{8}}")
MAX_STUDENTS = 500
MIN_SECONDS_BETWEEN_POSTS = 0.2  # of one student
MAX_CONNECTIONS = 200
PAGE = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Share your answers</title>
<body style="font: 3vw sans-serif; margin: 4vw"><p>In your notebook, in a cell of its own:</p>
<p style="font: bold 4vw monospace">from course import share<br>share("{url}")</p>{code}</html>
"""  # the QR code opens this page on the devices of students who cannot read the screen


def parse_answers(body: bytes) -> tuple[str, list[activity_log.LogEntry]]:
    """Return the id of a log and its answers; "" and no answers if no notebook sends such data.

    A notebook that tests the connection sends an empty list.
    """
    with suppress(ValueError, RecursionError):
        data = json.loads(body)
        name, *more = data if isinstance(data, dict) else [""]
        if LOG_ID_PATTERN.fullmatch(name) and not more:
            log = activity_log.merge_logs([data]).get(name, [])
            events = [event for event in log if event["kind"] in activity_log.ANSWER_KINDS]
            return (name, events) if events or data[name] == [] else ("", [])
    return "", []


class AnswerServer(ThreadingHTTPServer):
    """The server of a class; students pass its `url` to `share`."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, folder: Path, address: tuple[str, int], site: str = "") -> None:
        super().__init__(address, AnswerRequestHandler)
        self.folder, self.site = folder, site.rstrip("/")
        self.url = f"http://{address[0]}:{self.server_port}/"
        self._latest: dict[str, float] = {}  # the time of each student's last answers
        self._lock, self._free = threading.Lock(), threading.Semaphore(MAX_CONNECTIONS)

    def store_answers(self, body: bytes) -> int:
        """Store the answers of one student, and return the status code of HTTP."""
        name, events = parse_answers(body)
        if not name:
            return 400
        if not events:
            return 204
        with self._lock:
            if name not in self._latest and len(self._latest) >= MAX_STUDENTS:
                return 503
            if monotonic() - self._latest.get(name, -inf) < MIN_SECONDS_BETWEEN_POSTS:
                return 429
            self._latest[name] = monotonic()
        upload.write(self.folder, name, events)
        return 204

    def process_request(self, request: Any, client_address: Any) -> None:
        """Handle a request, or close it if there are too many; notebooks then try again."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Handle a request in its own thread."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing if a client closes its connection early."""


class AnswerRequestHandler(BaseHTTPRequestHandler):
    """The handler of one request, which closes slow connections after `timeout` seconds."""

    server: AnswerServer
    timeout = 10

    def do_GET(self) -> None:
        """Send the page that shows the line for students to run."""
        url = self.server.url
        self._respond(200, PAGE.format(url=url, code=segno.make(url).svg_inline(scale=8)).encode())

    def do_POST(self) -> None:
        """Store the answers that a notebook sends."""
        length = self.headers.get("Content-Length", "")
        if self.headers.get("Origin", self.server.site) != self.server.site:
            self._respond(403)
        elif not (length.isascii() and length.isdecimal()) or len(length) > 6:
            self._respond(411)
        else:  # a body that is too large is read, too, because clients send all of it first
            body = self.rfile.read(int(length))
            self._respond(413 if len(body) > MAX_BYTES else self.server.store_answers(body))

    def _respond(self, status: int, page: bytes = b"") -> None:
        self.send_response(status)
        if self.server.site:
            self.send_header("Access-Control-Allow-Origin", self.server.site)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, format: str, *_: object) -> None:
        """Print nothing, because a request may contain anything."""


def main(arguments: list[str] | None = None) -> int:
    """Run the server until Ctrl-C and return 0; return 1 if it cannot be started."""
    raw = argparse.RawDescriptionHelpFormatter
    name = "python -m tools.dashboard.answer_server"
    parser = argparse.ArgumentParser(name, None, __doc__, formatter_class=raw)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where to write the answers")
    parser.add_argument("--address", default="127.0.0.1", help="the address of this computer")
    parser.add_argument("--port", type=int, default=8321)
    parser.add_argument("--site", default="", metavar="URL", help="a site whose pages may send")
    options = parser.parse_args(arguments)
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
        server = AnswerServer(options.folder, (options.address, options.port), options.site)
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    print(f'from course import share\nshare("{server.url}")\n\nCtrl-C ends it.', flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
