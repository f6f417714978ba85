"""The folder that `ragassay calibrate` leaves:
the model as JSON, thresholds, verdicts, figures, a card a person can read.
"""

import json
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from ragassay import output_files
from ragassay.api.calibration_result import Calibrated
from ragassay.api.scoring_result import drawing
from ragassay.calibration.ordinal_levels import LevelCalibration
from ragassay.show import clean
from ragassay.spreadsheet_injection import to_csv

VERDICTS = "verdicts.parquet"
FILES = (
    *("model.json", "thresholds.json", "kinds.csv", "coverage.csv", "errors.csv"),
    *("conformal.svg", "reliability.svg", "card.md", VERDICTS),
)


def check_output_folder(out: str | Path, inputs: Iterable[Path] = (), replace: bool = False) -> Path:
    """The folder, if the files of a calibration can be written into it; ParameterError if not."""
    output_files.check(*(Path(out) / name for name in FILES), inputs=inputs, replace=replace)
    return Path(out)


def write(found: Calibrated, out: str | Path, *, replace: bool = False) -> list[Path]:
    """Write model.json, thresholds.json, verdicts.parquet, kinds.csv, coverage.csv, errors.csv, two figures
    and card.md; the paths.

    Raises
    ------
    ParameterError
        If such files are there and `replace` is not set, or the folder cannot be made.
    """
    folder = check_output_folder(out, replace=replace)
    texts = {
        "model.json": _json(model(found)),
        "thresholds.json": _json(found.thresholds()),
        "kinds.csv": to_csv(found.calibration.selection.table),
        "coverage.csv": to_csv(found.coverage()),
        "errors.csv": to_csv(found.errors()),
        "conformal.svg": drawing(found.plot()),
        "reliability.svg": drawing(found.reliability()),
        "card.md": card(found),
    }
    for name, text in texts.items():
        output_files.write_text(folder / name, text)
    with output_files.draft(folder / VERDICTS) as draft, output_files.refusals(folder / VERDICTS):
        found.to_pandas().to_parquet(draft, index=False)
    return [folder / name for name in FILES]


def model(found: Calibrated) -> dict:
    """What gives the same verdicts again: the calibrator (`calibrators.from_json`), threshold, cut, the
    encoder behind the scores, and where they come from.
    """
    return {
        "metric": found.calibration.metric,
        "dimension": found.calibration.dimension,
        "accept_from": found.accept_from,
        "alpha": found.calibration.alpha,
        "seed": found.seed,
        "encoder": found.encoder,
        "calibrator": json.loads(found.calibration.calibrator.to_json()),
        "q_hat": found.thresholds()["q_hat"],
        "labels": {"fitting": len(found.calibration.fitting), "held_out": len(found.calibration.held_out)},
        "of_levels": None
        if found.levels is None
        else _of_levels(found.levels, found.thresholds()["q_hat_of_levels"]),
    }


def _of_levels(found: LevelCalibration, q_hat: float | None) -> dict:
    return {
        "calibrator": json.loads(found.calibrator.to_json()),
        "levels": list(found.levels),
        "q_hat": q_hat,
    }


def card(found: Calibrated) -> str:
    """The calibration for a reader: what was done, how far it can be believed, what it does not say."""
    parts = [
        f"# {_line(found.calibration.metric)} calibrated to {_line(found.calibration.dimension)}",
        "\n".join(f"- {_line(sentence, 0)}" for sentence in found.sentences()),
        "## Measured on the held-out labels",
        _markdown(found.summary()),
        "## Kinds of calibrator, by cross-validated log loss",
        _markdown(found.calibration.selection.table),
        "## Coverage of the prediction sets",
        _markdown(found.coverage()),
        "## Machine against people, at a probability of one half",
        _markdown(found.errors()),
        "## What it does not say",
        "The promise of the sets is for answers like those labelled, on average: not for each class "
        "or topic, and not after the assistant, its documents or its users have changed. No number here is "
        "better than the people who labelled.",
    ]
    return "\n\n".join(parts) + "\n"


def _markdown(table: pd.DataFrame) -> str:
    if table.empty:
        return "none"
    rows = [[_cell(value) for value in row] for row in table.itertuples(index=False, name=None)]
    lines = [list(map(str, table.columns)), ["---"] * table.shape[1], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(value: object) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return _line(text).replace("|", "\\|")


def _line(text: str, limit: int = 200) -> str:
    """Text as one line of Markdown in which nothing is markup of a page."""
    return " ".join(clean(text, limit).split()).replace("&", "&amp;").replace("<", "&lt;")


def _json(content: dict) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
