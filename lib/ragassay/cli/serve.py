"""`ragassay serve`."""

import importlib.util
from pathlib import Path

import click

from ragassay.cli.options import COUNT, FOLDER
from ragassay.cli.terminal import say
from ragassay.errors import KitError, install

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
