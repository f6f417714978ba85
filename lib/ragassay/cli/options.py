"""Options that several verbs share: paths, and the endpoint of a language model."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ragassay import parameter_ranges, search_paths
from ragassay.errors import ParameterError

LONGEST_NAME = 255  # bytes of a name on common file systems


class PlainPath(click.Path):
    """A path that a file system can hold; ParameterError, which names the option, if it is none, InputError
    if a device or a pipe stands there, but for /dev/null: reading it may not end."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path."""
        parts = os.fsencode(value).split(b"/")
        if not any(parts) or b"\0" in os.fsencode(value) or max(map(len, parts)) > LONGEST_NAME:
            what = f"{param.human_readable_name if param else 'a path'} is no name of a file"
            expected = f"1 to {LONGEST_NAME} bytes between two slashes, none of them 0"
            raise ParameterError(what, where="the command line", found=value, expected=expected)
        with contextlib.suppress(OSError, RuntimeError):  # a link to itself: what opens it says so
            if os.fsdecode(value) != os.devnull:
                search_paths.regular(Path(os.fsdecode(value)))
        return super().convert(value, param, ctx)


PATH = PlainPath(path_type=Path)
FILE = PlainPath(path_type=Path, dir_okay=False)
FOLDER = PlainPath(path_type=Path, file_okay=False)

REPLACE = "write over files that are there; a file that this command reads is never written over"
replace_option = click.option("--replace", is_flag=True, help=REPLACE)
PAIRS = "which column of yours is which of ours: question=prompt, score:NAME=COLUMN"
map_option = click.option("--map", "pairs", multiple=True, metavar="OURS=THEIRS", help=PAIRS)


class PlainText(click.types.StringParamType):
    """A text that can be written in UTF-8; ParameterError, which names the option, if bytes of the command
    line were none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The text."""
        text = super().convert(value, param, ctx)
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            option = param.opts[0] if param is not None else "an option"
            raise ParameterError(f"{option} is no text in UTF-8", where="the command line", found=text)
        return text


def plain_texts(verb: click.Command) -> click.Command:
    """The verb, and those below it, with every free text of theirs a plain one."""
    for below in verb.commands.values() if isinstance(verb, click.Group) else ():
        plain_texts(below)
    for param in verb.params:
        if type(param.type) is click.types.StringParamType:
            param.type = PlainText()
    return verb


class Number(click.ParamType):
    """A number of the command line, in a range written as in a notebook: `Number(int, "in [1, inf)")`."""

    def __init__(self, kind: type[int] | type[float], written: str):
        self.kind, self.range, self.name = kind, parameter_ranges.parse(written), kind.__name__

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; ParameterError, which names the option, if it is none or outside the range."""
        try:
            number = self.kind(value)
        except (ValueError, OverflowError):
            number = None
        if number is None or not self.range.holds(number):
            option = param.opts[0] if param is not None else "an option"
            what = f"{option} is outside its range"
            expected = f"{'a whole number' if self.kind is int else 'a number'} {self.range}"
            raise ParameterError(what, where="the command line", found=value, expected=expected)
        return number


COUNT, FROM_NONE = Number(int, "in [1, 1000000]"), Number(int, "in [0, 1000000]")
SEED = Number(int, "in [0, 4294967295]")
PRICE = Number(float, "in [0, inf)")
INNER_SHARE = Number(float, "in (0, 1)")
DEVICE = "where networks compute: cpu, cuda or mps; RAGASSAY_DEVICE, else cpu, where not named"
ENTAILMENT = (
    "a local model of entailment in place of the kit's, FOLDER#LABEL,LABEL,LABEL where its labels do not "
    "name themselves (docs/bigger-models.md)"
)
THRESHOLDS = "the thresholds chosen for that model of entailment (docs/bigger-models.md)"
SUPPORT = (
    "a local model of support in place of the kit's, FOLDER#LABEL where its labels do not name themselves"
)
TOXICITY = (
    "a local model of toxicity in place of the kit's, FOLDER#LABEL where its label does not name itself"
)
EXECUTOR = (
    "where scores are computed: local, this process, or ray, the processes of a cluster (docs/scale.md)"
)
ADDRESS = "the head of a Ray cluster; not named: one is started on this machine, for this command"
WORKERS = "processes of the cluster, one thread and one encoder each; 0: one for each of its cores"


def options_of(*options: Callable) -> Callable:
    """Several options as one decorator, shown in this order."""

    def add(verb: Any) -> Any:
        for option in reversed(options):
            verb = option(verb)
        return verb

    return add


model_options = options_of(  # those of `models.user_models.NAMED`
    click.option("--entailment", default="", metavar="FOLDER", help=ENTAILMENT),
    click.option("--support", default="", metavar="FOLDER", help=SUPPORT),
    click.option("--toxicity", default="", metavar="FOLDER", help=TOXICITY),
    click.option("--thresholds", default="", metavar="FILE", help=THRESHOLDS),
    click.option("--device", default="", help=DEVICE),
)
cluster_options = options_of(  # those that `take_cluster` reads
    click.option("--executor", type=click.Choice(["local", "ray"]), default="local", help=EXECUTOR),
    click.option("--address", default="", metavar="HOST:PORT", help=ADDRESS),
    click.option("--workers", type=FROM_NONE, default=0, metavar="N", help=WORKERS),
)


def take_cluster(options: dict[str, Any]) -> Any:
    """The Ray cluster that the options name, None with --executor local; they are taken out.

    Raises
    ------
    ParameterError
        If an option of a cluster stands without --executor ray.
    """
    from ragassay.api.ray_cluster import Cluster

    is_ray = options.pop("executor") == "ray"
    cluster = Cluster(options.pop("address"), options.pop("workers"))
    if not is_ray and cluster != Cluster():
        what, do = "only a cluster has an address and workers", "add --executor ray, or leave them out"
        raise ParameterError(what, where="the command line", found=cluster, do=do)
    return cluster if is_ray else None


def endpoint_options(use: str = "", who: str = "judge") -> Callable:
    """The options --judge, --judge-model and --journal.

    use : what the endpoint is for; who : what the help calls it
    """
    endpoint = f"an OpenAI-compatible endpoint{use and ' '}{use}; its key in RAGASSAY_JUDGE_KEY"
    journal = f"file of the {who}'s paid replies: none is paid for twice"
    return options_of(
        click.option("--judge", default="", metavar="URL", help=endpoint),
        click.option("--judge-model", default="", metavar="NAME", help="the endpoint's name of the model"),
        click.option("--journal", type=FILE, help=journal),
    )


dry_run_option = click.option(
    "--dry-run", is_flag=True, help="say how many calls and tokens the judge would take, and send nothing"
)


def take_writer(options: dict[str, Any], seed: int = 0) -> Any:
    """The language model that is to write questions or templates, None if none is named; its options are
    taken out.

    Raises
    ------
    ParameterError
        If a journal is named without one.
    """
    from ragassay.models.judge import make_judge

    url, name, journal = (options.pop(each) for each in ("judge", "judge_model", "journal"))
    found = make_judge(url, name, journal=journal, seed=seed)
    if found is None and journal:
        raise ParameterError(
            "a journal is of a language model, and none is named",
            where="the command line",
            found=f"--journal {journal}",
            do="name one: --judge URL --judge-model NAME",
        )
    return found
