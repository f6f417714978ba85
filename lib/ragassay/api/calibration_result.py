"""What `ragassay.calibrate` gives back:
verdicts on every scored answer, how far they can be believed, pictures.
"""

from dataclasses import asdict, dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ragassay import plots
from ragassay.api.scoring_result import drawn, table_html
from ragassay.calibration import conformal, metric_comparison, ordinal_levels, probability_metrics
from ragassay.calibration.calibration_pipeline import Calibration
from ragassay.scores import judges_of
from ragassay.show import clean
from ragassay.stats import Interval, interval_text, not_available, percent_text


@dataclass(frozen=True)
class Calibrated:
    """A metric calibrated to one dimension of human judgement.

    Parameters
    ----------
    calibration : both stages: the calibrator and the threshold of the sets, with the half of the labels that
        measured them
    scores : every score of the metric and others, the table verdicts are given for
    labelled : the labelled, scored answers
    accept_from : the lowest label that accepts
    levels : the sets of levels, on a scale of more than two; None elsewhere
    agreement : what is known of the raters' agreement, in words
    seed : of the split and the resampling
    unscored : labelled answers that have no score of the metric and were left out
    encoder : name, file and SHA-256 of the encoder behind the scores; empty where the scores do not say
    """

    calibration: Calibration
    scores: pd.DataFrame
    labelled: pd.DataFrame
    accept_from: float
    levels: ordinal_levels.LevelCalibration | None
    agreement: str
    seed: int
    unscored: int = 0
    encoder: dict[str, str] = field(default_factory=dict)

    def to_pandas(self) -> pd.DataFrame:
        """One row per scored answer: case_id, system, metric, dimension, probability that people accept,
        prediction_set, decision, part.

        `part` says what the answer was used for: fit (the calibrator has seen its label), held (its label set
        the threshold), or unlabelled. On a longer scale also `levels`, the range of levels not ruled out.
        """
        table = self.calibration.apply(self.scores)
        if self.levels is None:
            return table
        rows = self.scores[(self.scores.metric == self.calibration.metric) & (self.scores.state == "scored")]
        return table.assign(levels=self.levels.sets(rows["value"]))

    def summary(self) -> pd.DataFrame:
        """How far the verdicts can be believed, on the held-out labels (AUROC, which needs no fit, on all):
        name, value, low, high, n, method."""
        rows = [asdict(each) | {"name": name} for name, each in self._measures.items()]
        table = pd.DataFrame(rows)
        table["method"] = table["reason"].where(table["reason"] != "", table["method"])
        return table[["name", "value", "low", "high", "n", "method"]]

    def coverage(self) -> pd.DataFrame:
        """Coverage of the sets over random splits, on labels that set no threshold, and by verdict."""
        return self._coverage.copy()

    def errors(self) -> pd.DataFrame:
        """Type I and II errors, sensitivity and specificity at a probability of one half."""
        held = self.calibration.held_out
        return probability_metrics.error_rates(held["probability"], held["label"])

    def thresholds(self) -> dict:
        """The thresholds as data: alpha, q_hat (of both labels alike, of each, of the levels; None where
        there is none), the labels behind it and how many are needed."""
        found = self.calibration
        return {
            "alpha": found.alpha,
            "q_hat": _number(found.q_hat),
            "n": len(found.held_out),
            "fewest_labels_needed": conformal.minimum_n(found.alpha),
            "q_hat_of_labels": [_number(limit) for limit in found.thresholds.residuals],
            "q_hat_of_levels": None if self.levels is None else _number(self.levels.q_hat),
        }

    def plot(self) -> Figure:
        """The calibrator, the labels and who decides where (HCAT figure 4)."""
        metric, limits = self.calibration.metric, self.calibration.thresholds.residuals
        named = self.calibration.held_out.rename(columns={"value": metric})
        axes = plots.conformal_regions(named, x=metric, p="probability", y="label", threshold=list(limits))
        return drawn(axes)

    def reliability(self) -> Figure:
        """Promised probability against the share that people accept, on the held-out labels."""
        held = self.calibration.held_out
        return drawn(plots.reliability_diagram(held["label"], held["probability"]))

    def sentences(self) -> list[str]:
        """The result in short lines, with what limits it."""
        found, held, measures = self.calibration, self.calibration.held_out, self._measures
        lines = [
            f"{found.metric} calibrated to {found.dimension}, accepted from {self.accept_from:g}.",
            f"Labels: {len(found.fitting)} fitting, {len(held)} held out, {self.unscored} unscored.",
            f"Calibrator: {found.calibrator.kind}.",
            f"Coverage promised {percent_text(1 - found.alpha)}; over random splits {measures['coverage']}.",
            f"Decided without a person: {measures['decided']}; of those wrong: {measures['wrong']}.",
        ]
        if "name" in self.encoder:
            lines.append(f"Model of the encoder: {self.encoder['name']}.")
        for kind in judges_of(found.metric):
            if kind in self.encoder:  # the user's own
                lines.append(f"Model of {kind}: SHA-256 {self.encoder[kind][:16]}.")
        limits = np.isinf(found.thresholds.residuals)
        if limits.all():
            lines.append("Too few labels for this error rate: every answer goes to review.")
        elif limits.any():
            lines.append("Too few labels of one verdict: it is never ruled out.")
        if not measures["auroc"].low > metric_comparison.CHANCE:
            lines.append(f"The score separates no better than chance (AUROC {measures['auroc']}).")
        by_class = self._coverage[self._coverage["by"] == "verdict"]
        for row in by_class[by_class["value"] < 1 - found.alpha].itertuples():
            shown = interval_text(row.value, row.low, row.high, 0, percent=True)
            lines.append(f"Class {row.stratum} is covered in {shown} only (spread over splits).")
        return lines + ([f"Raters: {self.agreement}."] if self.agreement else [])

    def _repr_html_(self) -> str:
        note = clean(" ".join(self.sentences()), 0)
        caption = clean(f"{self.calibration.metric} calibrated to {self.calibration.dimension}", 200)
        return table_html(self.summary(), caption, note)

    def __repr__(self) -> str:
        width = max(map(len, self._measures))
        lines = [f"  {name:<{width}}  {each}" for name, each in self._measures.items()]
        return clean("\n".join([*self.sentences(), *lines]), 0)

    @cached_property
    def _coverage(self) -> pd.DataFrame:
        return conformal.coverage(self.calibration.held_out, self.calibration.alpha, seed=self.seed)

    @cached_property
    def _measures(self) -> dict[str, Interval]:
        held, rng = self.calibration.held_out, np.random.default_rng(self.seed)
        p, y = held["probability"], held["label"]
        row, exact = self._coverage.iloc[0], "Clopper-Pearson"
        clusters = None if held["cluster"].is_unique else held["cluster"].to_numpy()
        error = probability_metrics.expected_calibration_error(p, y)
        return {
            "auroc": metric_comparison.score_auroc(self.labelled, self.calibration.metric),
            "brier": probability_metrics.brier(p, y, clusters=clusters, rng=rng),
            "log_loss": probability_metrics.log_loss(p, y, clusters=clusters, rng=rng),
            "calibration_error": not_available("biased upwards", value=error, n=len(held)),
            "coverage": Interval(row.value, row.low, row.high, row.n, 0, row.reason, "spread over splits"),
            "decided": Interval(row.decided, row.decided_low, row.decided_high, row.n, method=exact),
            "wrong": Interval(row.wrong, row.wrong_low, row.wrong_high, row.n_decided, method=exact),
        }


def _number(value: float) -> float | None:
    """A number JSON can hold; None for infinity."""
    return float(value) if np.isfinite(value) else None
