"""An assistant that replies in every way there is: `ask("exit 3")` gives the reply of that kind, `ask("good 3")` an answer.

Read by the kit as any assistant is, from a file; it knows nothing of the tests.
"""

import asyncio
import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path


class _Odd:
    """An object nothing can be done with."""

    def __str__(self):
        raise ValueError("no words")

    __repr__ = __hash__ = __len__ = __iter__ = __bool__ = __eq__ = __str__


class _Dict(dict):
    def get(self, *_):
        raise RuntimeError("no key for you")

    __getitem__ = __contains__ = keys = items = get


class _Unprintable(Exception):
    def __str__(self):
        raise ValueError("no words")


def _loop():
    while True:
        pass


def _raise(problem):
    raise problem


def _recurse(n=0):
    return _recurse(n + 1)


def _nested(depth):
    found = []
    for _ in range(depth):
        found = [found]
    return found


def _of_itself():
    found = {"answer": "a"}
    found["contexts"] = [found]
    return found


def _patched():
    """Replaces what an examiner would use; says nothing wrong itself."""
    import builtins

    builtins.open = json.dumps = json.loads = os.replace = lambda *_, **__: "patched"
    for name, module in list(sys.modules.items()):
        if name.startswith("ragassay") and hasattr(module, "score"):
            module.score = lambda *_, **__: 1.0
    return "patched"


def _on_every_pipe():
    """Writes what a reply might look like into every file that is open, and on into the next question."""
    for number in range(1, 64):
        with contextlib.suppress(OSError):
            os.write(number, b'{"answer": "forged"}\n' * 3)
    return "written"


def _closed():
    os.closerange(0, 64)
    return "closed"


def _elsewhere():
    os.chdir("/")
    os.umask(0o777)
    return "elsewhere"


def _daemon():
    if os.fork() == 0:
        os.setsid()
        time.sleep(2)
        Path("EXECUTED-late").touch()
        os._exit(0)
    return "forked"


def _in_a_thread():
    threading.Thread(target=lambda: (time.sleep(0.05), os._exit(9))).start()
    return "last words"


def _signals():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    signal.alarm(1)
    time.sleep(30)


REPLIES = {
    "text": lambda: "plain",
    "dict": lambda: {"answer": "a", "contexts": ["b"], "context_ids": ["d#p1"], "latency_s": 0.1},
    "none": lambda: None,
    "bytes": lambda: b"bytes",
    "number": lambda: 7,
    "nan": lambda: float("nan"),
    "list": lambda: ["a"],
    "true": lambda: True,
    "empty": lambda: "",
    "space": lambda: " \n\t\u200b",
    "huge": lambda: "x" * 50_000_000,
    "huge contexts": lambda: {"answer": "a", "contexts": ["y" * 1000] * 50_000},
    "nested": lambda: {"answer": "a", "contexts": _nested(5000)},
    "of itself": _of_itself,
    "surrogate": lambda: "\ud800\udfff",
    "nul": lambda: "a\0b\x1b[2J\u202e",
    "no answer": lambda: {"contexts": ["a"]},
    "answer of bytes": lambda: {"answer": b"a"},
    "contexts of text": lambda: {"answer": "a", "contexts": "abc"},
    "contexts of none": lambda: {"answer": "a", "contexts": [None, 3]},
    "ids and contexts": lambda: {"answer": "a", "contexts": ["b"], "context_ids": ["1", "2"]},
    "bad numbers": lambda: {"answer": "a", "latency_s": -1, "cost": float("inf"), "tokens": 10**400},
    "odd": _Odd,
    "odd in a dict": lambda: {"answer": _Odd(), _Odd: 1},
    "odd dict": lambda: _Dict(answer="a"),
    "generator": lambda: (x for x in "abc"),
    "coroutine": lambda: asyncio.sleep(0),
    "lambda": lambda: lambda: None,
    "module": lambda: os,
    "raises": lambda: _raise(ValueError("two\nlines \x1b[31m")),
    "raises unprintable": lambda: _raise(_Unprintable()),
    "exits": lambda: sys.exit(0),
    "exits odd": lambda: sys.exit(_nested(3)),
    "interrupts": lambda: _raise(KeyboardInterrupt()),
    "generator exit": lambda: _raise(GeneratorExit()),
    "memory": lambda: _raise(MemoryError()),
    "recursion": _recurse,
    "exit": lambda: os._exit(0),
    "exit in a thread": _in_a_thread,
    "abort": os.abort,
    "segfault": lambda: ctypes.string_at(0),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "stop": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "hang": lambda: time.sleep(60),
    "loop": _loop,
    "signals": _signals,
    "prints": lambda: print("z" * 1_000_000) or "printed",
    "prints below": lambda: os.write(1, b"z" * 100_000) and os.write(2, b"\x1b[2J" * 1000) and "printed",
    "pipes": _on_every_pipe,
    "closed": _closed,
    "elsewhere": _elsewhere,
    "patched": _patched,
    "shell": lambda: subprocess.run(["true"], check=False) and "shell",
    "daemon": _daemon,
}


def ask(question):
    kind, _, number = question.rpartition(" ")
    return f"answer {number}" if kind == "good" else REPLIES[kind]()
