"""The verbs of `ragassay label`."""

from pathlib import Path
from typing import Any

import click

PATH = click.Path(path_type=Path)


@click.group()
def label() -> None:
    """Have answers labelled by people: sheets out, labels in, and how many are needed."""


@label.command()
@click.option("--run", "run_dir", required=True, type=PATH, help="run folder that holds the answers")
@click.option("--out", required=True, type=PATH, help="the sheet: .csv, .xlsx, or .json for a tool")
@click.option("--n", default=200, show_default=True, help="answers to label")
@click.option(
    "--dimensions",
    "asked",
    default="grounded:0-1,relevant:1-5,complete:1-5",
    show_default=True,
    help="what is judged, and its scale",
)
@click.option("--rater", default="", metavar="NAME", help="who labels; several names parted by commas")
@click.option("--raters", "count", type=int, help="how many raters: each gets a sheet")
@click.option("--overlap", type=int, help="answers that every rater judges; 50 for several raters")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["csv", "xlsx", "labelstudio", "argilla"]),
    help="told by the ending of --out where not named",
)
@click.option("--guide", "guide_file", metavar="FILE", help="labelling guide of your own, added to the rules")
@click.option("--active", metavar="METRIC", help="choose a part of the answers by this metric's verdicts")
@click.option(
    "--random-share",
    default=0.5,
    show_default=True,
    help="with --active: the part that is still drawn at random",
)
@click.option("--seed", default=0, show_default=True, help="of the draw and of the order")
@click.option("--replace", is_flag=True, help="write over a sheet that is there")
def export(run_dir: Path, out: Path, rater: str, count: int | None, replace: bool, **options: Any) -> None:
    """Write sheets blinded to system and score, in random order, one row per answer."""
    from ragassay.cli import label_sheets
    from ragassay.labels.sheets import sheet

    named = len([name for name in rater.split(",") if name.strip()])
    names = sheet.rater_names(rater, max(named, 1) if count is None else count)
    label_sheets.export(click.echo, run_dir, out, label_sheets.Wish(raters=names, **options), replace=replace)


@label.command("import")
@click.argument("files", nargs=-1, required=True, type=PATH)
@click.option("--run", "run_dir", required=True, type=PATH, help="run folder the sheets were made from")
@click.option("--out", required=True, type=PATH, help="CSV of labels, as notebook 04 reads it")
@click.option("--rater", default="", metavar="NAME", help="who judged, where a sheet does not say")
@click.option("--keep-good", is_flag=True, help="leave wrong cells out instead of stopping")
@click.option("--replace", is_flag=True, help="write over a labels file that is there")
def import_(run_dir: Path, **options: Any) -> None:
    """Check every cell of the sheets that came back (CSV, Excel, Label Studio, Argilla) and write their labels."""
    from ragassay.cli import label_sheets

    label_sheets.import_(click.echo, run=run_dir, **options)


@label.command()
@click.option(
    "--n",
    "sizes",
    default="50,100,200,300,500,1000",
    show_default=True,
    help="numbers of labels to compare, parted by commas",
)
@click.option(
    "--accepted", default=0.7, show_default=True, help="share of answers that people are expected to accept"
)
@click.option(
    "--sensitivity",
    default=0.85,
    show_default=True,
    help="share of acceptable answers that the machine accepts",
)
@click.option(
    "--specificity",
    default=0.75,
    show_default=True,
    help="share of the other answers that the machine rejects",
)
@click.option("--answers", default=1000, show_default=True, help="answers the machine judges in all")
@click.option("--alpha", default=0.1, show_default=True, help="error rate allowed to the prediction sets")
@click.option("--run", "run_dir", type=PATH, help="run whose verdicts serve as the pilot for set sizes")
@click.option("--metric", default="", metavar="NAME", help="with --run: the calibrated metric")
@click.option("--seed", default=0, show_default=True, help="of the simulated calibrations")
def plan(sizes: str, run_dir: Path | None, metric: str, seed: int, **expected: Any) -> None:
    """Say what n labels buy: widths of intervals, coverage and size of prediction sets."""
    from ragassay.cli import label_sheets
    from ragassay.labels import sample_size

    label_sheets.plan(
        click.echo,
        sizes,
        sample_size.Expected(**expected),
        pilot=None if run_dir is None else (run_dir, metric),
        seed=seed,
    )
