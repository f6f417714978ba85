"""`ragassay serve`."""

import importlib.util
from pathlib import Path

import click

from ragassay.cli.options import COUNT, FOLDER, Number
from ragassay.cli.terminal import say
from ragassay.errors import KitError, install
from ragassay.serve.settings import MIB, Limits

HOST = "where it listens; another than 127.0.0.1 needs a key in RAGASSAY_API_KEY"
PORT = "0 takes any that is free"
CALIBRATION = "what `ragassay calibrate --out` left, for /calibrated"
ANSWERS, BODY = "most answers of a request", "most MiB of a request"
WAITING = "most requests that are scored or wait for it"
SECONDS = "longest time of a request"
SOME_SECONDS = Number(float, "in [1, 3600]")


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help=HOST)
@click.option("--port", type=Number(int, "in [0, 65535]"), default=8000, show_default=True, help=PORT)
@click.option("--calibration", type=FOLDER, metavar="DIR", help=CALIBRATION)
@click.option("--answers", type=COUNT, default=Limits.answers, show_default=True, help=ANSWERS)
@click.option(
    "--body", type=Number(int, "in [1, 1024]"), default=Limits.body // MIB, show_default=True, help=BODY
)
@click.option("--waiting", type=COUNT, default=Limits.waiting, show_default=True, help=WAITING)
@click.option("--seconds", type=SOME_SECONDS, default=Limits.seconds, show_default=True, help=SECONDS)
def serve(
    host: str, port: int, calibration: Path | None, answers: int, body: int, waiting: int, seconds: float
) -> None:
    """Serve scores and calibrated verdicts over HTTP: /score, /calibrated, /metrics, /health, /openapi.json.

    The key that every request must show stands in RAGASSAY_API_KEY.
    """
    missing = [name for name in ("fastapi", "uvicorn") if importlib.util.find_spec(name) is None]
    if missing:
        raise KitError(f"{' and '.join(missing)} not installed", do=install("serve"))
    from ragassay.api.saved_calibration import read_calibration
    from ragassay.serve import app, scoring_worker

    limits = Limits(answers=answers, body=body * MIB, waiting=waiting, seconds=seconds)
    saved = read_calibration(calibration) if calibration else None
    app.serve(scoring_worker.Worker(limits, saved), host=host, port=port, say=say)
