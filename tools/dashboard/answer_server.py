"""A small server that collects the answers of a class that does not share a folder.

    python -m tools.dashboard.answer_server FOLDER --address 192.168.1.5

The server writes a file for each student to FOLDER; `ClassAnswers("FOLDER")` in a notebook shows
them.  Students run `share("http://192.168.1.5:8321/")`; the page of the server shows this
line in large print.  Only computers that can reach the address can send answers; without --address,
only this computer can.  Pages in a browser can send answers if they belong to the site in --site.
Browsers let a page of an https site send to its own computer only.
"""

import argparse
import asyncio
import json
import re
import sys
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

import segno
from tornado.httpserver import HTTPServer
from tornado.iostream import IOStream
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler

from course.exercises import activity_log, upload

MAX_BYTES = 65_536  # of the answers of one student; `ClassAnswers` has the same limit
MAX_BODY_BYTES = 4 * MAX_BYTES  # bytes of a post that are read, so that its sender gets an answer
MAX_HEADER_BYTES = 16_384  # bytes of the headers of a request
MAX_SECONDS = 10  # seconds for the headers of a request, and again for its body, however it drips
LOG_ID_PATTERN = re.compile(rf"({activity_log.TAB_PREFIX})?[0-9a-f]{{8}}")
MAX_STUDENTS = 500
MAX_NAMES = (
    8  # students of one address that is not shared: a kernel that is started again has another name
)
MIN_SECONDS_BETWEEN_POSTS = 0.2  # of one student
MAX_CONNECTIONS = 20  # connections of one address that is not shared
NAMES_NOTE = (
    "{address} has answered as {number} students; as others it is refused. If a class is behind "
    "this address, such as that of a JupyterHub, start the server with --shared {address}"
)
CONNECTIONS_NOTE = (
    "{address} has {number} connections open; more of them are closed. If a class is behind it, "
    "start the server with --shared {address}"
)
FULL_NOTE = "{number} students have answered; others are refused. Start it again, to begin anew."
PAGE = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Share your answers</title>
<body style="font: 3vw sans-serif; margin: 4vw"><p>In your notebook, in a cell of its own:</p>
<p style="font: bold 4vw monospace">from course import share<br>share("{url}")</p>{code}</html>
"""  # the QR code opens this page on the devices of students who cannot read the screen


def parse_answers(body: bytes) -> tuple[str, list[activity_log.LogEntry]]:
    """Return the id of a log and its answers; "" and no answers if no notebook sends such data.

    A notebook that tests the connection sends an empty list.
    """
    with suppress(ValueError, RecursionError):
        data = json.loads(body.decode())  # as UTF-8, like `ClassAnswers`
        name, *more = data if isinstance(data, dict) else [""]
        if LOG_ID_PATTERN.fullmatch(name) and not more:
            log = activity_log.merge_logs([data]).get(name, [])
            events = [event for event in log if event["kind"] in activity_log.ANSWER_KINDS]
            return (name, events) if events or data[name] == [] else ("", [])
    return "", []


class AnswerServer:
    """The server of a class; students pass its `url` to `share`.

    shared  addresses that belong to many students, such as that of a JupyterHub or a router; any
            other address may be `MAX_NAMES` students and have `MAX_CONNECTIONS` connections
    """

    def __init__(
        self,
        folder: Path,
        address: tuple[str, int],
        site: str = "",
        shared: Collection[str] = (),
    ) -> None:
        self.folder, self.site, self.shared = folder, site.rstrip("/"), frozenset(shared)
        self._sockets = bind_sockets(address[1], address[0])
        self.server_address = address[0], self._sockets[0].getsockname()[1]
        self.url = f"http://{address[0]}:{self.server_address[1]}/"
        self._latest: dict[str, float] = {}  # the time of each student's last answers
        self._names: dict[str, set[str]] = {}  # the students of each address
        self._told: set[str] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = asyncio.Event()

    def store_answers(self, body: bytes, address: str) -> int:
        """Store the answers of one student, and return the status code of HTTP."""
        name, events = parse_answers(body)
        if not name:
            return 400
        names = self._names.setdefault(address, set())
        if name not in names and len(names) >= self.limit_for(address, MAX_NAMES):
            self.tell(NAMES_NOTE, address=address, number=len(names))
            return 503
        if not events:
            return 204
        if name not in self._latest and len(self._latest) >= MAX_STUDENTS:
            self.tell(FULL_NOTE, number=len(self._latest))
            return 503
        if monotonic() - self._latest.get(name, -inf) < MIN_SECONDS_BETWEEN_POSTS:
            return 429
        self._latest[name] = monotonic()
        names.add(name)
        upload.write_bytes(self.folder, name, body)
        return 204

    def limit_for(self, address: str, usual: int) -> int:
        """Return a limit of an address: the usual one, or more if many students share it."""
        return MAX_STUDENTS if address in self.shared else usual

    def tell(self, note: str, **facts: object) -> None:
        """Tell the lecturer once that something is full."""
        words = note.format(**facts)
        if words not in self._told:
            self._told.add(words)
            print(words, file=sys.stderr, flush=True)

    def serve_forever(self) -> None:
        """Serve until `shutdown`."""
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        application = Application(
            [(r".*", AnswerRequestHandler)],
            answers=self,
            # It prints nothing, because a request may contain anything.
            log_function=lambda handler: None,
        )
        server = _LimitedServer(
            application,
            max_header_size=MAX_HEADER_BYTES,
            max_body_size=MAX_BODY_BYTES,
            idle_connection_timeout=MAX_SECONDS,
            body_timeout=MAX_SECONDS,
        )
        server.answers = self
        server.add_sockets(self._sockets)
        await self._ended.wait()
        server.stop()
        await server.close_all_connections()

    def shutdown(self) -> None:
        """End `serve_forever`, from another thread."""
        if self._loop:
            self._loop.call_soon_threadsafe(self._ended.set)


class _LimitedServer(HTTPServer):
    """Closes connections of an address that has too many of them."""

    answers: AnswerServer

    def initialize(self, *arguments: Any, **options: Any) -> None:
        """Begin without connections."""
        super().initialize(*arguments, **options)
        self._open: Counter[str] = Counter()
        self._address_of: dict[Any, str] = {}

    def handle_stream(self, stream: IOStream, address: tuple[str, int]) -> None:
        """Serve a connection, if its address has not too many."""
        if self._open[address[0]] >= self.answers.limit_for(address[0], MAX_CONNECTIONS):
            number = self._open[address[0]]
            self.answers.tell(CONNECTIONS_NOTE, address=address[0], number=number)
            stream.close()
            return
        self._open[address[0]] += 1
        self._address_of[stream] = address[0]
        super().handle_stream(stream, address)

    def on_close(self, server_conn: Any) -> None:
        """Let the address open another one."""
        super().on_close(server_conn)
        self._open[self._address_of.pop(server_conn.stream)] -= 1


class AnswerRequestHandler(RequestHandler):
    """The handler of one request."""

    @property
    def answers(self) -> AnswerServer:
        """The server of the class."""
        server: AnswerServer = self.settings["answers"]
        return server

    def set_default_headers(self) -> None:
        """Say nothing of the server, and let pages of the site read the answer."""
        self.clear_header("Server")
        if self.answers.site:
            self.set_header("Access-Control-Allow-Origin", self.answers.site)

    def get(self) -> None:
        """Send the page that shows the line for students to run."""
        url = self.answers.url
        self.finish(PAGE.format(url=url, code=segno.make(url).svg_inline(scale=8)))

    def post(self) -> None:
        """Store the answers that a notebook sends."""
        body, site = self.request.body, self.answers.site
        if self.request.headers.get("Origin", site) != site:
            status = 403
        elif len(body) > MAX_BYTES:
            status = 413
        else:
            status = self.answers.store_answers(body, str(self.request.remote_ip))
        self.set_status(status)
        self.finish()


def main(arguments: list[str] | None = None) -> int:
    """Run the server until Ctrl-C and return 0; return 1 if it cannot be started."""
    raw = argparse.RawDescriptionHelpFormatter
    name = "python -m tools.dashboard.answer_server"
    parser = argparse.ArgumentParser(name, None, __doc__, formatter_class=raw)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where to write the answers")
    parser.add_argument("--address", default="127.0.0.1", help="the address of this computer")
    parser.add_argument("--port", type=int, default=8321)
    parser.add_argument("--site", default="", metavar="URL", help="a site whose pages may send")
    text = "an address of many students, such as that of a JupyterHub; may be given several times"
    parser.add_argument("--shared", action="append", default=[], metavar="ADDRESS", help=text)
    options = parser.parse_args(arguments)
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
        address = options.address, options.port
        server = AnswerServer(options.folder, address, options.site, options.shared)
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    print(f'from course import share\nshare("{server.url}")\n\nCtrl-C ends it.', flush=True)
    with suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
