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


@click.command()
@click.argument("parameters", required=False, type=PATH)
@click.option("--log", default="", metavar="FILE", help="a log of answers: its parameter file is made first")
@click.option("--documents", default="", metavar="FOLDER", help="with --log: the folder behind its answers")
@map_option
@click.option("--reports", type=PATH, default=Path("reports"), show_default=True, help="of the run folders")
@click.option("--only", multiple=True, metavar="N[,N]", help="execute these alone, by number or name")
@click.option("--from", "start", default="", metavar="N", help="execute this and all after it")
@click.option("--force", is_flag=True, help="execute every notebook; known answers are not asked again")
@click.option("--fresh", is_flag=True, help="ask every question again; earlier answers are set aside")
@click.option(
    "-p",
    "--parameter",
    "given",
    multiple=True,
    metavar="SECTION.NAME=VALUE",
    help="a parameter in place of the file's, checked like it, noted in the manifest; repeatable",
)
@click.option("--dry-run", is_flag=True, help="say what would be executed and asked; write and ask nothing")
@click.option("--json", "as_json", is_flag=True, help="one JSON object on standard output, and nothing else")
@click.option("-q", "--quiet", "verbosity", flag_value=-1, type=int, default=0, help="say the decision alone")
@click.option("-v", "--verbose", "verbosity", flag_value=1, help="say every cell, and why one is executed")
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
    from ragassay.answers.log_schemas import parse_mapping
    from ragassay.run import parameter_file
    from ragassay.run.runner import Selection

    log, documents, mapping = asked["log"], asked["documents"], parse_mapping(asked["pairs"])
    if not log and (parameters is None or documents or mapping):
        raise click.UsageError("Name PARAMETERS, or a log of answers: --log FILE.")
    select = Selection(asked["only"], asked["start"], asked["force"])
    how = {"select": select, "fresh": asked["fresh"], "given": asked["given"]}
    with tempfile.TemporaryDirectory() as folder:  # a dry run leaves no parameter file
        path, drafts = parameters or Path(), Path(folder) if dry_run else None
        if log:
            path, read_as = parameter_file.write_for_log(log, parameters, documents, mapping, drafts=drafts)
            if verbosity >= 0:
                say_read_as(read_as, err=True)
                state = "written for this log" if read_as else "as it stands"
                say(f"  parameters: {path}, {state}", err=True)
        if dry_run:
            return _say_plan(path, reports, as_json, how)
    outcome = running.run(path, reports=reports, verbosity=verbosity, **how)
    if as_json:
        record = asdict(outcome)
        record["run"] = record.pop("run_dir")
        say(json.dumps(record, default=str))
    else:
        say_outcome(outcome, verbosity)
    return outcome


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


@click.command()
@click.argument("name")
@click.option("--documents", default="", metavar="FOLDER", help="folder of documents behind the assistant")
@click.option("--log", default="", metavar="FILE", help="file of logged answers; no assistant is asked")
@click.option(
    "--assistant",
    default="",
    metavar="NAME",
    help="what answers: module:name or file.py:name of ask(question); or a .yml that describes an endpoint",
)
@map_option
@click.option("--all", "everything", is_flag=True, help="show every parameter, not only those often set")
@replace_option
def init(name: str, log: str, assistant: str, pairs: tuple[str, ...], **options: Any) -> None:
    """Write params/NAME.yml with the parameters that most people set, commented, at their defaults.

    With a log, or documents and an assistant, the file runs as it is. Of a log it says which column is read
    as which.
    """
    from ragassay.answers.log_schemas import parse_mapping
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
@click.option(
    "--out", type=PATH, default=Path("ragassay-demo"), show_default=True, help="folder that is made"
)
def demo(out: Path) -> None:
    """Try the kit: the bundled bank's assistant validated on eight of its documents, in minutes.

    The folder holds its documents, questions, labels and parameters, to be changed and run again. Exit code 0
    once the report is there, whatever it decides.
    """
    from ragassay import run
    from ragassay.run import parameter_file

    parameters = parameter_file.write_demo(out)
    outcome = run.run(parameters, reports=out / "reports")
    say_outcome(outcome, 0)
    say(f"the report: {outcome.documents['html']}")
    say(f"change {parameters} and run it again: ragassay run {parameters} --reports {out / 'reports'}")


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="another needs RAGASSAY_API_KEY")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes any that is free"
)
@click.option("--calibration", type=FOLDER, metavar="DIR", help="what `calibrate --out` left: /calibrated")
@click.option("--answers", type=COUNT, default=64, show_default=True, help="most answers of a request")
def serve(host: str, port: int, calibration: Path | None, answers: int) -> None:
    """Serve scores and calibrated verdicts over HTTP: /score, /calibrated, /metrics, /health, /openapi.json.

    The key that every request must show stands in RAGASSAY_API_KEY.
    """
    missing = [name for name in ("fastapi", "uvicorn") if importlib.util.find_spec(name) is None]
    if missing:
        raise KitError(f"{' and '.join(missing)} not installed", do=install("serve"))
    from ragassay.api.saved_calibration import read_calibration
    from ragassay.serve import app
    from ragassay.serve.app import Limits, Worker

    saved = read_calibration(calibration) if calibration else None
    app.serve(Worker(Limits(answers), saved), host=host, port=port, say=say)
