"""The command line: each verb its options, the words it says, and a call into the library.

run          run: the notebooks and the report; init, doctor, demo; serve
finished_run report, gate, sign, verify, diff, explore, adopt
files        questions, grounded, score, label, calibrate, instruments, diagnose
options      what verbs share; what is said, and how a verb ends
examples.txt lines to copy, shown at the end of every help
Verbs load the library when they are called: `ragassay --help` answers at once.
"""

from importlib import resources

import click

from ragassay import __version__
from ragassay.cli.files import calibrate, diagnose, grounded, instruments, label, questions, score
from ragassay.cli.finished_run import adopt, diff, explore, gate, report, sign, verify
from ragassay.cli.options import ending
from ragassay.cli.run import demo, doctor, init, run, serve

VERBS = (  # what most people need first: six
    demo, init, run, score, label, report, explore, adopt, calibrate, gate, sign, verify, diff, doctor,
    questions, grounded, diagnose, instruments, serve,
)  # fmt: skip
HELP = {"help_option_names": ["-h", "--help"]}
EXAMPLES = resources.files("ragassay.cli").joinpath("examples.txt").read_text("utf-8").splitlines()


class Verbs(click.Group):
    """The verbs in their order."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, verbs in (("Commands", VERBS[:6]), ("More", VERBS[6:])):
            with formatter.section(title):
                formatter.write_dl([(str(verb.name), verb.get_short_help_str(60)) for verb in verbs])


def examples(words: str) -> str:
    """The lines to copy that begin with these words, as they end a help."""
    shown = [line for line in EXAMPLES if f"{line} ".startswith(f"{words} ")]
    return "\n".join(["\b", "Examples:", *(f"  ragassay {line}" for line in shown)])  # \b: not wrapped


@click.group(cls=Verbs, context_settings=HELP, epilog=examples("demo"))
@click.version_option(__version__)
def cli() -> None:
    """Model-risk validation of retrieval-augmented generation, from documents and a running assistant to a
    report."""


for verb in VERBS:
    verb.context_settings.update(HELP)  # a verb that is called by itself has both too
    verb.epilog = examples(str(verb.name))
    cli.add_command(verb)
for below in label.commands.values():
    below.epilog = examples(f"label {below.name}")


def main() -> None:
    """Run the command line; whatever stops it is told without a traceback."""
    ending(lambda: cli.main(standalone_mode=False))
