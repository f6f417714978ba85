"""An assistant on the command line: one process per question, of the process group of the assistant's
process, so that whoever hangs is killed with it."""

import json
import os
import subprocess
import tempfile
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from ragassay.assistant.described.description import Description, fill, values
from ragassay.assistant.described.reply_parsing import (
    LARGEST,
    MEASURED,
    TOO_LARGE,
    WHOLE,
    parse,
    parse_text,
    reply_from,
)
from ragassay.web.retries import Failure

LAST_WORDS = 200  # characters of what a process printed before it ended


class Command:
    """A command line that is asked, in the folder that one works in.

    Its environment is that of the assistant's process: without the examiner's secrets, with temporary files
    of its own.
    """

    def __init__(self, description: Description, folder: Path):
        self.description, self.folder = description, folder

    def __call__(
        self, question: str, *, seconds: float, history: Any = (), passages: Any = None
    ) -> dict[str, Any]:
        """The reply to one question. `seconds` is kept by who asks, who kills the group; Failure if the
        process cannot be started, ends otherwise than with exit code 0, or writes no answer."""
        sent = {"question": question, "request_id": uuid.uuid4().hex}
        given = values(question, list(history), passages, sent["request_id"])
        line = json.dumps(fill(self.description.body, given)).encode() + b"\n"
        started = time.perf_counter()
        body = self._reply(line)
        spent = time.perf_counter() - started
        text, paths = body.decode("utf-8", "replace").strip(), self.description.reply
        document = parse_text(text) if paths["answer"] == WHOLE else parse(text)
        found = reply_from([document], paths, sent) | self.description.version.said([document], {})
        return found | ({"latency_s": spent} if paths.get("latency_s") == MEASURED else {})

    def _reply(self, line: bytes) -> bytes:
        """What a process writes until it ends."""
        with tempfile.TemporaryFile() as question, tempfile.TemporaryFile() as said:
            question.write(line)
            question.seek(0)
            process = self._started(question, said)
            assert process.stdout
            with process.stdout as written:
                body = written.read(LARGEST + 1)
            if len(body) > LARGEST:
                process.kill()
                process.wait()
                raise Failure(TOO_LARGE, passing=False)
            if process.wait() != 0:
                raise Failure(_ended(process, said), passing=False)
            return body

    def _started(self, question: Any, said: IO[bytes]) -> subprocess.Popen:
        command = self.description.command
        try:
            return subprocess.Popen(
                command, stdin=question, stdout=subprocess.PIPE, stderr=said, cwd=self.folder
            )
        except (OSError, ValueError) as problem:
            why = getattr(problem, "strerror", None) or problem
            reason = f"the command cannot be started: {command[0][:80]}: {why}"
            raise Failure(reason, passing=False, hopeless=True) from None


def folder_of(words: Sequence[str], folders: Sequence[Path]) -> Path:
    """Where a command line is executed: the first folder in which one of its words is a file."""
    own = [word for word in words if not Path(word).is_absolute()]
    with_file = (folder for folder in folders if any((folder / word).is_file() for word in own))
    return next(with_file, folders[0])


def _ended(process: subprocess.Popen, said: IO[bytes]) -> str:
    """How it ended, with the last line that it printed."""
    size = said.seek(0, os.SEEK_END)
    said.seek(max(0, size - 4 * LAST_WORDS))
    lines = [line for line in said.read().decode("utf-8", "replace").splitlines() if line.strip()]
    last = f": {lines[-1][-LAST_WORDS:].strip()}" if lines else ""
    return f"the command ended (exit code {process.returncode}){last}"
