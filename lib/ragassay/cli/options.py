"""What verbs share: options; what is said, and how a verb ends. All that reaches the terminal goes through
here, where nothing acts."""

from __future__ import annotations

import contextlib
import io
import math
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragassay import search_paths
from ragassay.errors import FULL, KitError, OutputError, ParameterError
from ragassay.sanitized_text import clean

if TYPE_CHECKING:
    from ragassay.models.judge import Judge

LONGEST_NAME = 255  # bytes of a name on common file systems
WHERE = "the command line"


class PlainPath(click.Path):
    """A path that a file system can hold; ParameterError, which names the option, if it is none, InputError
    if a device or a pipe stands there, but for /dev/null: reading it may not end."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path."""
        parts = os.fsencode(value).split(b"/")
        if not any(parts) or b"\0" in os.fsencode(value) or max(map(len, parts)) > LONGEST_NAME:
            what = f"{param.human_readable_name if param else 'a path'} is no name of a file"
            expected = f"1 to {LONGEST_NAME} bytes between two slashes, none of them 0"
            raise ParameterError(what, where=WHERE, found=value, expected=expected)
        with contextlib.suppress(OSError, RuntimeError):  # a link to itself: what opens it says so
            if os.fsdecode(value) != os.devnull:
                search_paths.regular(Path(os.fsdecode(value)))
        return super().convert(value, param, ctx)


PATH = PlainPath(path_type=Path)
FILE = PlainPath(path_type=Path, dir_okay=False)
FOLDER = PlainPath(path_type=Path, file_okay=False)
COUNT, FROM_NONE = click.IntRange(1, 1_000_000), click.IntRange(0, 1_000_000)
SEED = click.IntRange(0, 2**32 - 1)
INNER_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)

REPLACE = "write over files that are there; a file that this command reads is never written over"
PAIRS = "which column of yours is which of ours: question=prompt, score:NAME=COLUMN"
MODEL = "another model, or device, for this call: encoder=models/mine, device=cuda (docs/bigger-models.md)"
JOURNAL = "file of the language model's paid replies: none is paid for twice"
replace_option = click.option("--replace", is_flag=True, help=REPLACE)
map_option = click.option("--map", "pairs", multiple=True, metavar="OURS=THEIRS", help=PAIRS)
model_option = click.option("--model", "named", multiple=True, metavar="KIND=NAME", help=MODEL)
dry_run_option = click.option(
    "--dry-run", is_flag=True, help="say how many calls and tokens the judge would take, and send nothing"
)


def judge_options(use: str) -> Callable:
    """The options --judge and --journal; use : what the language model is for."""
    endpoint = f"a language model {use}, at an OpenAI-compatible endpoint; its key in RAGASSAY_JUDGE_KEY"
    judge = click.option("--judge", default="", metavar="NAME@URL", help=endpoint)
    journal = click.option("--journal", type=FILE, help=JOURNAL)
    return lambda verb: judge(journal(verb))


def take_judge(options: dict[str, Any], dry_run: bool = False, **settings: Any) -> Judge | None:
    """The language model that --judge names, None where it names none; its options are taken out.

    Raises
    ------
    ParameterError
        If a journal or a dry run is asked for without one.
    ModelError
        If only one of name and address is given, or the address is none.
    """
    from ragassay.models.judge import make_judge

    named, journal = options.pop("judge"), options.pop("journal")
    if not named and (journal or dry_run):
        what, do = "a journal or a dry run is of a language model, and none is named", "--judge NAME@URL"
        raise ParameterError(what, where=WHERE, do=do)
    name, _, url = named.partition("@")
    return make_judge(url, name, journal=journal, **settings)


def read_pairs(texts: Iterable[str], option: str, names: Collection[str] = ()) -> dict[str, str]:
    """`a=b` as {"a": "b"}; ParameterError if one is no pair, or its name is none of `names`."""
    pairs = {}
    for text in texts:
        name, _, value = text.partition("=")
        if not name or not value or (names and name not in names):
            expected = f"NAME=VALUE{', NAME one of ' if names else ''}{', '.join(names)}"
            raise ParameterError(f"{option} cannot be read", where=WHERE, found=text, expected=expected)
        pairs[name] = value
    return pairs


def read_numbers(texts: Iterable[str], option: str) -> dict[str, float]:
    """`a=0.5` as {"a": 0.5}; ParameterError if one is no name with a number."""
    numbers = {}
    for text in texts:
        name, _, value = text.rpartition("=")
        with contextlib.suppress(ValueError):
            numbers[name] = float(value)
        if not name or math.isnan(numbers.get(name, math.nan)):
            expected = "NAME=NUMBER, such as support=0.5"
            raise ParameterError(f"{option} cannot be read", where=WHERE, found=text, expected=expected)
    return numbers


def read_models(named: Iterable[str]) -> dict[str, str]:
    """What --model names, by kind: encoder, and those of `user_models.NAMED`."""
    from ragassay.models.user_models import NAMED

    return read_pairs(named, "--model", ("encoder", *NAMED))


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
