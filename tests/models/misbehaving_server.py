"""A local chat-completions server that misbehaves as told, and remembers what it was asked and what it was paid for.

Each act takes the handler and the reply that a good server would give, and answers the request in its own way. A script says which act comes
when: `script(prompt, nth)` for the nth request (from 0) of a prompt, of which it sees the user's part.
"""

import contextlib
import json
import select
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

from assistants.loopback import LoopbackServer

Act = Callable[["_Handler", str], bool]  # whether a whole reply went out
GOOD_USAGE = {"prompt_tokens": 100, "completion_tokens": 10}


def completion(text, finish="stop", usage=GOOD_USAGE) -> dict:
    """A chat completion that says `text`."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    by = {"object": "chat.completion", "model": "rule-1", "system_fingerprint": "fp"}
    return by | {"choices": [choice], "usage": usage}


def good(handler, text) -> bool:
    return handler.send(200, completion(text))


def says(text, finish="stop", usage=GOOD_USAGE) -> Act:
    """A well-formed completion with this text, whatever the prompt."""
    return lambda handler, _: handler.send(200, completion(text, finish, usage))


def altered(change: Callable[[str], str]) -> Act:
    """The good reply, changed."""
    return lambda handler, text: handler.send(200, completion(change(text)))


def body(content: bytes, kind: str = "application/json") -> Act:
    """Status 200 with this body."""
    return lambda handler, _: handler.send_bytes(200, content, {"Content-Type": kind}) and False


def status(code: int, **headers) -> Act:
    """An HTTP error; header names with _ for -."""
    named = {name.replace("_", "-"): str(value) for name, value in headers.items()}
    said = {"error": {"message": f"this is error {code}"}}
    return lambda handler, _: handler.send(code, said, named) and False


def hangs(seconds: float) -> Act:
    """Nothing for so long, then the good reply, if anyone still waits for it."""

    def act(handler, text) -> bool:
        gone, _, _ = select.select([handler.connection], [], [], seconds)
        if gone:
            handler.close_connection = True
            return False
        return good(handler, text)

    return act


def drips(seconds: float, code: int = 200) -> Act:
    """A body that comes sign by sign and never ends well."""

    def act(handler, _) -> bool:
        handler.head(code, {"Content-Length": "1000000"})
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.02)
        return False

    return act


def breaks_off(handler, text) -> bool:
    """Half of the body, then the connection is closed."""
    content = json.dumps(completion(text)).encode()
    handler.head(200, {"Content-Length": str(len(content))})
    handler.wfile.write(content[: len(content) // 2])
    handler.close_connection = True
    return False


def floods(handler, _) -> bool:
    """More than anyone should read."""
    handler.head(200, {"Content-Length": str(200_000_000)})
    with contextlib.suppress(OSError):
        for _ in range(200):
            handler.wfile.write(b" " * 1_000_000)
    return False


class MisbehavingServer(LoopbackServer):
    """Chat completions by script.

    Parameters
    ----------
    reply : the good reply to a prompt (system, user)
    script : which act answers the nth request of a prompt

    asked, whole : requests and whole replies sent, by prompt (system, user)
    """

    def __init__(
        self, reply: Callable[[str, str], str], script: Callable[[str, int], Act] = lambda prompt, nth: good
    ):
        self.reply, self.script = reply, script
        self.asked, self.bodies, self.headers = Counter[tuple[str, str]](), list[dict](), list[dict]()
        self.whole = Counter[tuple[str, str]]()
        self.lock = threading.Lock()
        super().__init__(_Handler)
        self.url = f"http://{self.host}/v1"


class _Handler(BaseHTTPRequestHandler):
    told: MisbehavingServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each reply would wait 40 ms

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        system, user = (message["content"] for message in asked["messages"])
        act = self._noted(asked, system, user)
        with contextlib.suppress(OSError):
            whole = act(self, self.told.reply(system, user))
            with self.told.lock:
                self.told.whole[system, user] += whole

    def _noted(self, asked: dict, system: str, user: str) -> Act:
        told, headers = self.told, {name.lower(): value for name, value in self.headers.items()}
        with told.lock:
            nth = told.asked[system, user]
            told.asked[system, user] += 1
            told.bodies.append(asked)
            told.headers.append(headers | {"path": self.path})
        return told.script(user, nth)

    def do_GET(self) -> None:
        with self.told.lock:
            self.told.headers.append({"path": self.path})
        self.send(200, {})

    def send(self, code: int, said: object, headers: dict | None = None) -> bool:
        kind = {"Content-Type": "application/json"}
        return self.send_bytes(code, json.dumps(said).encode(), kind | (headers or {}))

    def send_bytes(self, code: int, content: bytes, headers: dict) -> bool:
        self.head(code, {"Content-Length": str(len(content)), **headers})
        self.wfile.write(content)
        return True

    def head(self, code: int, headers: dict) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *arguments) -> None:
        pass
