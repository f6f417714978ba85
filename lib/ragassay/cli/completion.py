"""`ragassay completion`."""

import click

from ragassay.cli.terminal import say

VARIABLE = "_RAGASSAY_COMPLETE"  # click answers a shell that sets it
WHERE = {
    "bash": 'eval "$(ragassay completion bash)"  # in ~/.bashrc',
    "zsh": 'eval "$(ragassay completion zsh)"  # in ~/.zshrc',
    "fish": "ragassay completion fish | source  # in ~/.config/fish/config.fish",
}


@click.command()
@click.argument("shell", type=click.Choice(tuple(WHERE)))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what SHELL needs to complete verbs, options and files; its start-up file evaluates it."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None  # click knows these three
    script = found(context.find_root().command, {}, "ragassay", VARIABLE).source_vars()
    say(found.source_template % script)
    say(f"# {WHERE[shell]}")
