"""What verbs share: options; what is said, and how a verb ends. All that reaches the terminal goes through
here, where nothing acts."""

import contextlib
import io
import math
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from ragassay import search_paths
from ragassay.errors import FULL, KitError, OutputError, ParameterError
from ragassay.sanitized_text import clean, one_line


class PlainPath(click.Path):
    """A path that can be one; InputError if a device or a pipe stands there, but for /dev/null: reading it
    may not end."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path."""
        with contextlib.suppress(OSError, RuntimeError):  # a link to itself: what opens it says so
            if value != os.devnull:
                search_paths.regular(Path(value))
        return super().convert(value, param, ctx)


PATH = PlainPath(path_type=Path)
FILE = PlainPath(path_type=Path, dir_okay=False)
FOLDER = PlainPath(path_type=Path, file_okay=False)
COUNT, FROM_NONE = click.IntRange(1, 1_000_000), click.IntRange(0, 1_000_000)
SEED = click.IntRange(0, 2**32 - 1)
INNER_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)


def _parse_pairs(context: click.Context, option: click.Parameter, pairs: tuple[str, ...]) -> dict[str, str]:
    from ragassay.answers.log_schemas import parse_mapping

    return parse_mapping(pairs)


def map_columns(option: str, name: str, help_text: str) -> Callable:
    """An option that says which column is which: OURS=THEIRS, as often as there are columns to name."""
    return click.option(
        option, name, multiple=True, metavar="OURS=THEIRS", callback=_parse_pairs, help=help_text
    )


size_option = click.option("--size", help="of the run: small, standard, large, about 150 to 1,000 questions")
replace_option = click.option("--replace", is_flag=True, help="write over files, but never over an input")
map_option = map_columns("--map", "mapping", "columns: question=prompt, score:NAME=YOURS")
model_option = click.option(
    "--model", "named", multiple=True, metavar="KIND=NAME", help="for this call: encoder=FOLDER, device=cuda"
)


def judge_options(use: str) -> Callable:
    """The options --judge and --journal; use : what the language model is for."""
    endpoint = f"a language model {use}, at an OpenAI-compatible endpoint; its key in RAGASSAY_JUDGE_KEY"
    judge = click.option("--judge", default="", metavar="NAME@URL", help=endpoint)
    journal = click.option("--journal", type=FILE, help="file of the paid replies: none is paid for twice")
    return lambda verb: judge(journal(verb))


def take_judge(options: dict[str, Any], dry_run: bool = False, **settings: Any) -> Any:
    """The language model that --judge names, None where it names none; its options are taken out.

    Raises ParameterError if a journal or a dry run is asked for without one, ModelError if only one of name
    and address is given, or the address is none."""
    from ragassay.models.judge import make_judge

    named, journal = options.pop("judge"), options.pop("journal")
    if not named and (journal or dry_run):
        raise ParameterError("a language model is needed, and none is named", do="--judge NAME@URL")
    name, _, url = named.partition("@")
    return make_judge(url, name, journal=journal, **settings)


def read_numbers(texts: Iterable[str], option: str) -> dict[str, float]:
    """`a=0.5` as {"a": 0.5}; ParameterError if one is no name with a number."""
    numbers = {}
    for text in texts:
        name, _, value = text.rpartition("=")
        with contextlib.suppress(ValueError):
            numbers[name] = float(value)
        if not name or math.isnan(numbers.get(name, math.nan)):
            raise ParameterError(f"{option} cannot be read", found=text, expected="NAME=NUMBER")
    return numbers


def read_models(named: Iterable[str]) -> dict[str, str]:
    """What --model names, by kind: encoder, or one of `load_instrument.NAMED`; else ParameterError."""
    from ragassay.models.load_instrument import NAMED

    pairs = {name: value for name, _, value in (text.partition("=") for text in named)}
    if wrong := [f"{of}={to}" for of, to in pairs.items() if not to or of not in ("encoder", *NAMED)]:
        raise ParameterError("wrong --model", found=wrong[0], expected=f"encoder=FOLDER; {', '.join(NAMED)}")
    return pairs


def say(*texts: object, err: bool = False) -> None:
    """Lines, or texts of several, as plain text; nothing of none."""
    for text in texts:
        click.echo(clean(text, 0), err=err)


def say_line(text: str) -> None:
    """One line, whatever the text: no title, reason or name of a run's looks like a line of ours."""
    say(one_line(text, 0))


def say_read_as(lines: Sequence[str], *, err: bool = False) -> None:
    """What the columns of a log are read as, a line each, and how to say otherwise; nothing of no lines."""
    how = "a column read as another, or not at all: --map contexts=YOURS, in parameters 00_scope.map"
    say(*(clean(line, 200) for line in lines), *([how] if lines else []), err=err)


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
        return "\nragassay: interrupted; what was finished is kept, run the same command to go on"
    if isinstance(problem, click.ClickException):
        shown = io.StringIO()
        problem.show(shown)
        return shown.getvalue().rstrip()
    if isinstance(problem, KitError):
        return f"\nragassay: {problem}"
    where, found = getattr(problem, "filename", None), f"{type(problem).__name__}: {problem}"
    if not where:  # the traceback, in a file of the user's alone
        text = "".join(traceback.format_exception(problem))[-100_000:]
        with contextlib.suppress(OSError):
            handle, where = tempfile.mkstemp(".txt", "ragassay-error-")
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
    if isinstance(problem, OSError) and problem.errno in FULL:
        return f"\nragassay: {OutputError.of(problem, where)}"
    what, do = "the command stopped at something unforeseen", "see the details; send them to the maintainers"
    if isinstance(problem, OSError):
        what, do = "the system refused a file or a connection", "name another place, or get the permission"
    return f"\nragassay: {KitError(what, where=where, found=found, do=do)}"
