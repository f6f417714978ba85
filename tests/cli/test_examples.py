"""Every verb ends its help with examples, and each of them parses."""

import shlex
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from ragassay.cli import EXAMPLES, cli, examples


def verbs(group: click.Command = cli, above: str = "") -> Iterator[tuple[str, click.Command]]:
    for name, verb in group.commands.items() if isinstance(group, click.Group) else ():
        yield f"{above}{name}", verb
        yield from verbs(verb, f"{above}{name} ")


VERBS = dict(verbs())


@pytest.mark.parametrize("words", VERBS)
def test_its_help_shows_them_by_either_option(words):
    said = [CliRunner().invoke(cli, [*words.split(), option]).output for option in ("-h", "--help")]
    shown = examples(words).splitlines()[2:]
    assert said[0] == said[1] and shown and all(f"\n  {line}\n" in said[0] for line in shown)


@pytest.mark.parametrize("line", sorted(EXAMPLES))
def test_an_example_parses(line):
    """All options and arguments are read; nothing is executed."""
    command, words, context = cli, shlex.split(line), None
    while isinstance(command, click.Group):
        context = click.Context(command, parent=context, **command.context_settings)
        command = command.commands[words.pop(0)]
    command.make_context(str(command.name), words, parent=context)
