"""From a request to scores and verdicts: `ragassay.score` does it, in memory."""

import json
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ragassay import __version__, models
from ragassay.api.saved_calibration import SavedCalibration
from ragassay.api.scoring import metric_names, score
from ragassay.api.scoring_progress import Progress
from ragassay.api.scoring_result import Scores
from ragassay.scores import DEFAULT
from ragassay.scores import metric_registry as cards
from ragassay.serve.requests_and_replies import EXAMPLE, Answers, ScoreRequest
from ragassay.serve.settings import Limits

BATCH = 32  # answers between two looks at the clock; above the number that tells which schema they follow
REPEATED = "a repeated answer of this case: the first one has the verdict"
Json = dict[str, Any]


@dataclass
class Deadline(Progress):
    """Ends a scoring between two batches once its time is over: TimeoutError."""

    end_at: float = math.inf

    def start(self, *lines: str) -> None:
        """Nothing is said."""

    def update(self, n: int, share: float) -> None:
        """Go on, if there is time."""
        if time.monotonic() > self.end_at:
            raise TimeoutError

    def end(self) -> None:
        """Nothing is said."""


@dataclass(frozen=True)
class Worker:
    """What a server computes.

    calibration : of /calibrated; None if the server was started without one
    settings : further parameters of `ragassay.score`
    """

    limits: Limits
    calibration: SavedCalibration | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def score(self, request: ScoreRequest, end: float) -> Json:
        """Every answer with every metric, in order."""
        names = metric_names(request.metrics)
        found = self._scores(request, names, end)
        table = found.to_pandas()
        place = table.groupby("metric", sort=False).cumcount()  # within a metric: in the order of the answers
        answers = []
        for _, rows in table.groupby(place.to_numpy()):
            by_name = {row["metric"]: row for row in rows.to_dict("records")}
            scores = [_score(by_name[name]) for name in names]
            answers.append(_identity(by_name[names[0]]) | {"scores": scores})
        return {"answers": answers} | _about(found)

    def verdicts(self, request: Answers, end: float) -> Json:
        """Probability and decision of every answer, in order; review where it has no score."""
        assert self.calibration is not None
        metric = self.calibration.calibration.metric
        found = self._scores(request, [metric], end)
        table = found.to_pandas()
        table = table[table["metric"] == metric]  # scores that came along with the answers stand beside it
        judged = ((table["state"] == "scored") & (table["repeat"] == 0)).to_numpy()
        said = iter(self.calibration.verdicts(found).to_dict("records"))
        rows = zip(table.to_dict("records"), judged, strict=True)
        answers = [_verdict(row, next(said) if known else None) for row, known in rows]
        return {"answers": answers, "calibration": calibration_card(self.calibration)} | _about(found)

    def warm_up(self) -> None:
        """Load what scoring needs, and refuse now what would be refused with every request."""
        request = ScoreRequest(answers=[EXAMPLE], metrics=["groundedness"])
        self.score(request, math.inf)
        if self.calibration is not None:
            self.verdicts(request, math.inf)

    def _scores(self, request: Answers, names: list[str], end: float) -> Scores:
        clock = Deadline(end_at=end)
        mapping = request.mapping or None
        return score(
            request.records(), metrics=names, mapping=mapping, batch=BATCH, progress=clock, **self.settings
        )


def health(calibration: SavedCalibration | None) -> Json:
    """The version, and the SHA-256 of every model."""
    return {
        "status": "ok",
        "version": __version__,
        "encoder": models.identity(),
        "heads": {head["name"]: head["sha256"] for head in models.shipped_heads()},
        "calibration": calibration and calibration_card(calibration),
    }


def metric_cards() -> Json:
    """The card of every metric."""
    return {"metrics": json.loads(cards.card_table().to_json(orient="records")), "default": list(DEFAULT)}


def calibration_card(saved: SavedCalibration) -> Json:
    """What a calibration is of, how many labels made it, and the hash of its file."""
    made = saved.calibration
    return {
        "metric": made.metric,
        "dimension": made.dimension,
        "alpha": made.alpha,
        "labels": saved.n_labels,
        "sha256": saved.sha256,
    }


def _identity(row: Json) -> Json:
    return {"case_id": str(row["case_id"]), "system": str(row["system"]), "repeat": int(row["repeat"])}


def _score(row: Json) -> Json:
    """A score, as `ragassay.score` gives it; null where it is undefined."""
    value = float(row["value"])
    return {
        "metric": row["metric"],
        "value": value if np.isfinite(value) else None,
        "state": row["state"],
        "reason": row["reason"],
    }


def _verdict(row: Json, said: Json | None) -> Json:
    """A score with what the calibration says of it."""
    scored = _identity(row) | {"score": _score(row)}
    if said is None:
        reason = REPEATED if row["state"] == "scored" else f"no score: {row['reason']}"
        return scored | {"probability": None, "prediction_set": None, "decision": "review", "reason": reason}
    labels = [int(label) for label in said["prediction_set"]]
    return scored | {
        "probability": float(said["probability"]),
        "prediction_set": labels,
        "decision": said["decision"],
        "reason": "",
    }


def _about(found: Scores) -> Json:
    return {
        "read_as": found.schema,
        "notes": list(found.notes),
        "n_bad": found.n_bad,
        "models": found.encoder,
    }
