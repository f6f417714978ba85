"""A server on this machine that answers as it is told, and remembers what it was asked."""

import contextlib
import json
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

GOOD = {"answer": "Six dollars.", "contexts": ["The fee is $6."], "context_ids": ["fees#1"]}


class LoopbackServer:
    """Serves on a free port of this machine while it is entered.

    handler : answers each request; it knows this server as `told`
    context : for TLS
    """

    def __init__(self, handler: type[BaseHTTPRequestHandler], context: ssl.SSLContext | None = None):
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (handler,), {"told": self}))
        self._server.daemon_threads = True
        if context:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.host = f"127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        serve = {"poll_interval": 0.01}
        threading.Thread(target=self._server.serve_forever, kwargs=serve, daemon=True).start()
        return self

    def __exit__(self, *problem) -> None:
        self._server.shutdown()
        self._server.server_close()


class Loopback(LoopbackServer):
    """What it is asked goes to `act`; `heard` holds every request.

    act : what happens to a request: takes the handler and what it was sent as JSON
    context : for TLS
    """

    def __init__(self, act: Callable[["Handler", Any], None], context: ssl.SSLContext | None = None):
        self.act, self.heard, self.lock = act, [], threading.Lock()
        super().__init__(Handler, context)
        self.url = f"http{'s' if context else ''}://{self.host}/ask"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    told: Loopback

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = json.loads(sent) if sent else {}
        with self.told.lock:
            self.told.heard.append({"path": self.path, "headers": dict(self.headers), "body": asked})
        self.told.act(self, asked)

    do_GET = do_POST

    def reply(self, body: Any, code: int = 200, kind: str = "application/json", **headers: str) -> None:
        """A whole reply: bytes as they are, anything else as JSON."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.begin(code, kind, headers | {"Content-Length": str(len(content))})
        with contextlib.suppress(OSError):
            self.wfile.write(content)

    def begin(self, code: int, kind: str, headers: dict[str, str]) -> None:
        self.send_response(code)
        for name, value in ({"Content-Type": kind} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def end_early(self, body: bytes) -> None:
        """Less of a body than was announced, then the connection is closed in good order."""
        self.begin(200, "application/json", {"Content-Length": str(2 * len(body) + 10)})
        self.wfile.write(body)
        self.wfile.flush()
        self.close_connection = True

    def reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def drip(self, seconds: float) -> None:
        """A body that comes sign by sign."""
        self.begin(200, "application/json", {"Content-Length": "1000000"})
        ends = time.monotonic() + seconds
        with contextlib.suppress(OSError):
            while time.monotonic() < ends:
                self.wfile.write(b" ")
                time.sleep(0.01)
        self.close_connection = True

    def handle(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # the other side is gone, or we reset
            super().handle()

    def finish(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            super().finish()

    def log_message(self, *arguments) -> None:
        pass


def good(handler: Handler, asked: Any) -> None:
    handler.reply(GOOD)
