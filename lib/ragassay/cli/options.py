"""Options that several verbs share: paths, and the endpoint of a language model."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)

REPLACE = "write over files that are there; a file that this command reads is never written over"
replace_option = click.option("--replace", is_flag=True, help=REPLACE)


def endpoint_options(use: str = "", who: str = "judge") -> Callable[[Callable], Callable]:
    """The options --judge, --judge-model, --journal and --dry-run.

    use : what the endpoint is for; who : what the help calls it
    """
    endpoint = f"an OpenAI-compatible endpoint{use and ' '}{use}; its key in RAGASSAY_JUDGE_KEY"
    journal = f"file of the {who}'s paid replies: none is paid for twice"
    dry = f"say how many calls and tokens the {who} would take, and send nothing"

    def add(verb: Any) -> Any:
        for option in (
            click.option("--dry-run", is_flag=True, help=dry),
            click.option("--journal", type=FILE, help=journal),
            click.option(
                "--judge-model", default="", metavar="NAME", help="the endpoint's name of the model"
            ),
            click.option("--judge", default="", metavar="URL", help=endpoint),
        ):
            verb = option(verb)
        return verb

    return add
