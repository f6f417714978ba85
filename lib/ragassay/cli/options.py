"""Options that several verbs share: paths, numbers, pairs, and the endpoint of a language model."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragassay import search_paths
from ragassay.errors import ParameterError

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
    """What --model names, by kind: encoder, and those of `load_instrument.NAMED`."""
    from ragassay.models.load_instrument import NAMED

    return read_pairs(named, "--model", ("encoder", *NAMED))
