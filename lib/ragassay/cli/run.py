"""`ragassay run`; the verbs to begin with, init, doctor, demo; and serve."""

import contextlib
import os
import platform
import shlex
import subprocess
import sys
import tempfile
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ragassay.cli.options import (
    COUNT,
    FOLDER,
    PATH,
    map_option,
    replace_option,
    say,
    say_line,
    say_read_as,
    size_option,
)
from ragassay.errors import KitError, LabelError, install


@click.command()
@click.argument("parameters", required=False, type=PATH)
@click.option("--log", default="", metavar="FILE", help="a log of answers: its parameter file is made first")
@click.option("--documents", default="", metavar="FOLDER", help="with --log: the folder behind its answers")
@map_option
@size_option
@click.option("--reports", type=PATH, default=Path("reports"), show_default=True, help="of the run folders")
@click.option("--only", multiple=True, metavar="N[,N]", help="execute these alone, by number or name")
@click.option("--from", "start", default="", metavar="N", help="execute this and all after it")
@click.option("--force", is_flag=True, help="execute every notebook; known answers are not asked again")
@click.option("--fresh", is_flag=True, help="ask every question again; earlier answers are set aside")
@click.option(
    "-p", "--parameter", "given", multiple=True, metavar="SECTION.NAME=VALUE", help="in place of the file's"
)
@click.option("--dry-run", is_flag=True, help="say what would be executed and asked; write and ask nothing")
@click.option("-q", "--quiet", is_flag=True, help="say the decision alone")
@click.option("--open", "open_report", is_flag=True, help="open the report in a browser, where there is one")
def run(parameters: Path | None, reports: Path, dry_run: bool, **asked: Any) -> None:
    """Execute the notebooks as PARAMETERS says and build the report; an interrupted run goes on where it
    stopped, and what is unchanged is skipped. With --log a file of answers goes to a report at once.

    Exit codes: 0 everything passed, 1 error, 2 a gate failed or a grave finding is open, 3 the evidence is
    incomplete.
    """
    from ragassay import run as running
    from ragassay.run import parameter_file
    from ragassay.run.runner import Selection

    log, documents, names, quiet = asked["log"], asked["documents"], asked["mapping"], asked["quiet"]
    if not log and (parameters is None or documents or names):
        raise click.UsageError("Name PARAMETERS, or a log of answers: --log FILE.")
    select = Selection(asked["only"], asked["start"], asked["force"])
    size, given = asked["size"], asked["given"]
    how = {"select": select, "fresh": asked["fresh"], "given": (*given, *[f"run.size={size}"] * bool(size))}
    with tempfile.TemporaryDirectory() as folder:  # a dry run leaves no parameter file
        path, drafts = parameters or Path(), Path(folder) if dry_run else None
        if log:
            path, read_as = parameter_file.write_for_log(log, parameters, documents, names, size, drafts)
            how_come = "written for this log" if read_as else "as it stands"
            if not quiet:
                say_read_as(read_as, err=True)
                say(f"  parameters: {path}, {how_come}", err=True)
        if dry_run:
            return _say_plan(path, reports, how)
    outcome = running.run(path, reports=reports, quiet=quiet, **how)
    say_outcome(outcome, quiet)
    has_screen = sys.platform in ("win32", "darwin") or {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys()
    if asked["open_report"] and "html" in outcome.documents and has_screen:
        webbrowser.open(outcome.documents["html"].resolve().as_uri())
    sys.exit(outcome.exit_code)


def say_outcome(outcome: Any, quiet: bool = False) -> None:
    """What a finished run decides, what caused its exit code, and where its documents are."""
    if not quiet:
        say(*(f"  {path}" for path in outcome.documents.values()))
        if outcome.sha256:
            say(f"SHA-256 of SHA256SUMS: {outcome.sha256}")
    say(f"decision: {outcome.rating} (exit code {outcome.exit_code})")
    if outcome.causes:
        say_line(f"cause of exit code {outcome.exit_code}: {'; '.join(outcome.causes)}")
    say(*(f"  {sentence}" for sentence in outcome.rationale if not quiet))


def _say_plan(path: Path, reports: Path, how: dict[str, Any]) -> None:
    from ragassay.run import question_counts, runner

    with runner.pin_places(path):
        plan = runner.prepare(path, reports, how["given"])
        steps = runner.steps(plan, how["select"], fresh=how["fresh"])
        n = sum(step["questions"] for step in steps)
        unmet = question_counts.unreachable_gates(plan.values) if n else {}
    told = question_counts.describe_cost(n, plan.settings, plan.run_dir) if n else "none"
    say(
        f"nothing is executed and nothing is written; this run would go to {plan.run_dir}",
        *(f"  {each['notebook']:<20} {each['action']}{each['why'] and ': '}{each['why']}" for each in steps),
        f"questions to the assistant: {told}",
        *(f"  {each['notebook']:<20} {each['questions']}" for each in steps if each["questions"]),
        *(f"gate {gate} cannot pass: it needs {n} probes or more" for gate, n in unmet.items()),
        *plan.warnings(),
    )


@click.command()
@click.argument("name")
@click.option("--documents", default="", metavar="FOLDER", help="folder of documents behind the assistant")
@click.option("--log", default="", metavar="FILE", help="file of logged answers; no assistant is asked")
@click.option(
    "--assistant", default="", metavar="NAME", help="module:name or file.py:name of ask(question), or a .yml"
)
@map_option
@size_option
@click.option("--all", "everything", is_flag=True, help="show every parameter, not only those often set")
@replace_option
def init(name: str, log: str, assistant: str, mapping: dict[str, str], **options: Any) -> None:
    """Write params/NAME.yml with the parameters that most people set, commented, at their defaults; with a
    log, or documents and an assistant, it runs as it is."""
    from ragassay.run import parameter_file

    path = parameter_file.write(name, log=log, assistant=assistant, mapping=mapping, **options)
    say_read_as(parameter_file.describe_columns(log, mapping) if log else ())
    set_first = "" if log or assistant else "set what departs from the defaults, then "
    say(f"written: {path}\nnext: {set_first}`ragassay run {path}`")


@click.command()
@click.argument("log", required=False, type=PATH)
@map_option
def doctor(log: Path | None, mapping: dict[str, str]) -> None:
    """Say what this machine can do; or what LOG, a file of answers, supports, and what it lacks."""
    if log:
        return _say_support(str(log), mapping)
    from ragassay import models
    from ragassay.models import batching, cache
    from ragassay.run import parameters

    def encoder() -> str:
        model, devices = models.identity(), ", ".join(batching.available_devices())
        return f"{model['name']}, SHA-256 {model['sha256'][:16]}...; on {devices}; cache {cache.location()}"

    # in a process of its own: a seal cannot be taken off again
    sealing = [sys.executable, "-c", "from ragassay import network_seal; print(network_seal.close())"]
    checks: dict[str, Callable[[], str]] = {
        "python": lambda: f"{platform.python_version()} on {platform.platform()}, {os.cpu_count()} cores",
        "models": encoder,
        "heads": lambda: ", ".join(f"{one['name']} {one['sha256'][:8]}" for one in models.shipped_heads()),
        "notebooks": lambda: f"{len(parameters.notebooks())} in {parameters.notebooks_folder()}",
        "seal": lambda: subprocess.check_output(sealing, text=True).strip(),
    }
    flaws = 0
    for name, check in checks.items():
        try:
            say(f"  ok   {name:<16} {check()}")
        except (KitError, OSError, subprocess.SubprocessError) as problem:
            flaws += 1
            say(
                f"  FLAW {name:<16} {getattr(problem, 'what', problem)}",
                f"       {getattr(problem, 'do', None) or 'see the message'}",
            )
    sys.exit(1 if flaws else 0)


def _say_support(file: str, mapping: dict[str, str]) -> None:
    from ragassay.answers import load_log
    from ragassay.answers.log_import import known_answerable
    from ragassay.api import scoring
    from ragassay.calibration.calibrators import FEWEST_LABELS
    from ragassay.decision import gates
    from ragassay.labels import human_labels
    from ragassay.run import parameter_file, parameters
    from ragassay.scores import METRICS
    from ragassay.tables import is_blank

    cases, answers = load_log(file, mapping=mapping)
    say_read_as(parameter_file.describe_columns(file, mapping))
    read, came = cases.attrs, answers[answers["error"] == ""]
    counts = f"{read['n_rows']:,} rows, {read['n_bad']:,} left out"
    say(f"{counts}; {len(came):,} answers to {len(cases):,} questions")
    say(*(f"  {flaw}" for flaw in read["flaws"][:5]))
    rows = came.merge(cases.assign(answerable=known_answerable(cases)).drop(columns="question"), on="case_id")
    filled = {name: sum(not is_blank(one) and one != [] for one in rows[name]) for name in rows}
    with contextlib.suppress(LabelError):  # it holds none
        filled["labels"] = human_labels.read(file, answers, mapping)[0]["case_id"].nunique()
    shown = ("contexts", "context_ids", "reference_answer", "reference_chunk_ids", "answerable", "labels")
    say("answers with " + ", ".join(f"{name} {filled.get(name, 0):,}" for name in shown))
    lacking = {
        name: ", ".join(sorted(need for need in METRICS[name].needs if not filled.get(need)))
        for name in scoring.metric_names("default")
    }
    for lack in dict.fromkeys(sorted(lacking.values())):
        names = ", ".join(name for name, lacks in lacking.items() if lacks == lack)
        say(f"metrics that lack {lack}: {names}" if lack else f"metrics that can be computed: {names}")
    default = next(one.default for one in parameters.schemas()["07_conclusion"] if one.name == "gates")
    for rule in gates.parse(default):
        lack = "an assistant to ask" if rule.if_asked else lacking.get(rule.metric, "")
        lack = "labels" if rule.metric.startswith("judged_") and not filled.get("labels") else lack
        needed = gates.fewest_cases(rule.bound, rule.threshold)
        lack = lack or f"answers: {needed} are needed" * (needed > len(came))
        say(f"gate {rule.name}: {f'lacks {lack}' if lack else 'can be decided'}")
    labelled, words = filled.get("labels", 0), ["ragassay", "run", "--log", file]
    words += ["--map", ",".join(f"{ours}={theirs}" for ours, theirs in mapping.items())] if mapping else []
    words += [] if filled.get("contexts") else ["--documents", "FOLDER"]
    say(
        f"calibration: {labelled} answers are labelled, {FEWEST_LABELS} are needed at least",
        f"next: {shlex.join(words)}",
        *["then: ragassay label export --run reports/NAME --out sheet.csv"] * (not labelled),
    )


@click.command()
@click.option("--out", type=PATH, default=Path("ragassay-demo"), show_default=True, help="folder it makes")
def demo(out: Path) -> None:
    """Try the kit: the bundled bank's assistant validated on eight of its documents, in minutes.

    The folder holds its documents, questions, labels and parameters, to be changed and run again. Exit code 0
    once the report is there, whatever it decides.
    """
    from ragassay import run
    from ragassay.run import parameter_file

    parameters = parameter_file.write_demo(out)
    outcome = run.run(parameters, reports=out / "reports")
    say_outcome(outcome)
    say(
        f"the report: {outcome.documents['html']}",
        f"change {parameters} and run it again: ragassay run {parameters} --reports {out / 'reports'}",
    )


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="another needs RAGASSAY_API_KEY")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any free")
@click.option("--calibration", type=FOLDER, metavar="DIR", help="what `calibrate --out` left: /calibrated")
@click.option("--answers", type=COUNT, default=64, show_default=True, help="most answers of a request")
def serve(host: str, port: int, calibration: Path | None, answers: int) -> None:
    """Serve scores and calibrated verdicts over HTTP: /score, /calibrated, /metrics, /health, /openapi.json.

    The key that every request must show stands in RAGASSAY_API_KEY.
    """
    try:
        from ragassay import serve as serving
    except ImportError as problem:
        raise KitError(f"{problem.name} is not installed", do=install("serve")) from None
    from ragassay.api.calibrating import read_calibration

    worker = serving.Worker(serving.Limits(answers), read_calibration(calibration) if calibration else None)
    serving.serve(worker, host=host, port=port, say=say)
