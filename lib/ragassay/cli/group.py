"""The command line: every verb is one call into the library."""

import errno
import sys
from pathlib import Path
from typing import Any

import click

from ragassay import __version__
from ragassay.cli.label import label
from ragassay.errors import KitError

ERROR = 1


@click.group()
@click.version_option(__version__)
def cli() -> None:
    """Model-risk validation of retrieval-augmented generation, from documents and a running assistant to a report."""


@cli.command()
@click.argument("name")
def init(name: str) -> None:
    """Write params/NAME.yml with every parameter of every notebook, commented, at its default."""
    from ragassay.run import template

    click.echo(
        f"written: {template.write(name)}\nnext: set what departs from the defaults, then `ragassay run params/{name}.yml`"
    )


@cli.command()
def doctor() -> None:
    """Say what this machine can do: versions, encoder, cache, seal, disk."""
    from ragassay.run import doctor as examination

    rows = examination.examine()
    for row in rows:
        click.echo(
            f"  {'ok  ' if row.fine else 'FLAW'} {row.what:<16} {row.found}"
            + ("" if row.fine else f"\n       {row.do}")
        )
    sys.exit(0 if all(row.fine for row in rows) else ERROR)


@cli.command()
@click.argument("parameters", type=click.Path(path_type=Path))
@click.option(
    "--reports",
    type=click.Path(path_type=Path),
    default=Path("reports"),
    show_default=True,
    help="folder of the run folders",
)
@click.option("--open", "open_report", is_flag=True, help="open the report in a browser, where there is one")
def run(parameters: Path, reports: Path, open_report: bool) -> None:
    """Execute the notebooks as PARAMETERS says and build the report; an interrupted run goes on where it stopped."""
    from ragassay.run import run as run_notebooks

    outcome = run_notebooks(parameters, reports=reports)
    for path in outcome.documents.values():
        click.echo(f"  {path}")
    click.echo(f"decision: {outcome.rating} (exit code {outcome.exit_code})")
    if open_report:
        _show(outcome.documents["html"])
    sys.exit(outcome.exit_code)


@cli.command()
@click.option(
    "--documents",
    "source",
    required=True,
    type=click.Path(path_type=Path),
    help="folder of txt, md, html, pdf, docx or jsonl files",
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="where the cases go: .jsonl or .parquet"
)
@click.option("--n", default=120, show_default=True, help="questions wanted")
@click.option(
    "--allocation",
    type=click.Choice(["proportional", "equal"]),
    default="proportional",
    show_default=True,
    help="over the strata",
)
@click.option("--seed", default=0, show_default=True)
def questions(source: Path, out: Path, **options: Any) -> None:
    """Make questions from documents by rule, without a language model, over every stratum of them."""
    from ragassay.cli import questions

    questions.questions(source, out, click.echo, **options)


@cli.command()
@click.option(
    "--db",
    "url",
    required=True,
    metavar="URL",
    help="sqlite:///bank.db, postgresql+psycopg://user@host/name, or an SQLite file",
)
@click.option(
    "--templates",
    type=click.Path(path_type=Path),
    help="SQL and text templates to use; without it the schema's own are made by rule",
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="where the cases go: .jsonl or .parquet"
)
@click.option(
    "--save-templates",
    type=click.Path(path_type=Path),
    help="write the templates used here, to be edited and given back by --templates",
)
@click.option(
    "--styles", default="", help="of the wordings made by rule, parted by commas; all where none is named"
)
@click.option("--cap", default=200, show_default=True, help="combinations of values tried per template")
@click.option("--groups", default=0, show_default=True, help="queries kept per template; 0 keeps all")
@click.option("--balanced", is_flag=True, help="as many questions for every query")
@click.option("--seed", default=0, show_default=True)
@click.option(
    "--judge",
    default="",
    metavar="URL",
    help="an OpenAI-compatible endpoint that writes the templates; its key in RAGASSAY_JUDGE_KEY",
)
@click.option("--judge-model", default="", metavar="NAME", help="the endpoint's name of the model")
@click.option(
    "--journal",
    type=click.Path(path_type=Path, dir_okay=False),
    help="file of the model's paid replies: none is paid for twice",
)
@click.option(
    "--dry-run", is_flag=True, help="say how many calls and tokens the model would take, and send nothing"
)
def grounded(
    out: Path, judge: str, judge_model: str, journal: Path | None, dry_run: bool, **options: Any
) -> None:
    """Make questions whose answers a database knows; it is only read, never written."""
    from ragassay.cli import grounded

    grounded.grounded(out, click.echo, model=grounded.Model(judge, judge_model, journal, dry_run), **options)


@cli.command()
@click.argument("source", metavar="INPUT", required=False, type=click.Path(path_type=Path))
@click.option(
    "--metrics",
    default="default",
    show_default=True,
    help="names parted by commas; default, judge, or all but those that need a judge",
)
@click.option("--out", type=click.Path(path_type=Path), help="where the scores go: .parquet, .jsonl or .csv")
@click.option(
    "--map",
    "pairs",
    multiple=True,
    metavar="OURS=THEIRS",
    help="which column of yours is which of ours: question=prompt",
)
@click.option("--schema", default="", help="the tool the input comes from; detected where it is not named")
@click.option(
    "--cases",
    type=click.Path(path_type=Path),
    help="what is known of the cases: reference_answer, answerable, ...",
)
@click.option("--batch", default=256, show_default=True, help="answers held in memory at once")
@click.option("--model", default="minilm", show_default=True, help="the encoder")
@click.option(
    "--list", "listing", is_flag=True, help="show every metric and what it needs, and score nothing"
)
@click.option(
    "--judge",
    default="",
    metavar="URL",
    help="an OpenAI-compatible endpoint for the metrics that need one; its key in RAGASSAY_JUDGE_KEY",
)
@click.option("--judge-model", default="", metavar="NAME", help="the endpoint's name of the model")
@click.option(
    "--dry-run", is_flag=True, help="say how many calls and tokens the judge would take, and send nothing"
)
@click.option("--price-in", default=0.0, metavar="X", help="what a million tokens sent to the judge cost")
@click.option("--price-out", default=0.0, metavar="Y", help="what a million tokens received from it cost")
@click.option("--seed", default=0, show_default=True, help="sent to the judge with every request")
@click.option(
    "--journal",
    type=click.Path(path_type=Path, dir_okay=False),
    help="file of the judge's paid replies: none is paid for twice",
)
def score(source: Path | None, pairs: tuple[str, ...], listing: bool, **options: Any) -> None:
    """Score the answers in INPUT (jsonl, csv, tsv, parquet, json, xlsx), with our column names or those of another tool."""
    from ragassay.cli import scoring

    if listing:
        click.echo(scoring.listing())
        return
    if source is None:
        raise click.UsageError("Missing argument 'INPUT'.")
    scoring.score(source, pairs, click.echo, **options)


@cli.command()
@click.option(
    "--scores",
    required=True,
    type=click.Path(path_type=Path),
    help="what `ragassay score --out` wrote: .parquet, .jsonl or .csv",
)
@click.option(
    "--labels",
    required=True,
    type=click.Path(path_type=Path),
    help="CSV of labels: case_id, dimension, rater, label, scale",
)
@click.option("--metric", required=True, metavar="NAME", help="the score to be calibrated")
@click.option("--dimension", required=True, metavar="NAME", help="the judgement it is calibrated to")
@click.option("--alpha", default=0.1, show_default=True, help="error rate allowed to the prediction sets")
@click.option(
    "--accept-from",
    type=float,
    help="lowest label that accepts; the top of a 0-1 scale, or its upper third, where not named",
)
@click.option("--seed", default=0, show_default=True, help="of the split of the labels")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="folder for the model, thresholds, verdicts, figures and a card",
)
def calibrate(**options: Any) -> None:
    """Turn a score into the probability that people accept, and into accept, reject or review at a stated error rate."""
    from ragassay.cli import scoring

    scoring.calibrate(click.echo, **options)


@cli.command()
@click.argument("suite", required=False, type=click.Path(path_type=Path))
@click.option(
    "--scorer",
    default="offline",
    show_default=True,
    help="offline, judge, rules, or the folder of a small judge",
)
@click.option("--json", "as_json", is_flag=True, help="pass rates as JSON, beside those of rules alone")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="folder for every check, the pass rates and the matrix",
)
@click.option(
    "--judge", default="", metavar="URL", help="an OpenAI-compatible endpoint; its key in RAGASSAY_JUDGE_KEY"
)
@click.option("--judge-model", default="", metavar="NAME", help="the endpoint's name of the model")
@click.option(
    "--journal",
    type=click.Path(path_type=Path, dir_okay=False),
    help="file of the judge's paid replies: none is paid for twice",
)
@click.option(
    "--dry-run", is_flag=True, help="say how many calls and tokens the judge would take, and send nothing"
)
def instruments(**options: Any) -> None:
    """Examine a scorer or judge on unit tests in GroUSE's format: SUITE, or the bundled 144 tests on banking questions."""
    from ragassay.cli import scoring

    scoring.instruments(click.echo, **options)


@cli.command()
@click.argument("run_dir", type=click.Path(path_type=Path))
def report(run_dir: Path) -> None:
    """Build the report anew from what RUN_DIR holds, finished or not."""
    from ragassay.report import build

    for path in build(run_dir).values():
        click.echo(f"  {path}")


@cli.command()
@click.argument("run_dir", type=click.Path(path_type=Path))
def verify(run_dir: Path) -> None:
    """Recompute every hash in RUN_DIR's manifest; exit 1 if a file is missing or differs."""
    from ragassay.run import manifest

    flaws = manifest.verify(run_dir)
    for flaw in flaws:
        click.echo(f"  {flaw['file']}: expected {flaw['expected'][:16]}, found {flaw['found'][:16]}")
    click.echo(f"SHA-256 of the manifest: {manifest.sha256(run_dir)}")
    click.echo(
        f"{len(flaws)} file(s) differ from the manifest" if flaws else "every file agrees with the manifest"
    )
    sys.exit(ERROR if flaws else 0)


cli.add_command(label)


def main() -> None:
    """Run the command line; an error the user can mend is shown without a traceback."""
    try:
        cli.main(standalone_mode=False)
    except click.ClickException as problem:
        problem.show()
        sys.exit(ERROR)
    except KitError as problem:
        click.echo(f"\nragassay: {problem}", err=True)
        sys.exit(ERROR)
    except (KeyboardInterrupt, click.Abort):
        click.echo(
            "\nragassay: interrupted; what was finished is kept, run the same command to go on", err=True
        )
        sys.exit(ERROR)
    except OSError as problem:
        if problem.errno != errno.ENOSPC:
            raise
        click.echo(
            f"\nragassay: the disk is full\n  where: {problem.filename}\n  do: make room and run the same command; what was finished is kept",
            err=True,
        )
        sys.exit(ERROR)


def _show(document: Path) -> None:
    import os
    import webbrowser

    if sys.platform in ("win32", "darwin") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        webbrowser.open(document.resolve().as_uri())
