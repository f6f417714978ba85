"""`ragassay label` and `calibrate`: sheets out, labels in, what n labels buy; calibrated verdicts."""

from pathlib import Path
from typing import Any

import click

from ragassay import defaults
from ragassay.cli.options import COUNT, FROM_NONE, INNER_SHARE, PATH, SEED, replace_option, say
from ragassay.defaults import ALPHA
from ragassay.errors import ParameterError

SIZES = ",".join(map(str, defaults.LABEL_COUNTS))
MAP = "which column of the scores is which of ours: score:NAME=COLUMN"
MAP_LABELS = "which column of the labels is which of ours: label:DIMENSION=COLUMN, rater=COLUMN"
SHARE: Any = {"type": INNER_SHARE, "show_default": True}


@click.group()
def label() -> None:
    """Have answers labelled by people: sheets out, labels in, and how many are needed."""


@label.command()
@click.option("--run", required=True, type=PATH, help="run folder that holds the answers")
@click.option("--out", required=True, type=PATH, help="the sheet: .csv, .xlsx, or .json for Label Studio")
@click.option("--n", type=COUNT, default=defaults.N_LABELLED, show_default=True, help="answers to label")
@click.option("--dimensions", "asked", default=defaults.DIMENSIONS, show_default=True, help="what is judged")
@click.option("--raters", "--rater", "who", default="1", help="names parted by commas, or how many")
@click.option("--overlap", type=FROM_NONE, help="answers that a pair of raters judges; 50 for several raters")
@click.option("--guide", "guide_file", metavar="FILE", help="labelling guide of your own, added to the rules")
@click.option("--seed", type=SEED, default=0, show_default=True, help="of the draw and of the order")
@replace_option
def export(run: Path, out: Path, who: str, **options: Any) -> None:
    """Write sheets blinded to system and score, in random order, one row per answer; the answers are drawn at
    random within each origin and topic of the questions."""
    from ragassay.calibration.calibrators import FEWEST_LABELS
    from ragassay.labels import sheets
    from ragassay.scores.display_names import level_name

    found = sheets.export_sheets(run, out, raters=sheets.rater_names(who), **options)
    say("answers to label, drawn at random within origin and topic:")
    for origin in found.origins.itertuples():
        few = origin.drawn < min(FEWEST_LABELS, origin.answers)
        speaks = f", too few to speak for them: {FEWEST_LABELS} needed" if few else ""
        say(f"  {level_name('origin', origin.origin)}: {origin.drawn:,} of {origin.answers:,}{speaks}")
    if len(found.paths) > 1:
        say(f"{len(found.paths)} raters, {found.shared:,} answers judged by two of them")
    for path in found.files:
        say(f"  {path}")
    unnamed = "" if all(found.paths) else " --rater NAME"
    named = " ".join(map(str, found.paths.values()))
    say(f"next: label, then `ragassay label import {named} --run {run} --out labels.csv{unnamed}`")


@label.command("import")
@click.argument("files", nargs=-1, required=True, type=PATH)
@click.option("--run", required=True, type=PATH, help="run folder the sheets were made from")
@click.option("--out", required=True, type=PATH, help="CSV of labels, as notebook 04 reads it")
@click.option("--rater", default="", metavar="NAME", help="who judged, where a sheet does not say")
@click.option("--keep-good", is_flag=True, help="leave wrong cells out instead of stopping")
@replace_option
def import_(files: tuple[Path, ...], run: Path, out: Path, **options: Any) -> None:
    """Check every cell of the sheets that came back (CSV, Excel, Label Studio)
    and write their labels.
    """
    from ragassay.labels import sheets

    found = sheets.import_sheets(files, run, out, **options)
    for flaw in found.flaws:
        say(f"left out: {flaw}")
    labels, by = found.labels, found.labels.groupby("dimension").size()
    counts = ", ".join(f"{dimension} {n}" for dimension, n in by.items())
    answers, who = len(labels[["case_id", "system"]].drop_duplicates()), labels["rater"].nunique()
    say(f"{len(labels):,} labels ({counts}) of {answers} answers by {who} raters")
    facts = {
        "cells empty: not labelled": found.empty,
        "labels given twice alike, counted once": found.repeated,
        "labels of answers that have changed since: kept, set aside when read": found.changed,
    }
    for what, n in facts.items():
        if n:
            say(f"{n:,} {what}")
    say(f"written: {out}")
    say(f"next: `labels: {out}` under 02_functionality in the parameters")


@label.command()
@click.option("--n", "sizes", default=SIZES, show_default=True, help="numbers of labels, parted by commas")
@click.option("--accepted", default=defaults.ACCEPTED, help="share of answers that people accept", **SHARE)
@click.option("--sensitivity", default=defaults.SENSITIVITY, help="share of these it accepts too", **SHARE)
@click.option("--specificity", default=defaults.SPECIFICITY, help="share of others it rejects", **SHARE)
@click.option("--alpha", default=defaults.ALPHA, help="error rate allowed to the prediction sets", **SHARE)
@click.option("--answers", type=COUNT, default=defaults.N_JUDGED, show_default=True, help="judged in all")
def plan(sizes: str, **expected: Any) -> None:
    """Say what n labels buy: widths of intervals, coverage of prediction sets."""
    from ragassay.calibration import inference

    counts = [part.strip() for part in sizes.split(",") if part.strip()]
    if not all(part.isdecimal() for part in counts):
        raise ParameterError("numbers of labels must be whole", found=sizes, expected="such as 50,100,200")
    table = inference.plan(list(map(int, counts)), **expected)
    say(f"expected: {', '.join(f'{name} {value:g}' for name, value in expected.items())}")
    say("half widths of 95 % intervals; sets: half of the labels set the threshold")
    say(table.to_string(index=False, float_format="{:.3f}".format, na_rep="-"))


@click.command()
@click.option("--scores", required=True, type=PATH, help="what `score --out` wrote, or a log with scores")
@click.option("--labels", required=True, type=PATH, help="case_id, dimension, rater, label, scale; or a log")
@click.option("--map", "pairs", multiple=True, metavar="OURS=THEIRS", help=MAP)
@click.option("--map-labels", "label_pairs", multiple=True, metavar="OURS=THEIRS", help=MAP_LABELS)
@click.option("--metric", required=True, metavar="NAME", help="the score to be calibrated")
@click.option("--dimension", required=True, metavar="NAME", help="the judgement it is calibrated to")
@click.option("--alpha", type=INNER_SHARE, default=ALPHA, show_default=True, help="error rate allowed")
@click.option("--accept-from", type=float, help="lowest label that accepts: top of 0-1, else the upper third")
@click.option("--seed", type=SEED, default=0, show_default=True, help="of the split of the labels")
@click.option("--out", required=True, type=PATH, help="folder for model, verdicts, tables, figures")
@replace_option
def calibrate(scores: Path, labels: Path, out: Path, replace: bool, **options: Any) -> None:
    """Turn a score into the probability that people accept, and into accept, reject or review
    at a stated error rate.
    """
    from ragassay import api
    from ragassay.answers.log_schemas import parse_mapping
    from ragassay.api import calibrating

    calibrating.check_output_folder(out, [scores, labels], replace)
    names = {"scores": "pairs", "labels": "label_pairs"}
    maps = {source: parse_mapping(options.pop(name)) for source, name in names.items()}
    found = api.calibrate(scores, labels, mapping=maps, **options)
    say(repr(found))
    for path in calibrating.write_calibration(found, out, replace=replace):
        say(f"  {path}")
