"""The command line: one file a verb, each its options, the words it says, and a call into the library.

init, doctor            parameters to start from; what this machine can do
questions, grounded     cases from documents, from a database
run, report, demo       the notebooks, the report; a small example to try
sign, verify            a finished run signed; whether its folder is what it was
diff                    two finished runs compared, case by case
explore, adopt          a copy of a run folder to try things in; a changed notebook taken into the engagement
score, calibrate        scores of a file of answers; the probability that people accept
diagnose                groups of queries that ask the same: gaps, robustness, the module that fails
serve                   scores and verdicts over HTTP
convert                 a log of one tool as a log of another
label                   sheets out, labels in, how many are needed
instruments             a scorer or judge examined on unit tests
options, examples       options that several verbs share; the examples that end every help
terminal                what is said and asked, and how a verb ends

Nothing of the library is loaded before a verb calls it, so that `ragassay --help` answers at once.
"""

import click

from ragassay import __version__
from ragassay.cli.adopt import adopt
from ragassay.cli.calibrate import calibrate
from ragassay.cli.convert import convert
from ragassay.cli.demo import demo
from ragassay.cli.diagnose import diagnose
from ragassay.cli.diff import diff
from ragassay.cli.doctor import doctor
from ragassay.cli.examples import START, format_examples, with_examples
from ragassay.cli.explore import explore
from ragassay.cli.gate import gate
from ragassay.cli.grounded import grounded
from ragassay.cli.init import init
from ragassay.cli.instruments import instruments
from ragassay.cli.label import label
from ragassay.cli.options import plain_texts
from ragassay.cli.questions import questions
from ragassay.cli.report import report
from ragassay.cli.run import run
from ragassay.cli.score import score
from ragassay.cli.serve import serve
from ragassay.cli.sign import sign
from ragassay.cli.terminal import ending
from ragassay.cli.verify import verify

VERBS = (
    adopt, calibrate, convert, demo, diagnose, diff, doctor, explore, gate, grounded, init,
    instruments, label, questions, report, run, score, serve, sign, verify,
)  # fmt: skip


HELP = {"help_option_names": ["-h", "--help"]}


@click.group(context_settings=HELP, epilog=format_examples(START))
@click.version_option(__version__)
def cli() -> None:
    """Model-risk validation of retrieval-augmented generation,
    from documents and a running assistant to a report.
    """


for verb in VERBS:
    verb.context_settings.update(HELP)  # a verb that is called by itself has both too
    cli.add_command(with_examples(plain_texts(verb)))


def main() -> None:
    """Run the command line; whatever stops it is told without a traceback."""
    ending(lambda: cli.main(standalone_mode=False))
