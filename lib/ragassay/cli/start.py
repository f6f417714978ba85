"""The verbs to begin with, init, doctor, demo; and serve."""

import importlib.util
import sys
from pathlib import Path

import click

from ragassay.cli.options import COUNT, FOLDER, PATH, map_option, replace_option
from ragassay.cli.run import say_outcome
from ragassay.cli.terminal import say, say_read_as
from ragassay.errors import KitError, install

DOCUMENTS = "folder of the documents behind the assistant (txt, md, html, pdf, docx)"
LOG = "file of logged answers; no assistant is asked then"
ASSISTANT = "what answers: module:name or file.py:name of ask(question); or a .yml that describes an endpoint"
DEMO = Path("ragassay-demo")


@click.command()
@click.argument("name")
@click.option("--documents", default="", metavar="FOLDER", help=DOCUMENTS)
@click.option("--log", default="", metavar="FILE", help=LOG)
@click.option("--assistant", default="", metavar="NAME", help=ASSISTANT)
@map_option
@replace_option
def init(name: str, documents: str, log: str, assistant: str, pairs: tuple[str, ...], replace: bool) -> None:
    """Write params/NAME.yml with every parameter of every notebook, commented, at its default.

    With a log, or documents and an assistant, the file runs as it is. Of a log it says which column is read
    as which.
    """
    from ragassay.answers.log_formats import parse_mapping
    from ragassay.run.parameter_file import init_file

    mapping = parse_mapping(pairs)
    path = init_file.write(name, documents, log, assistant, mapping=mapping, replace=replace)
    say_read_as(init_file.describe_columns(log, mapping) if log else ())
    say(f"written: {path}")
    set_first = "" if log or assistant else "set what departs from the defaults, then "
    say(f"next: {set_first}`ragassay run {path}`")


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
