"""An assistant on the command line: one process per question, of the process group of the assistant's
process, so that whoever hangs is killed with it."""

import json
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ragassay.assistant.described.description import Description, request_of
from ragassay.assistant.described.reply_parsing import LARGEST, TOO_LARGE, read_reply
from ragassay.web import Failure

LAST_WORDS = 200  # characters of what a process printed before it ended


def ask_command(
    description: Description, folder: Path, question: str, *, history: Any = (), passages: Any = None
) -> dict[str, Any]:
    """The reply of a command line, executed in this folder, to one question; Failure if the process cannot be
    started, ends otherwise than with exit code 0, or writes no answer.

    Its environment is that of the assistant's process: without the examiner's secrets, with temporary files
    of its own. Who asks keeps the time, and kills the group.
    """
    filled, sent = request_of(description.body, question, history, passages)
    started = time.perf_counter()
    body = _output_of(description.command, folder, json.dumps(filled).encode() + b"\n")
    spent = time.perf_counter() - started
    return read_reply(description, body.decode("utf-8", "replace").strip(), sent, spent, {})


def _output_of(command: Sequence[str], folder: Path, line: bytes) -> bytes:
    """What a process writes until it ends."""
    with tempfile.TemporaryFile() as question, tempfile.TemporaryFile() as printed:
        question.write(line)
        question.seek(0)
        try:
            process = subprocess.Popen(
                command, stdin=question, stdout=subprocess.PIPE, stderr=printed, cwd=folder
            )
        except (OSError, ValueError) as problem:
            why = getattr(problem, "strerror", None) or problem
            reason = f"the command cannot be started: {command[0][:80]}: {why}"
            raise Failure(reason, passing=False, hopeless=True) from None
        assert process.stdout
        with process.stdout as written:
            body = written.read(LARGEST + 1)
        if len(body) > LARGEST:
            process.kill()
            process.wait()
            raise Failure(TOO_LARGE, passing=False)
        if process.wait() != 0:
            printed.seek(0)
            lines = [one for one in printed.read().decode("utf-8", "replace").splitlines() if one.strip()]
            last = f": {lines[-1][-LAST_WORDS:].strip()}" if lines else ""
            raise Failure(f"the command ended (exit code {process.returncode}){last}", passing=False)
        return body


def folder_of(words: Sequence[str], folders: Sequence[Path]) -> Path:
    """Where a command line is executed: the first folder in which one of its words is a file."""
    own = [word for word in words if not Path(word).is_absolute()]
    with_file = (folder for folder in folders if any((folder / word).is_file() for word in own))
    return next(with_file, folders[0])
