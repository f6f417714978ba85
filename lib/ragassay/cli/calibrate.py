"""`ragassay calibrate`: scores and labels in, a folder of calibrated verdicts out."""

from pathlib import Path
from typing import Any

import click

from ragassay.cli.options import INNER_SHARE, PATH, SEED, replace_option
from ragassay.cli.terminal import say
from ragassay.defaults import ALPHA

SCORES = "what `ragassay score --out` wrote, or a log of another tool, with its own scores"
LABELS = "labels: case_id, dimension, rater, label, scale; or a log with judgements of people"
PAIRS = "which column of the scores is which of ours: score:NAME=COLUMN, case_id=COLUMN"
LABEL_PAIRS = "which column of the labels is which of ours: label:DIMENSION=COLUMN, rater=COLUMN"
ERROR_RATE = "error rate allowed to the prediction sets"
ACCEPT_FROM = "lowest label that accepts; the top of a 0-1 scale, or its upper third, where not named"
OUT = "folder for the model, thresholds, verdicts, tables and figures"


@click.command()
@click.option("--scores", required=True, type=PATH, help=SCORES)
@click.option("--labels", required=True, type=PATH, help=LABELS)
@click.option("--map", "pairs", multiple=True, metavar="OURS=THEIRS", help=PAIRS)
@click.option("--map-labels", "label_pairs", multiple=True, metavar="OURS=THEIRS", help=LABEL_PAIRS)
@click.option("--metric", required=True, metavar="NAME", help="the score to be calibrated")
@click.option("--dimension", required=True, metavar="NAME", help="the judgement it is calibrated to")
@click.option("--alpha", type=INNER_SHARE, default=ALPHA, show_default=True, help=ERROR_RATE)
@click.option("--accept-from", type=float, help=ACCEPT_FROM)
@click.option("--seed", type=SEED, default=0, show_default=True, help="of the split of the labels")
@click.option("--out", required=True, type=PATH, help=OUT)
@replace_option
def calibrate(scores: Path, labels: Path, out: Path, replace: bool, **options: Any) -> None:
    """Turn a score into the probability that people accept, and into accept, reject or review
    at a stated error rate.
    """
    from ragassay import api
    from ragassay.answers.log_formats import parse_mapping
    from ragassay.api import saved_calibration

    saved_calibration.check_output_folder(out, [scores, labels], replace)
    maps = {
        "scores": parse_mapping(options.pop("pairs")),
        "labels": parse_mapping(options.pop("label_pairs")),
    }
    found = api.calibrate(scores, labels, mapping=maps, **options)
    say(repr(found))
    for path in saved_calibration.write(found, out, replace=replace):
        say(f"  {path}")
