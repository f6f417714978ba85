"""What an assistant raises, in one line that is the same in every run, and what to do about it."""

import errno
import re
from collections.abc import Iterator
from pathlib import Path

from ragassay.assistant.reply_validation import clean

ERROR_LIMIT = 300  # characters of an error in a row
OWN_FOLDER_PREFIX = "ragassay-assistant-"
OWN_FOLDER = "take paths from Path(__file__), or from documents="
OWN_WRITES = "it may write only to its working folder and to tempfile.gettempdir()"


def describe_error(problem: BaseException) -> str:
    """Type and first 300 characters of the message, on one line, and what to do where the cause is the
    process's own folder; memory addresses and that folder's name, which differ between runs, are hidden."""
    try:
        message = str(problem)
    except Exception:
        message = "(the error cannot be printed)"
    line = f"{type(problem).__name__}: {' '.join(message[:10_000].split())}"
    shown = clean(hide_what_differs(line))[:ERROR_LIMIT].removesuffix(": ")
    advice = advise(problem)
    return f"{shown} ({advice})" if advice else shown


def hide_what_differs(text: str) -> str:
    """The text without memory addresses and names of working folders."""
    return re.sub(rf"{OWN_FOLDER_PREFIX}\w+", "(own folder)", re.sub(r"0x[0-9a-fA-F]+", "0x...", text))


def advise(problem: BaseException) -> str:
    """What to do about a file that is not there, or may not be written, because the process is kept apart; ""
    for anything else."""
    for cause in _causes(problem):
        if isinstance(cause, FileNotFoundError) and not Path(str(cause.filename or "/")).is_absolute():
            return OWN_FOLDER
        if isinstance(cause, PermissionError) and cause.errno == errno.EACCES:
            return OWN_WRITES
    return ""


def _causes(problem: BaseException | None) -> Iterator[BaseException]:
    for _ in range(10):
        if problem is None:
            return
        yield problem
        problem = problem.__cause__ or problem.__context__
