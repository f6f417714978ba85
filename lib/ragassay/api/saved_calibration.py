"""What `ragassay calibrate --out` leaves in a folder; a calibration made before, applied to new scores."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay import output_files
from ragassay.api.calibrating import Calibrated
from ragassay.api.scoring_result import Scores, drawing
from ragassay.calibration import calibrators, conformal
from ragassay.calibration.calibration_pipeline import Calibration
from ragassay.calibration.conformal import ALL, Thresholds
from ragassay.errors import InputError, ParameterError
from ragassay.scores import judges_of
from ragassay.spreadsheet_injection import to_csv

MODEL, VERDICTS = "model.json", "verdicts.parquet"
FILES = (*(MODEL, "kinds.csv", "coverage.csv", "errors.csv"), *("conformal.svg", "reliability.svg", VERDICTS))
OWN = "the kit's own"


@dataclass(frozen=True)
class SavedCalibration:
    """A calibration made before.

    made_with : the models behind its scores, as `Scores.encoder`; empty where they did not say
    n_labels : answers labelled that fitted it, and that set its threshold
    sha256 : of its model.json
    """

    folder: Path
    calibration: Calibration
    made_with: dict[str, str]
    n_labels: dict[str, int]
    sha256: str

    def verdicts(self, scores: Scores) -> pd.DataFrame:
        """The rows of `Calibrated.to_pandas`, without `part`, for the first answers that have a score of its
        metric, in their order. ParameterError if they were scored by another encoder, or another model of
        entailment or support, than the calibration was made with."""
        made, scored = self.made_with, scores.encoder
        models = {kind: f"model of {kind}" for kind in judges_of(self.calibration.metric) if made and scored}
        if "sha256" in made and "sha256" in scored:  # names may differ, the weights decide
            models["sha256"] = "encoder"
        for kind, what in models.items():
            then, now = made.get(kind, OWN), scored.get(kind, OWN)
            if then != now:
                raise ParameterError(
                    f"the calibration was made with another {what}",
                    where=self.folder / MODEL,
                    found=f"scores of {scored.get('name', '')} {now[:16]}",
                    expected=f"{made.get('name', '')} {then[:16]}",
                    do="calibrate anew on labels scored with this model, or score with the other",
                )
        table = scores.to_pandas()
        return self.calibration.apply(table[table["repeat"] == 0]).drop(columns="part")


def read_calibration(folder: str | Path) -> SavedCalibration:
    """The calibration that a folder holds; InputError if it holds none."""
    path = Path(folder) / MODEL
    try:
        content = path.read_bytes()
        made = json.loads(content)
        calibrator = calibrators.from_json(json.dumps(made["calibrator"]))
        zero, one = (np.inf if q_hat is None else float(q_hat) for q_hat in made["q_hat_of_labels"])
        limits, nobody = Thresholds("none", {ALL: (zero, one)}), pd.DataFrame()  # without its labels
        of = made["metric"], made["dimension"], made["alpha"]
        found = Calibration(*of, calibrator, limits, nobody, nobody, nobody)
        labels = {name: int(n) for name, n in made.get("labels", {}).items()}
        digest = hashlib.sha256(content).hexdigest()
        return SavedCalibration(Path(folder), found, made.get("encoder") or {}, labels, digest)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as problem:
        raise InputError("there is no calibration to apply", where=path, found=problem) from problem


def apply_calibration(folder: str | Path, scores: Scores) -> pd.DataFrame:
    """Verdicts on what `ragassay.score` returned by the calibration that `ragassay calibrate --out` left in a
    folder: the rows of `SavedCalibration.verdicts`, and its errors; InputError if the folder holds no
    calibration, ParameterError if the metric was not scored."""
    saved = read_calibration(folder)
    applied = saved.verdicts(scores)
    if applied.empty:
        metric = saved.calibration.metric
        what = f"{metric!r}, which the calibration is of, was not scored"
        raise ParameterError(what, where=folder, do=f"score with --metrics {metric}")
    return applied


def check_output_folder(out: str | Path, inputs: Iterable[Path] = (), replace: bool = False) -> None:
    """ParameterError if the files of a calibration cannot be written into the folder."""
    output_files.check(*(Path(out) / name for name in FILES), inputs=inputs, replace=replace)


def write(found: Calibrated, out: str | Path, *, replace: bool = False) -> list[Path]:
    """Write FILES; the paths. Errors as in `check_output_folder`. MODEL gives the same verdicts again: the
    calibrator (`calibrators.from_json`), threshold, cut, the encoder behind the scores, the labels."""
    check_output_folder(out, replace=replace)
    made, levels, paths = found.calibration, found.levels, [Path(out) / name for name in FILES]
    of_levels = levels and {
        "calibrator": levels.calibrator.model_dump(mode="json"),
        "levels": list(levels.levels),
        "q_hat": _finite(levels.q_hat),
    }
    model = {
        "metric": made.metric,
        "dimension": made.dimension,
        "accept_from": found.accept_from,
        "alpha": made.alpha,
        "seed": found.seed,
        "encoder": found.encoder,
        "calibrator": made.calibrator.model_dump(mode="json"),
        "q_hat": _finite(made.q_hat),
        "q_hat_of_labels": [_finite(limit) for limit in made.thresholds.residuals],
        "labels": {"fitting": len(made.fitting), "held_out": len(made.held_out)},
        "fewest_labels_needed": conformal.minimum_n(made.alpha),
        "of_levels": of_levels,
    }
    texts = [json.dumps(model, indent=2, ensure_ascii=False, allow_nan=False) + "\n"]
    texts += map(to_csv, (made.kinds, found.coverage(), found.errors()))
    texts += map(drawing, (found.plot(), found.reliability()))
    for path, text in zip(paths[:-1], texts, strict=True):
        output_files.write_text(path, text)
    with output_files.draft(paths[-1]) as draft, output_files.refusals(paths[-1]):
        found.to_pandas().to_parquet(draft, index=False)
    return paths


def _finite(value: float) -> float | None:
    """A number JSON can hold; None for infinity."""
    return float(value) if np.isfinite(value) else None
