"""Inputs for every verb and every option of the command line, which is walked: what is new in it is tried by itself."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import click

from hostile.sandbox import Sandbox
from hostile.trial import Trial
from hostile.values import Given, Hostile, input_path, output, word
from ragassay.cli import cli

Verb = tuple[str, ...]
JUDGE: Given = {"judge": ["m@http://127.0.0.1:9/v1"], "dry_run": [""]}
LONG = {"demo", "serve"}  # verbs that do not end in seconds where nothing is wrong; tested by themselves
SOUND: dict[Verb, Given] = {  # what is right, to be made wrong in one or two places
    ("adopt",): {"notebook": ["reports/tiny/notebooks/00_scope.ipynb"], "engagement": ["refused.yml"], "name": ["05_new"]},
    ("calibrate",): {"scores": ["scores.csv"], "labels": ["labels.csv"], "metric": ["m"], "dimension": ["d"], "out": ["new"]},
    ("diagnose",): {"results": ["results.jsonl"]},
    ("diff",): {"run_a": ["reports/tiny"], "run_b": ["reports/tiny"], "out": ["new"]},
    ("doctor",): {},
    ("explore",): {"run_dir": ["reports/tiny"], "out": ["new"]},
    ("gate",): {"run_dir": ["reports/tiny"], "out": ["new"]},
    ("grounded",): {"url": ["facts.db"], "out": ["new.jsonl"]},
    ("init",): {"name": ["mine"]},
    ("instruments",): {"suite": ["suite.jsonl"], "scorer": ["rules"]},
    ("label", "export"): {"run": ["run"], "out": ["new.csv"], "n": ["6"], "rater": ["ann"]},
    ("label", "import"): {"files": ["sheet.csv"], "run": ["run"], "out": ["new.csv"]},
    ("label", "plan"): {"sizes": ["50,100"], "answers": ["100"]},
    ("questions",): {"source": ["documents"], "out": ["new.jsonl"], "n": ["5"]},
    ("report",): {"run_dir": ["reports/tiny"]},
    ("run",): {"parameters": ["refused.yml"], "reports": ["new"]},
    ("score",): {"source": ["log.jsonl"], "metrics": ["privacy_leaks,citation_correctness"], "out": ["new.csv"]},
    ("sign",): {"run_dir": ["reports/tiny"], "key": ["ann"], "name": ["Ann Reyes"]},
    ("verify",): {"run_dir": ["reports/tiny"]},
}  # fmt: skip
OUTPUTS = {"out", "saved", "journal", "made_up", "reports"}  # parameters that name what is written
BOUNDS = {("questions",): 120.0, ("report",): 120.0, ("run",): 120.0, ("instruments",): 120.0}


def commands(group: click.Command = cli, above: Verb = ()) -> Iterator[tuple[Verb, click.Command]]:
    """Every verb of the command line, by its words."""
    if isinstance(group, click.Group):
        for name in sorted({*group.list_commands(click.Context(group))} - LONG):
            yield from commands(group.commands[name], (*above, name))
    else:
        yield above, group


def options() -> list[tuple[Verb, click.Parameter]]:
    """Every argument and option of every verb."""
    return [(verb, parameter) for verb, command in commands() for parameter in command.params]


def trial(verb: Verb, parameter: click.Parameter, random: Random, sandbox: Sandbox) -> Trial:
    """The sound call of a verb with this parameter hostile, and sometimes another one too."""
    command = dict(commands())[verb]
    given = {name: list(values) for name, values in SOUND[verb].items()}
    if parameter.name in JUDGE or parameter.name in ("journal", "prices"):
        given |= {name: values for name, values in JUDGE.items() if name in {p.name for p in command.params}}
    chosen = [parameter] + random.sample(command.params, 1) * (random.random() < 0.3)
    made = {each.name: value_for(each, random, sandbox, given) for each in dict.fromkeys(chosen)}
    given |= {name: value.values for name, value in made.items()}
    made_to_read = made.get("source") or made.get("log")
    return Trial(
        verb,
        "; ".join(f"{name}: {value.about}" for name, value in made.items()),
        arguments(command, given),
        outputs=written(verb, given),
        rows=made_to_read.rows if made_to_read and len(made) == 1 else None,
        bound_s=BOUNDS.get(verb, 60.0),
    )


def written(verb: Verb, given: Given) -> list[str]:
    """What a call may write: what its options name, the sheets and guides beside a sheet, the file `init` makes."""
    named = [relative(value) for name in OUTPUTS for value in given.get(name, []) if value]
    named = ["*" if name == "." else name for name in named]  # the working folder, named as such
    beside = [f"{Path(name).with_suffix('')}*" for name in named] if verb == ("label", "export") else []
    beside += [f"{relative(name)}-explore" for name in given.get("run_dir", []) if verb == ("explore",)]
    if verb == ("adopt",):
        engagements = [Path(relative(name)).with_suffix("") for name in given.get("engagement", [])]
        beside += [f"{place}/notebooks/*" for place in [*engagements, Path("params/*")]]
    if verb == ("sign",):
        keys = [relative(name) for name in given["key"]]
        beside += [*keys, *(f"{name}.pub" for name in keys)]
        beside += [f"{relative(name)}/signature.json" for name in given["run_dir"]]
    return [*named, *beside, *(f"params/{name}.yml" for name in given.get("name", []))]


def relative(value: str) -> str:
    """A path as the listing names it, where it stays below the working folder; else one that allows nothing."""
    path = Path(value)
    return "nothing" if path.is_absolute() or ".." in path.parts else path.as_posix()


def arguments(command: click.Command, given: Given) -> list[str]:
    """The words after the verb."""
    words, last = [], []
    for parameter in command.params:
        for value in given.get(parameter.name or "", []):
            if isinstance(parameter, click.Argument):
                last.append(value)
            else:
                is_flag = getattr(parameter, "is_flag", False)
                words += [parameter.opts[0]] if is_flag else [parameter.opts[0], value]
    return [*words, *(["--"] if any(value.startswith("-") for value in last) else []), *last]


def value_for(parameter: click.Parameter, random: Random, sandbox: Sandbox, given: Given) -> Hostile:
    """A hostile value of the parameter's kind."""
    name = parameter.name or ""
    if getattr(parameter, "is_flag", False):
        return Hostile([""], "given")
    if name in OUTPUTS:
        return output(random, given.get(name, ["new.jsonl"])[0], sandbox)
    if isinstance(parameter.type, click.Path) or name == "url":
        return input_path(name, random, sandbox)
    return word(parameter, random, given)
