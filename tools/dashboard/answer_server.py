"""A small server for the answers of a class, where no folder is shared.

    python -m tools.dashboard.answer_server FOLDER --address 192.168.1.5

FOLDER gets a file for each student; `ClassAnswers("FOLDER")` in a notebook shows what of them the
course knows.  Students
run `share("http://192.168.1.5:8321/")`: the page of the server says so in large print.  Only
computers that reach this address can send: without --address that is this one.  A page in a browser
may send if it is of --site, and that of an https site to this computer only: browsers want it so.
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

MAX_BYTES = 65_536  # of what one student has answered, as the screen has it
LOG_ID_PATTERN = re.compile(rf"({activity_log.TAB_PREFIX})?[0-9a-f]{{8}}")
MAX_STUDENTS = 500
MIN_SECONDS_BETWEEN_POSTS = 0.2  # seconds between two files of one student
MAX_CONNECTIONS = 200  # connections
PAGE = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Share your answers</title>
<body style="font: 3vw sans-serif; margin: 4vw"><p>In your notebook, in a cell of its own:</p>
<p style="font: bold 4vw monospace">from course import share<br>share("{url}")</p>{code}</html>
"""  # its QR code brings this page, to copy from, to the screen of who sits far away


def parse_answers(body: bytes) -> tuple[str, list[activity_log.LogEntry]]:
    """Return a student's name and answers; no name if this is nothing that a notebook sends.

    A notebook that asks whether its answers would arrive sends an empty list.
    """
    with suppress(ValueError, RecursionError):
        found = json.loads(body)
        name, *more = found if isinstance(found, dict) else [""]
        if LOG_ID_PATTERN.fullmatch(name) and not more:
            log = activity_log.merge_logs([found]).get(name, [])
            events = [event for event in log if event["kind"] in activity_log.ANSWER_KINDS]
            return (name, events) if events or found[name] == [] else ("", [])
    return "", []


class AnswerServer(ThreadingHTTPServer):
    """Takes in the answers of a class; `url` is what students share with."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, folder: Path, address: tuple[str, int], site: str = "") -> None:
        super().__init__(address, AnswerRequestHandler)
        self.folder, self.site = folder, site.rstrip("/")
        self.url = f"http://{address[0]}:{self.server_port}/"
        self._latest: dict[str, float] = {}  # when a student was last heard
        self._lock, self._free = threading.Lock(), threading.Semaphore(MAX_CONNECTIONS)

    def store_answers(self, body: bytes) -> int:
        """Keep what one student has answered; return the status of HTTP."""
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
        """Answer, unless too many are being answered: these try again."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer in a thread of its own."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a visitor who left in the middle."""


class AnswerRequestHandler(BaseHTTPRequestHandler):
    """One request; whoever is slow is left alone."""

    server: AnswerServer
    timeout = 10

    def do_GET(self) -> None:
        """Say what students are to run."""
        url = self.server.url
        self._respond(200, PAGE.format(url=url, code=segno.make(url).svg_inline(scale=8)).encode())

    def do_POST(self) -> None:
        """Take in answers."""
        length = self.headers.get("Content-Length", "")
        if self.headers.get("Origin", self.server.site) != self.server.site:
            self._respond(403)
        elif not (length.isascii() and length.isdecimal()) or len(length) > 6:
            self._respond(411)
        else:  # what is too large is read, too: who sends it waits for the end before the answer
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
        """Print nothing: what is asked for may hold anything."""


def main(arguments: list[str] | None = None) -> int:
    """Serve until Ctrl-C."""
    raw = argparse.RawDescriptionHelpFormatter
    name = "python -m tools.dashboard.answer_server"
    parser = argparse.ArgumentParser(name, None, __doc__, formatter_class=raw)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--address", default="127.0.0.1", help="to listen at")
    parser.add_argument("--port", type=int, default=8321)
    parser.add_argument("--site", default="", metavar="URL", help="whose pages may send, too")
    options = parser.parse_args(arguments)
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
        desk = AnswerServer(options.folder, (options.address, options.port), options.site)
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    print(f'from course import share\nshare("{desk.url}")\n\nCtrl-C ends it.', flush=True)
    try:
        desk.serve_forever()
    except KeyboardInterrupt:
        desk.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
