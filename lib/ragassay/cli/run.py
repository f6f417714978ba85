"""`ragassay run`; the verbs to begin with, init, doctor, demo; and serve."""

import importlib.util
import json
import os
import sys
import tempfile
import webbrowser
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ragassay.cli.options import COUNT, FOLDER, PATH, map_option, replace_option, say, say_line, say_read_as
from ragassay.errors import KitError, install

REPORTS = Path("reports")
QUIET, LOUD = "say the decision and its cause alone", "say every cell, and why one is executed"
ONLY = "execute these notebooks alone, changed or not, by number or name; repeatable, or with commas"
FROM = "execute this notebook and those after it, changed or not; those before must be finished"
FRESH = "ask every question again; the answers of before are set aside"
FORCE = "execute every notebook, changed or not; answers known are not asked again"
GIVEN = "a parameter in place of the file's, checked like it, noted in the manifest; repeatable"
LOG = (
    "a log of answers: PARAMETERS, params/NAME.yml by the log's name where not named, is written for it first"
)
DOCUMENTS = "with --log: the folder of documents; where there is none, the log's passages stand for them"
DRY = "say what would be executed and asked, and why; write and ask nothing"


@click.command()
@click.argument("parameters", required=False, type=PATH)
@click.option("--log", default="", metavar="FILE", help=LOG)
@click.option("--documents", default="", metavar="FOLDER", help=DOCUMENTS)
@map_option
@click.option("--reports", type=PATH, default=REPORTS, show_default=True, help="folder of the run folders")
@click.option("--only", multiple=True, metavar="N[,N]", help=ONLY)
@click.option("--from", "start", default="", metavar="N", help=FROM)
@click.option("--force", is_flag=True, help=FORCE)
@click.option("--fresh", is_flag=True, help=FRESH)
@click.option("-p", "--parameter", "given", multiple=True, metavar="SECTION.NAME=VALUE", help=GIVEN)
@click.option("--dry-run", is_flag=True, help=DRY)
@click.option("--json", "as_json", is_flag=True, help="one JSON object on standard output, and nothing else")
@click.option("-q", "--quiet", "verbosity", flag_value=-1, type=int, default=0, help=QUIET)
@click.option("-v", "--verbose", "verbosity", flag_value=1, help=LOUD)
@click.option("--open", "open_report", is_flag=True, help="open the report in a browser, where there is one")
def run(as_json: bool, open_report: bool, **asked: Any) -> None:
    """Execute the notebooks as PARAMETERS says and build the report; an interrupted run goes on where it
    stopped, and what is unchanged is skipped. With --log a file of answers goes to a report at once.

    Exit codes: 0 everything passed, 1 error, 2 a gate failed or a grave finding is open, 3 the evidence is
    incomplete.
    """
    try:
        outcome = _run(as_json, **asked)
    except KitError as problem:
        if as_json:
            parts = {name: getattr(problem, name) for name in ("what", "where", "found", "expected", "do")}
            error = {name: None if part is None else str(part) for name, part in parts.items()}
            say(json.dumps({"exit_code": 1, "error": error}))
        raise
    if outcome is None:  # a dry run
        return
    has_screen = sys.platform in ("win32", "darwin") or {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys()
    if open_report and "html" in outcome.documents and has_screen:
        webbrowser.open(outcome.documents["html"].resolve().as_uri())
    sys.exit(outcome.exit_code)


def _run(
    as_json: bool, parameters: Path | None, reports: Path, dry_run: bool, verbosity: int, **asked: Any
) -> Any:
    """Run, and say what was decided, or would be executed; the outcome, None of a dry run."""
    from ragassay import run as running
    from ragassay.run.runner import Selection

    select = Selection(asked["only"], asked["start"], asked["force"])
    how = {"select": select, "fresh": asked["fresh"], "given": asked["given"]}
    with tempfile.TemporaryDirectory() as drafts:  # a dry run leaves no parameter file
        path = _parameters(parameters, Path(drafts) if dry_run else None, verbosity, asked)
        if dry_run:
            return _say_plan(path, reports, as_json, how)
    outcome = running.run(path, reports=reports, verbosity=verbosity, **how)
    if as_json:
        record = asdict(outcome)
        say(json.dumps({**record, "run": record.pop("run_dir")}, default=str))
    else:
        say_outcome(outcome, verbosity)
    return outcome


def _parameters(named: Path | None, drafts: Path | None, verbosity: int, asked: dict[str, Any]) -> Path:
    """The parameter file: as named, or that of a log, written where it is not there."""
    from ragassay.answers.log_formats import parse_mapping
    from ragassay.run import parameter_file

    log, documents, mapping = asked["log"], asked["documents"], parse_mapping(asked["pairs"])
    if not log:
        if named is None or documents or mapping:
            raise click.UsageError("Name PARAMETERS, or a log of answers: --log FILE.")
        return named
    path, read_as = parameter_file.write_for_log(log, named, documents, mapping, drafts=drafts)
    if verbosity >= 0:
        say_read_as(read_as, err=True)
        if drafts is None:
            say(f"  parameters: {path}, {'written for this log' if read_as else 'as it stands'}", err=True)
    return path


def say_outcome(outcome: Any, verbosity: int) -> None:
    """What a finished run decides, what caused its exit code, and where its documents are."""
    if verbosity >= 0:
        for path in outcome.documents.values():
            say(f"  {path}")
        if outcome.sha256:
            say(f"SHA-256 of SHA256SUMS: {outcome.sha256}")
    say(f"decision: {outcome.rating} (exit code {outcome.exit_code})")
    if outcome.causes:
        say_line(f"cause of exit code {outcome.exit_code}: {'; '.join(outcome.causes)}")
    for sentence in outcome.rationale if verbosity >= 0 else ():
        say(f"  {sentence}")


def _say_plan(parameters: Path, reports: Path, as_json: bool, how: dict[str, Any]) -> None:
    from ragassay.run import dry_run

    asked, steps = dry_run.plan(parameters, reports, **how)
    calls = dry_run.planned_calls(asked.values, asked.settings, asked.run_dir, fresh=how["fresh"])
    if as_json:
        notebooks = [asdict(step) for step in steps]
        say(json.dumps({"run": str(asked.run_dir), "notebooks": notebooks, "questions": asdict(calls)}))
        return
    say(f"nothing is executed and nothing is written; this run would go to {asked.run_dir}")
    for step in steps:
        say(f"  {step.notebook:<20} {step.action}{step.why and ': '}{step.why}")
    for line in dry_run.describe_calls(calls):
        say(line)


SOURCE = "folder of the documents behind the assistant (txt, md, html, pdf, docx)"
LOGGED = "file of logged answers; no assistant is asked then"
ASSISTANT = "what answers: module:name or file.py:name of ask(question); or a .yml that describes an endpoint"
ALL = "show every parameter of every notebook, not only those that most people set"
DEMO = Path("ragassay-demo")


@click.command()
@click.argument("name")
@click.option("--documents", default="", metavar="FOLDER", help=SOURCE)
@click.option("--log", default="", metavar="FILE", help=LOGGED)
@click.option("--assistant", default="", metavar="NAME", help=ASSISTANT)
@map_option
@click.option("--all", "everything", is_flag=True, help=ALL)
@replace_option
def init(name: str, log: str, assistant: str, pairs: tuple[str, ...], **options: Any) -> None:
    """Write params/NAME.yml with the parameters that most people set, commented, at their defaults.

    With a log, or documents and an assistant, the file runs as it is. Of a log it says which column is read
    as which.
    """
    from ragassay.answers.log_formats import parse_mapping
    from ragassay.run import parameter_file

    mapping = parse_mapping(pairs)
    path = parameter_file.write(name, log=log, assistant=assistant, mapping=mapping, **options)
    say_read_as(parameter_file.describe_columns(log, mapping) if log else ())
    set_first = "" if log or assistant else "set what departs from the defaults, then "
    say(f"written: {path}\nnext: {set_first}`ragassay run {path}`")


@click.command()
def doctor() -> None:
    """Say what this machine can do: versions, encoder, cache, seal, disk."""
    from ragassay.run import doctor as checks

    rows = checks.examine()
    for row in rows:
        say(f"  {'ok  ' if row.fine else 'FLAW'} {row.what:<16} {row.found}")
        if not row.fine:
            say(f"       {row.do}")
    sys.exit(0 if all(row.fine for row in rows) else 1)


@click.command()
@click.option("--out", type=PATH, default=DEMO, show_default=True, help="folder that is made")
def demo(out: Path) -> None:
    """Try the kit: the bundled bank's assistant validated on eight of its documents, in minutes.

    The folder holds its documents, questions, labels and parameters, to be changed and run again. Exit code 0
    once the report is there, whatever it decides.
    """
    from ragassay import run
    from ragassay.run import demo as demonstration

    parameters = demonstration.write(out)
    outcome = run.run(parameters, reports=out / "reports")
    say_outcome(outcome, 0)
    say(f"the report: {outcome.documents['html']}")
    say(f"change {parameters} and run it again: ragassay run {parameters} --reports {out / 'reports'}")


HOST = "where it listens; another than 127.0.0.1 needs a key in RAGASSAY_API_KEY"
CALIBRATION = "what `ragassay calibrate --out` left, for /calibrated"
MIB = 2**20


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help=HOST)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes any that is free"
)
@click.option("--calibration", type=FOLDER, metavar="DIR", help=CALIBRATION)
@click.option("--answers", type=COUNT, default=64, show_default=True, help="most answers of a request")
@click.option(
    "--body", type=click.IntRange(1, 1024), default=2, show_default=True, help="most MiB of a request"
)
@click.option(
    "--waiting", type=COUNT, default=8, show_default=True, help="most requests that are scored or wait for it"
)
@click.option(
    "--seconds", type=click.IntRange(1, 3600), default=60, show_default=True, help="longest time of a request"
)
def serve(host: str, port: int, calibration: Path | None, body: int, **limits: int) -> None:
    """Serve scores and calibrated verdicts over HTTP: /score, /calibrated, /metrics, /health, /openapi.json.

    The key that every request must show stands in RAGASSAY_API_KEY.
    """
    missing = [name for name in ("fastapi", "uvicorn") if importlib.util.find_spec(name) is None]
    if missing:
        raise KitError(f"{' and '.join(missing)} not installed", do=install("serve"))
    from ragassay.api.saved_calibration import read_calibration
    from ragassay.serve import app
    from ragassay.serve.worker import Limits, Worker

    saved = read_calibration(calibration) if calibration else None
    app.serve(Worker(Limits(body=body * MIB, **limits), saved), host=host, port=port, say=say)
