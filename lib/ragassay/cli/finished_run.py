"""The verbs of a finished run: report, gate, sign, verify, diff, explore, adopt."""

import contextlib
import importlib.util
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click

from ragassay import output_files, provenance, search_paths
from ragassay.cli.options import FILE, FOLDER, PATH, SEED, replace_option, say, say_line
from ragassay.errors import InputError, ParameterError, install

SHOWN = {  # of a comparison, on a terminal
    "pairs": "part both only_a only_b",
    "measures": "part metric n a b difference low high outcome",
    "gates": "gate origin outcome_a outcome_b changed",
    "findings": "life finding_a finding_b severity_a severity_b",
}


def _refuse_inside(out: Path, *runs: Path) -> None:
    """ParameterError if what is written would lie in a run folder, which keeps its own files alone."""
    for run in runs:
        if out.resolve().is_relative_to(run.resolve()):
            raise ParameterError("a run folder keeps its own files", where=out, do="name another: --out")


@click.command()
@click.argument("run_dir", type=PATH)
@click.option("--template", type=PATH, help="a .docx or .dotx of yours: the Word file takes its look")
def report(run_dir: Path, template: Path | None) -> None:
    """Build the report anew from what RUN_DIR holds, finished or not, and list its files in SHA256SUMS."""
    from ragassay.report import build
    from ragassay.run import explore as exploring
    from ragassay.run import run_records

    if not search_paths.is_run_folder(provenance.find(run_dir)):
        raise InputError("there is no run to report on", where=run_dir, do="name one, such as reports/bank")
    folder = provenance.source(run_dir)
    exploring.note_departures_of_copy(folder)
    documents = build(run_dir, template)
    changed = run_records.changed_files(folder) if (folder / run_records.MANIFEST).exists() else []
    say(*(f"  not as the run made it, run again before signing: {text}" for text in changed), err=True)
    say(
        *(f"  {path}" for path in documents.values()),
        f"SHA-256 of {run_records.SUMS}: {run_records.list_files(folder)}",
    )


@click.command()
@click.argument("run_dir", metavar="RUN", type=PATH)
@click.option("--out", type=FOLDER, default=Path(), help="folder of gates.junit.xml and gates.json")
@replace_option
def gate(run_dir: Path, out: Path, replace: bool) -> None:
    """Tell what became of the gates of RUN, as JUnit XML and JSON too; exit 0 passed, 1 error, 2 a gate
    failed or a grave finding is open, 3 evidence incomplete."""
    from ragassay.report.decision_words import gate_words
    from ragassay.run import gate_results

    junit, record = out / "gates.junit.xml", out / "gates.json"
    _refuse_inside(out, provenance.source(run_dir))
    output_files.check(junit, record, inputs=[run_dir], replace=replace)
    results = gate_results.read(run_dir)
    for row in results.gates:
        aside = "" if row["decides"] else " (does not decide)"
        say_line(f"  {row['outcome']}{aside}: {row['gate']} [{row['origin']}]: {gate_words(row)}")
    for finding in results.findings:
        say_line(f"  open {finding['severity']} finding {finding['finding_id']}: {finding['title']}")
    output_files.write_text(junit, results.to_junit())
    output_files.write_text(record, results.to_json())
    say_line(f"{results.rating} (exit code {results.exit_code})")
    sys.exit(results.exit_code)


@click.command()
@click.argument("run_dir", type=PATH)
@click.option("--key", required=True, type=FILE, help="private Ed25519 key, PEM or OpenSSH")
@click.option("--name", required=True, help="who signs, as it is to be read")
@click.option("--role", default="", help="in which role: validator, owner, approver")
@click.option("--replace", is_flag=True, help="drop signatures of another state of the folder")
def sign(run_dir: Path, key: Path, **options: Any) -> None:
    """Sign RUN_DIR, once every file agrees with its hash: signature.json, beside the manifest and in none of
    its hashes."""
    from ragassay.run import verification

    def passphrase() -> str:
        known = os.environ.get("RAGASSAY_KEY_PASSPHRASE")
        return known or str(click.prompt("passphrase of the key", hide_input=True, err=True))

    made, notes = verification.sign(run_dir, key, passphrase=passphrase, **options)
    say(
        *(f"  note: {note}" for note in notes),
        f"signed by {made.who}, key {verification.fingerprint(made.key)}: {run_dir}/signature.json",
    )


@click.command()
@click.argument("run_dir", type=PATH)
@click.option("--key", "key_files", multiple=True, type=FILE, help="public key that must have signed it")
@click.option("--rerun", is_flag=True, help="execute its notebooks again and compare; it runs their code")
def verify(run_dir: Path, key_files: tuple[Path, ...], rerun: bool) -> None:
    """Check every file of RUN_DIR, its signatures, models and inputs, by their hashes; exit 1 if one is
    missing, differs or is not listed."""
    from ragassay.run import verification

    verdict = verification.verify(run_dir, key_files, rerun=rerun)
    shown = {"": verdict.flaws, "note: ": verdict.notes, "not checked: ": verdict.unchecked}
    say(
        *(f"  {word}{text}" for word, texts in shown.items() for text in texts),
        *(f"SHA-256 of {name}: {sha256}" for name, sha256 in verdict.hashes.items()),
    )
    agreed = f"every file agrees; {len(verdict.unchecked)} point(s) not checked, named above"
    say(f"{len(verdict.flaws)} flaw(s), named above" if verdict.flaws else agreed)
    sys.exit(1 if verdict.flaws else 0)


@click.command()
@click.argument("run_a", type=PATH)
@click.argument("run_b", type=PATH)
@click.option("--out", type=PATH, help="folder of page and JSON; beside RUN_B where not named")
@click.option("--seed", type=SEED, default=0, show_default=True, help="of resampling and permutations")
@replace_option
def diff(run_a: Path, run_b: Path, out: Path | None, seed: int, replace: bool) -> None:
    """Compare two finished runs case by case: champion RUN_A and challenger RUN_B, or last year's run and
    this one's. Differences are B minus A."""
    from ragassay import diff as comparing

    folders = [search_paths.absolute(provenance.source(run)) for run in (run_a, run_b)]
    folder = out or folders[1].with_name(f"{folders[0].name}-to-{folders[1].name}")
    html, data = folder / "diff.html", folder / "diff.json"
    _refuse_inside(folder, *folders)
    output_files.check(html, data, inputs=folders, replace=replace)
    found = comparing.compare_runs(*folders, seed=seed)
    output_files.write_text(data, found.to_json())
    output_files.write_text(html, found.to_html())
    say(
        *(f"  note: a difference may not be the system's: {each}" for each in found.reservations()),
        *(f"  note: {text}" for text in found.gaps),
    )
    for name, columns in SHOWN.items():
        table = getattr(found, name)[columns.split()]
        say(f"{name}\n{table.to_string(index=False, float_format='%.3g') if len(table) else '  none'}")
    say(f"written: {html}\nwritten: {data}")


@click.command()
@click.argument("run_dir", type=PATH)
@click.option("--out", type=PATH, help="folder of the copy; RUN_DIR-explore if not given")
@click.option("--no-open", is_flag=True, help="say how JupyterLab is opened, and do not open it")
def explore(run_dir: Path, out: Path | None, no_open: bool) -> None:
    """Copy RUN_DIR to try things in, and open JupyterLab there: the copy's notebooks read and write the copy,
    and the run stays as it is. Without a terminal nothing is opened."""
    from ragassay.run import explore as exploring

    copy, project = exploring.copy(run_dir, out or "")
    root = f"{search_paths.ROOT}={shlex.quote(str(project))} "  # where its inputs are
    say(
        f"copied to {copy}",
        f"next: {root}jupyter lab {shlex.quote(str(copy / 'notebooks'))}",
        f"then: ragassay report {shlex.quote(str(copy))} builds a report of what it holds",
        "      ragassay adopt NOTEBOOK takes a changed notebook into the engagement",
    )
    if importlib.util.find_spec("jupyterlab") is None:
        say(f"JupyterLab is not installed; {install('lab')}")
    elif not no_open and sys.stdin.isatty() and sys.stdout.isatty():
        words = [sys.executable, "-m", "jupyterlab", str(copy / "notebooks")]
        with contextlib.suppress(KeyboardInterrupt):  # until somebody ends it
            subprocess.run(words, env=os.environ | {search_paths.ROOT: str(project)}, check=False)


@click.command()
@click.argument("notebook", type=FILE)
@click.option("--engagement", type=FILE, help="the engagement's YAML, where the notebook's run does not say")
@click.option("--as", "name", default="", metavar="NAME", help="the kit's notebook it replaces, or a new one")
@replace_option
def adopt(notebook: Path, engagement: Path | None, name: str, replace: bool) -> None:
    """Take a changed NOTEBOOK into an engagement, which runs it from then on in place of the kit's.

    It goes to params/ENGAGEMENT/notebooks/, without what a run has left in it. The report names what departs
    from the kit's.
    """
    from ragassay.run import explore as exploring

    engagement = engagement or exploring.engagement_of(notebook)
    adopted = exploring.adopt(notebook, engagement, name, replace=replace)
    say(f"adopted: {adopted}\n{engagement} still sets its parameters\nnext: ragassay run {engagement}")
