"""What a verb says and how it ends: all that reaches the terminal goes through here, where nothing acts."""

import io
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path

import click

from ragassay.errors import FULL, KitError, OutputError
from ragassay.sanitized_text import clean

INTERRUPTED = "interrupted; what was finished is kept, run the same command to go on"
REPORT = "see the details; if your input is as the documentation asks, send them to the maintainers"
ALLOWED = "name another place, or get the permission for this one, and run the same command"
OTHERWISE = (
    "a column that is read as another, or not at all: --map contexts=YOURS, in parameters 00_scope.map"
)
DETAILS, LONGEST = "ragassay-error-", 100_000  # prefix and characters of a file


def say(text: object, *, err: bool = False) -> None:
    """A line or several, as plain text."""
    click.echo(clean(text, 0), err=err)


def say_line(text: str) -> None:
    """One line, whatever the text: no title, reason or name of a run's looks like a line of ours."""
    say(" ".join(text.splitlines()))


def say_read_as(lines: Iterable[str], *, err: bool = False) -> None:
    """What the columns of a log are read as, a line each, and how to say otherwise; nothing of no lines."""
    shown = [clean(line, 200) for line in lines]
    for line in shown + [OTHERWISE] * bool(shown):
        say(line, err=err)


def is_terminal() -> bool:
    """Whether a person reads what is said, and can answer."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def ending(work: Callable[[], object]) -> None:
    """Do the work; whatever stops it is told in the five parts of an error, and the process exits with 1.

    A traceback is never shown: that of a defect goes to a file, whose path is told.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a character shows its code
            stream.reconfigure(errors="backslashreplace")
    try:
        work()
    except (SystemExit, GeneratorExit):
        raise
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except BaseException as problem:  # libraries in other languages raise what is no Exception
        say(_message(problem), err=True)
        sys.exit(1)


def _message(problem: BaseException) -> str:
    """What is told of a problem; a file or a connection that the system refused with its place, or that of
    the details where no file is named."""
    if isinstance(problem, KeyboardInterrupt | click.Abort):
        return f"\nragassay: {INTERRUPTED}"
    if isinstance(problem, click.ClickException):
        shown = io.StringIO()
        problem.show(shown)
        return shown.getvalue().rstrip()
    if isinstance(problem, KitError):
        return f"\nragassay: {problem}"
    what, do = "the command stopped at something unforeseen", REPORT
    where, found = getattr(problem, "filename", None), f"{type(problem).__name__}: {problem}"
    if isinstance(problem, OSError):
        what, do, found = "the system refused a file or a connection", ALLOWED, problem.strerror or found
    where = where or _keep_details(problem)
    if isinstance(problem, OSError) and problem.errno in FULL:
        return f"\nragassay: {OutputError.of(problem, where)}"
    return f"\nragassay: {KitError(what, where=where, found=found, do=do)}"


def _keep_details(problem: BaseException) -> str:
    """Write the traceback to a file of the user's alone in the temporary folder; its path, or why there is
    none."""
    text = "".join(traceback.format_exception(problem))
    try:
        number, path = tempfile.mkstemp(prefix=DETAILS, suffix=".txt")
        os.close(number)
        Path(path).write_text(text[-LONGEST:], encoding="utf-8", errors="backslashreplace")
        return path
    except OSError as refused:
        return f"no file could be written for it ({refused.strerror})"
