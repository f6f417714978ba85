"""The examiner's side of the assistant's process: it starts it, asks, and ends it; it believes nothing it is
sent.

An assistant that exits, crashes, hangs or sends something else than an answer leaves a row with the reason:
its whole process group is killed and it is started again for the next question, in a fresh folder.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ragassay import provenance
from ragassay.assistant.reply_validation import HOOKS, clean, row_of, row_without_answer
from ragassay.assistant.worker import (
    ERROR_LIMIT,
    MOST_SAID,
    OWN_FOLDER_PREFIX,
    Order,
    Pipe,
    hide_what_differs,
)
from ragassay.errors import SystemUnderTestError

SECRETS = "RAGASSAY_TRACE RAGASSAY_PROGRESS RAGASSAY_JUDGE_KEY JPY_PARENT_PID JPY_SESSION_NAME".split()
START_S = 1800.0  # seconds that loading may take


class _Running:
    """A process in a folder and a session of its own, never forked, so that it holds nothing of ours; what
    it prints goes into a file without a name."""

    def __init__(self, order: Order):
        self.folder = Path(tempfile.mkdtemp(prefix=OWN_FOLDER_PREFIX)).resolve()
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115
        ours, theirs = socket.socketpair()
        self.pipe = Pipe(ours)
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "ragassay.assistant.worker", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=self._printed,
                stderr=subprocess.STDOUT,
                pass_fds=[theirs.fileno()],
                cwd=self.folder,
                env=_environment(self.folder, order),
                start_new_session=True,
            )

    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self.process.poll() is not None

    def how_it_ended(self) -> str:
        """Its exit status and the last line that it printed, in words."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(1)
        if (code := self.process.returncode) is None:
            status = "its socket is closed"
        else:
            status = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        end = os.fstat(self._printed.fileno()).st_size
        printed = os.pread(self._printed.fileno(), 8_000, max(0, end - 8_000))
        said = printed.decode("utf-8", "replace").strip().rpartition("\n")[2][-200:]
        last = f": {hide_what_differs(said)}" if said else ""
        return f"the assistant's process ended ({status}){last}"

    def end(self) -> None:
        """Kill the process with its group, and remove its folder."""
        self.pipe.close()
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        with contextlib.suppress(OSError, RecursionError):
            shutil.rmtree(self.folder, ignore_errors=True)


class AssistantProcess(contextlib.AbstractContextManager):
    """An assistant in a process of its own, sealed; asked one question at a time.

    `policy` says in words what it may not reach; `hooks` what it takes beside the question.
    """

    def __init__(self, order: Order):
        self.order, self.facts, self.policy = order, order.facts, ""
        self.hooks: tuple[str, ...] = ()
        self._running: _Running | None = None
        self._number = self._attempts = 0
        self._end: Callable[[], object] = lambda: None

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Start the process, if none is there, and load the assistant; SystemUnderTestError if it cannot be
        loaded, ends while it is, or takes half an hour."""
        if self._running is not None and not self._running.has_ended():
            return
        self.close()
        try:
            self._running = _Running(self.order)
            self._end = weakref.finalize(self, self._running.end)
            self._attempts, deadline = 0, time.monotonic() + START_S
            self._running.pipe.send({"order": asdict(self.order), "parent": os.getpid()}, deadline)
            loaded = self._receive("hooks", deadline)
        except (OSError, ValueError) as problem:
            raise SystemUnderTestError(
                "the assistant ended while it was loaded",
                where=self.order.spec,
                found=self._lost(problem, START_S),
                do="make it work in plain Python first",
            ) from None
        except BaseException:
            self.close()
            raise
        self.policy, named = str(loaded.get("policy"))[:1000], loaded["hooks"]
        self.hooks = tuple(name for name in HOOKS if isinstance(named, list) and name in named)

    def ask(
        self, question: str, timeout_s: float, given: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], bool]:
        """The row of a question, asked with what is given to its hooks; whether the process was lost, or
        every other question would fail as well."""
        try:
            self.start()
            assert self._running is not None
            self._number += 1
            order = {"number": self._number, "ask": question, "seconds": timeout_s}
            deadline = time.monotonic() + timeout_s
            self._running.pipe.send(order | {"given": dict(given or {})}, deadline)
            while (answer := self._receive("number", deadline))["number"] != self._number:
                pass
        except SystemUnderTestError as problem:
            return row_without_answer(_one_line(f"it could not be started again: {problem}")), True
        except (OSError, ValueError) as problem:
            return row_without_answer(self._lost(problem, timeout_s)), True
        if "error" in answer:
            return row_without_answer(_one_line(answer["error"])), answer.get("hopeless") is True
        return row_of(answer.get("reply")), False

    def close(self) -> None:
        """Kill the process and all its group, and remove its folder."""
        self._end()
        self._end, self._running = lambda: None, None

    def _receive(self, expected: str, deadline: float) -> dict[str, Any]:
        """The next message but refused connections, which are noted as what the assistant says."""
        assert self._running is not None
        is_over = self._running.has_ended
        while "attempt" in (message := self._running.pipe.receive(deadline, is_over)):
            self._attempts += 1
            parts = message["attempt"]
            if isinstance(parts, list) and len(parts) == 2 and self._attempts <= 100:
                call, address = (clean(str(part))[:ERROR_LIMIT] for part in parts)
                provenance.append(
                    {"event": "network", "call": call, "address": address, "by": "the assistant says"}
                )
        if "failed" in message:
            raise SystemUnderTestError(clean(str(message["failed"])[:MOST_SAID]))
        if expected not in message:
            raise ValueError("not what was expected")
        return message

    def _lost(self, problem: BaseException, timeout_s: float) -> str:
        """Why the process was given up, in words; it is gone afterwards."""
        if isinstance(problem, TimeoutError):
            why = f"no answer within {timeout_s:g} s"
        elif isinstance(problem, OSError) and self._running is not None:
            why = self._running.how_it_ended()
        else:
            why = f"the assistant's process sent no answer: {problem}"
        self.close()
        return _one_line(why)


def _environment(folder: Path, order: Order) -> dict[str, str]:
    """The examiner's, without its secrets; with temporary files and vectors in places of its own."""
    cache = Path(order.cache or folder)
    cache.mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if name not in SECRETS}
    path = [str(Path(part).absolute()) for part in kept.get("PYTHONPATH", "").split(os.pathsep) if part]
    return {
        **kept,
        **dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(folder)),
        "RAGASSAY_CACHE": str(cache),
        "RAGASSAY_CACHE_BESIDE": order.reads,
        "RAGASSAY_DEVICE": "",  # it is the examiner's
        "PYTHONPATH": os.pathsep.join(path),
    }


def _one_line(said: object) -> str:
    return clean(" ".join(str(said)[:2000].split()))[: 2 * ERROR_LIMIT] or "an error without words"
