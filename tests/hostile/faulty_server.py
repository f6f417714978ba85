"""A local assistant over HTTP of which three replies in ten are no answer, each in another way; its version can be changed."""

import contextlib
import json
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from urllib.parse import parse_qs, urlparse

ASSISTANT = """
import json
import urllib.request

ADDRESS = "{address}"


def _get(path):
    with urllib.request.urlopen(ADDRESS + path, timeout=1) as reply:
        return json.loads(reply.read(1_000_000))


def identity():
    return _get("/identity")["version"]


def ask(question):
    return _get("/ask?q=" + urllib.request.quote(question))
"""


class FaultyServer:
    """Serves on a free port while it is entered.

    Parameters
    ----------
    share : of the answers that fail, 0 to 1; asking for the version never does
    change_after : answers after which the version is another; None keeps it
    """

    def __init__(self, seed: int, share: float = 0.3, change_after: int | None = None):
        self.version, self.share, self.change_after = "v1", share, change_after
        self.random, self.lock = Random(seed), threading.Lock()
        self.asked = self.failed = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def allowed(self) -> str:
        """Its host and port, as a seal is told."""
        return f"127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "FaultyServer":
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"told": self}))
        self._server.daemon_threads = True
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()
        return self

    def __exit__(self, *problem) -> None:
        self._server.shutdown()
        self._server.server_close()

    def turn(self) -> tuple[str, str]:
        """What happens to this request, and the version that answers it."""
        with self.lock:
            self.asked += 1
            if self.asked == self.change_after:
                self.version = "v2"
            fails = self.random.random() < self.share
            self.failed += fails
            return (self.random.choice(list(FAULTS)) if fails else "", self.version)


class _Handler(BaseHTTPRequestHandler):
    told: FaultyServer

    def do_GET(self) -> None:
        asked = urlparse(self.path)
        if asked.path == "/identity":
            self.reply(200, json.dumps({"version": self.told.version}).encode())
            return
        fault, version = self.told.turn()
        question = parse_qs(asked.query).get("q", [""])[0]
        good = json.dumps({"answer": f"{version} answers {question}", "contexts": ["a passage"]}).encode()
        FAULTS[fault](self, good) if fault else self.reply(200, good)

    def reply(self, code: int, body: bytes, length: int | None = None, **headers: str) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def handle(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # the other side was killed, or we reset
            super().handle()

    def finish(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            super().finish()

    def log_message(self, *arguments) -> None:
        pass


def _slow(handler: _Handler, good: bytes) -> None:
    time.sleep(1.2)
    handler.reply(200, good)


FAULTS = {
    "reset": lambda handler, good: handler.reset(),
    "500": lambda handler, good: handler.reply(500, b"oops"),
    "429": lambda handler, good: handler.reply(429, b"{}", Retry_After="1"),
    "cut": lambda handler, good: handler.reply(200, good[: len(good) // 2], length=len(good)),
    "no JSON": lambda handler, good: handler.reply(200, b"<html>not JSON"),
    "slow": _slow,
    "empty": lambda handler, good: handler.reply(200, b""),
    "null": lambda handler, good: handler.reply(200, b"null"),
    "wrong types": lambda handler, good: handler.reply(200, b'{"answer": 7, "contexts": "x"}'),
    "huge": lambda handler, good: handler.reply(200, b'{"answer": "' + b"x" * 3_000_000 + b'"}'),
    "NaN": lambda handler, good: handler.reply(200, b'{"answer": "a", "latency_s": NaN, "cost": -1}'),
}
