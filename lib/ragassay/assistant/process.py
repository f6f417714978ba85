"""The examiner's side of the assistant's process: it starts it, asks, and ends it; it believes nothing it is
sent.

An assistant that exits, crashes, hangs or sends something else than an answer leaves a row with the reason:
its whole process group is killed and it is started again for the next question, in a fresh folder.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ragassay.assistant import pipes
from ragassay.assistant.load_assistant import (
    ERROR_LIMIT,
    IDENTITY_LIMIT,
    OWN_FOLDER_PREFIX,
    Order,
    hide_what_differs,
)
from ragassay.assistant.pipes import Ended, Pipes
from ragassay.assistant.reply_validation import HOOKS, clean, row_of, row_without_answer
from ragassay.errors import SystemUnderTestError

SECRETS = (  # the examiner's own
    "RAGASSAY_TRACE",
    "RAGASSAY_PROGRESS",
    "RAGASSAY_JUDGE_KEY",
    "JPY_PARENT_PID",
    "JPY_SESSION_NAME",
)
START_S = 1800.0  # seconds that loading may take
IDENTITY_WAITS_S = (0.0, 0.1, 0.2, 0.4, 0.8)  # before each try to be told who the assistant is
LAST_WORDS = 200  # characters of what a process printed before it died
PARTS = ("where", "found", "expected", "do")


def usable(cache: Path | None) -> Path | None:
    """The folder, made if need be; None if it cannot be: vectors are then kept as long as the process."""
    try:
        if cache:
            cache.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return cache


def spawn(folder: Path, cache: Path | None, reads: str) -> subprocess.Popen:
    """The assistant's process; never forked, so that it holds nothing of ours; in its own session."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "ragassay.assistant.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        cwd=folder,
        env=_environment(folder, cache, reads),
        start_new_session=True,
    )


def end(process: subprocess.Popen, pipes: Pipes, folder: Path) -> None:
    """Kill the process with its group, and remove its folder."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(10)
    pipes.close()
    with contextlib.suppress(OSError, RecursionError):
        shutil.rmtree(folder, ignore_errors=True)


def _environment(folder: Path, cache: Path | None, reads: str) -> dict[str, str]:
    """The examiner's, without its secrets; with temporary files and vectors in places of its own."""
    kept = {name: value for name, value in os.environ.items() if name not in SECRETS}
    path = [str(Path(part).absolute()) for part in kept.get("PYTHONPATH", "").split(os.pathsep) if part]
    own = dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(folder))
    own |= {"RAGASSAY_CACHE": str(cache or folder), "RAGASSAY_CACHE_BESIDE": reads}
    own |= {"RAGASSAY_DEVICE": ""}  # drivers of a device write where a confined process may not
    return kept | own | {"PYTHONPATH": os.pathsep.join(path)}


class AssistantProcess:
    """An assistant in a process of its own, sealed and confined; asked one question at a time.

    Parameters
    ----------
    order : what it loads
    facts : by which its answers are known again: version, source, documents, endpoints
    cache : the folder in which it may keep vectors; None if it may not
    reads : the examiner's file of vectors, which it may read and not write; "" for none
    note : called with every connection that it says was refused: call, address

    `policy` says in words what it may not do; `offers_identity` whether it says which version it is;
    `hooks` what it takes beside the question.
    """

    def __init__(
        self,
        order: Order,
        facts: dict[str, Any],
        *,
        cache: Path | None = None,
        reads: str = "",
        note: Callable[[str, str], None] = lambda call, address: None,
    ):
        self.order, self.facts, self.cache, self.note = order, facts, usable(cache), note
        self.reads = reads
        self.policy, self.offers_identity = "", False
        self.hooks: tuple[str, ...] = ()
        self._pipes: Pipes | None = None
        self._number = self._attempts = 0
        self._end: Callable[[], None] = lambda: None

    def __enter__(self) -> "AssistantProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, question: str, **given: Any) -> dict[str, Any]:
        """The row of one question, without a time limit to speak of: for trying an assistant by hand."""
        return self.ask(question, START_S, given)[0]

    def is_like(self, other: "AssistantProcess") -> bool:
        """Whether the other loads the same assistant, with the same folders and endpoints."""
        mine, others = ((each.order, each.facts, each.cache, each.reads) for each in (self, other))
        return mine == others

    def start(self) -> None:
        """Start the process, if none is there, and load the assistant; SystemUnderTestError if it cannot be
        loaded, ends while it is, or takes half an hour."""
        if self._pipes is not None:
            return
        try:
            self._pipes = self._spawn()
            deadline = time.monotonic() + START_S
            writable = [str(folder) for folder in (self._folder, self.cache) if folder]
            first = {"order": asdict(self.order), "writable": writable, "parent": os.getpid()}
            self._pipes.send(first, deadline)
            self.policy = str(self._receive("confined", deadline)["confined"])[:1000]
            self._loaded(self._receive("loaded", deadline))
        except (Ended, TimeoutError, pipes.BrokenMessage) as problem:
            why = self._lost(problem, START_S)
            raise SystemUnderTestError(
                "the assistant ended while it was loaded",
                where=self.order.spec,
                found=why,
                do="make it work in plain Python first",
            ) from None
        except BaseException:
            self.close()
            raise

    def ask(
        self, question: str, timeout_s: float, given: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], bool]:
        """The row of a question, asked with what is given to its hooks; whether the process was lost, or
        every other question would fail as well."""
        order = {"ask": question, "given": dict(given or {}), "seconds": timeout_s}
        try:
            self.start()
            answer = self._exchange(order, timeout_s)
        except SystemUnderTestError as problem:
            return row_without_answer(
                _error(f"it could not be started again: {problem.what}: {problem.found}")
            ), True
        except (Ended, TimeoutError, pipes.BrokenMessage) as problem:
            return row_without_answer(self._lost(problem, timeout_s)), True
        if "error" in answer:
            return row_without_answer(_error(answer["error"])), answer.get("hopeless") is True
        return row_of(answer.get("reply")), False

    def say_identity(self, timeout_s: float) -> str:
        """What the assistant's identity() says, "" if it has none; asked up to five times, with waits of a
        second and a half in all. SystemUnderTestError if it does not say."""
        if not self.offers_identity:
            return ""
        why = ""
        for pause in IDENTITY_WAITS_S:
            time.sleep(pause)
            try:
                self.start()
                answer = self._exchange({"identity": True}, timeout_s)
            except (Ended, TimeoutError, pipes.BrokenMessage) as problem:
                why = self._lost(problem, timeout_s)
                break  # it exited, crashed or hung over it: what would it do the next time
            if isinstance(answer.get("identity"), str):
                return clean(answer["identity"])[:IDENTITY_LIMIT]
            why = _error(answer.get("error"))
        raise SystemUnderTestError(
            "the assistant does not say which version it is",
            where=f"{self.order.spec}, identity()",
            found=why,
            expected="a text or a dict",
            do="correct identity(), or the server that it asks; answers of an unknown version are not taken",
        )

    def close(self) -> None:
        """Kill the process and all its group, and remove its folder."""
        self._end()
        self._end = lambda: None
        self._pipes = None

    def _spawn(self) -> Pipes:
        self._folder = Path(tempfile.mkdtemp(prefix=OWN_FOLDER_PREFIX)).resolve()
        self._attempts = 0
        process = spawn(self._folder, self.cache, self.reads)
        pipes = Pipes(process)
        self._end = weakref.finalize(self, end, process, pipes, self._folder)
        return pipes

    def _exchange(self, order: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """The answer to one order; late answers to earlier ones are passed over."""
        assert self._pipes is not None
        self._number += 1
        deadline = time.monotonic() + timeout_s
        self._pipes.send(order | {"number": self._number}, deadline)
        while (answer := self._receive("number", deadline))["number"] != self._number:
            pass
        return answer

    def _receive(self, expected: str, deadline: float) -> dict[str, Any]:
        """The next message but refused connections, which are noted as what the assistant says."""
        assert self._pipes is not None
        while "attempt" in (message := self._pipes.receive(deadline)):
            self._note(message["attempt"])
        if "failed" in message:
            raise _failure(message["failed"], self.order.spec)
        if expected not in message:
            raise pipes.BrokenMessage("not what was expected")
        return message

    def _note(self, attempt: object) -> None:
        self._attempts += 1
        if isinstance(attempt, list) and len(attempt) == 2 and self._attempts <= pipes.MOST_ATTEMPTS:
            self.note(*(clean(str(part))[:ERROR_LIMIT] for part in attempt))

    def _loaded(self, message: dict[str, Any]) -> None:
        """One that said at first which version it is cannot be started again as one that does not."""
        self.offers_identity = self.offers_identity or message.get("offers_identity") is True
        named = message.get("hooks")
        self.hooks = tuple(name for name in HOOKS if isinstance(named, list) and name in named)

    def _lost(self, problem: BaseException, timeout_s: float) -> str:
        """Why the process was given up, in words; it is gone afterwards."""
        pipes = self._pipes
        if isinstance(problem, TimeoutError):
            why = f"no answer within {timeout_s:g} s"
        elif isinstance(problem, Ended) and pipes is not None:
            why = f"the assistant's process ended ({pipes.exit_status()}){_last_words(pipes.said())}"
        else:
            why = f"the assistant's process sent no answer: {problem}"
        self.close()
        return _error(why)


class Several:
    """The same assistant, loaded up to n times; each thread asks a process of its own.

    A thread lives as long as its process: on Linux a process dies with the thread that started it.

    Parameters
    ----------
    first : asked by the thread that made it, and alone where n is 1; the others are loaded as it is
    n : processes that are asked at a time, at least 1
    """

    def __init__(self, first: AssistantProcess, n: int):
        self.first, self.n = first, n
        self.facts, self._own, self._others = first.facts, threading.local(), list[AssistantProcess]()
        self._own.process = first
        self._threads = ThreadPoolExecutor(n, "asking") if n > 1 else None

    @property
    def hooks(self) -> tuple[str, ...]:
        """What it takes beside the question."""
        return self.first.hooks

    @property
    def offers_identity(self) -> bool:
        """Whether it says which version it is."""
        return self.first.offers_identity

    def ask(
        self, question: str, timeout_s: float, given: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], bool]:
        """As `AssistantProcess.ask`, of this thread's process."""
        return self._mine().ask(question, timeout_s, given)

    def say_identity(self, timeout_s: float) -> str:
        """As `AssistantProcess.say_identity`, of this thread's process."""
        return self._mine().say_identity(timeout_s)

    def each(self, work: Callable[[Any], None], units: Sequence[Any]) -> None:
        """Do the work of every unit, n at a time, begun in their order; the first error ends it."""
        if self._threads is None:
            for unit in units:
                work(unit)
            return
        begun: list[Future] = [self._threads.submit(work, unit) for unit in units]
        try:
            for done in wait(begun, return_when=FIRST_EXCEPTION).done:
                done.result()
        except BaseException:
            for one in begun:
                one.cancel()
            for process in self._others:
                process.close()
            wait(begun)
            raise

    def close(self) -> None:
        """End all processes and threads."""
        for process in (self.first, *self._others):
            process.close()
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)

    def _mine(self) -> AssistantProcess:
        process = getattr(self._own, "process", None)
        if process is None:
            first = self.first
            process = AssistantProcess(
                first.order, first.facts, cache=first.cache, reads=first.reads, note=first.note
            )
            process.offers_identity = first.offers_identity
            self._own.process = process
            self._others.append(process)
        return process


def _failure(parts: object, spec: str) -> SystemUnderTestError:
    """The five-part error that the process sent."""
    given = parts if isinstance(parts, dict) else {}
    said = {name: clean(str(given[name]))[:2000] for name in PARTS if name in given}
    return SystemUnderTestError(
        clean(str(given.get("what", "the assistant cannot be loaded")))[:ERROR_LIMIT],
        **{"where": spec} | said,
    )


def _error(said: object) -> str:
    """An error as one bounded line; never empty."""
    return clean(" ".join(str(said)[:2000].split()))[: 2 * ERROR_LIMIT] or "an error without words"


def _last_words(said: str) -> str:
    lines = [line for line in said.splitlines() if line.strip()]
    return f": {hide_what_differs(lines[-1][-LAST_WORDS:])}" if lines else ""
