"""`ragassay gate`."""

import sys
from pathlib import Path

import click

from ragassay.cli.options import FOLDER, PATH, replace_option
from ragassay.cli.terminal import say
from ragassay.errors import ParameterError


@click.command()
@click.argument("run_dir", metavar="RUN", type=PATH)
@click.option(
    "--out", type=FOLDER, default=Path(), show_default=True, help="folder of gates.junit.xml and gates.json"
)
@replace_option
def gate(run_dir: Path, out: Path, replace: bool) -> None:
    """Tell what became of the gates of RUN, as JUnit XML and JSON too;
    exit 0 passed, 1 error, 2 a gate failed or a grave finding is open, 3 evidence incomplete.
    """
    from ragassay import output_files, provenance
    from ragassay.report.decision_words import gate_words
    from ragassay.run import gate_results

    junit, record = out / "gates.junit.xml", out / "gates.json"
    if out.resolve().is_relative_to(provenance.source(run_dir).resolve()):
        what, do = "a run folder keeps its own files alone", "name a folder outside it: --out"
        raise ParameterError(what, where=run_dir, found=out, do=do)
    output_files.check(junit, record, inputs=[run_dir], replace=replace)
    results = gate_results.read(run_dir)
    for row in results.gates:
        beside = "" if row["decides"] else " (does not decide)"
        say(_line(f"  {row['outcome']}{beside}: {row['gate']} [{row['origin']}]: {gate_words(row)}"))
    for finding in results.findings:
        say(_line(f"  open {finding['severity']} finding {finding['finding_id']}: {finding['title']}"))
    output_files.write_text(junit, results.to_junit())
    output_files.write_text(record, results.to_json())
    say(_line(f"{results.missing or results.rating} (exit code {results.exit_code})"))
    sys.exit(results.exit_code)


def _line(text: str) -> str:
    """One line, so that no title, reason or name of the run's looks like a line of ours."""
    return " ".join(text.splitlines())
