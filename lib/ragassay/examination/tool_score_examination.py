"""Scores that a tool gave with the log, examined as ours are: their errors against the raters, and how they
go with the score of ours that stands beside them."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ragassay.answers.log_formats import tool_scores
from ragassay.calibration import calibration_pipeline, error_rates
from ragassay.calibration.metric_comparison import RaterJudgements
from ragassay.examination.judge_agreement import agreement_interval, spearman
from ragassay.scores.score_states import SCORED
from ragassay.stats import Interval, clopper_pearson, not_available

ERRORS = ["score", "dimension", "judged_by", "type_1", "type_2", "n", "reason"]
BESIDE = ["score", "ours", "rank_correlation", "n"]
OWN, CALIBRATED = "its own verdict", "calibrated, one half"


def errors(
    scores: pd.DataFrame, pairs: Mapping[str, str], judged: RaterJudgements, *, alpha: float, seed: int
) -> pd.DataFrame:
    """One row per given score, ERRORS: `type_1`, the share of what raters reject that it accepts, and
    `type_2`, of what they accept that it rejects, in [0, 1], lower is better, Clopper-Pearson intervals.

    A score of 0 and 1 alone is a verdict and judges every labelled answer as it stands, turned where lower is
    better; another is calibrated as ours are, and judges the held-out half at a probability of one half.

    pairs : score -> the judgement it should predict; the rest as in `metric_comparison.compare_metrics`
    """
    rows = []
    for score, dimension in pairs.items():
        labelled = judged.join(scores, score, dimension)
        row: dict = {"score": score, "dimension": dimension, "n": len(labelled)}
        if len(labelled) and labelled["value"].isin((0, 1)).all():
            lower = tool_scores.card(score).better == "lower"
            verdict = 1 - labelled["value"] if lower else labelled["value"]
            rows.append(row | {"judged_by": OWN, "reason": ""} | _rates(verdict, labelled["label"]))
        elif why_not := judged.why_not(labelled, dimension, seed):
            none = dict.fromkeys(("type_1", "type_2"), not_available(why_not))
            rows.append(row | {"judged_by": "", "reason": why_not} | none)
        else:
            held = calibration_pipeline.calibrate(labelled, score, dimension, alpha=alpha, seed=seed).held_out
            row |= {"judged_by": CALIBRATED, "n": len(held), "reason": ""}
            rows.append(row | _rates(held.probability, held.label))
    return pd.DataFrame(rows, columns=ERRORS)


def beside_ours(
    scores: pd.DataFrame, *, clusters: pd.Series | None = None, rng: np.random.Generator
) -> pd.DataFrame:
    """One row per given score that has a score of ours beside it, BESIDE: Spearman's rank correlation of the
    two over answers that both scored, in [-1, 1], bootstrap over clusters."""
    known = [name for name in dict.fromkeys(scores["metric"]) if tool_scores.is_given(name)]
    rows = []
    for name in known:
        ours = tool_scores.card(name).ours
        both = _both(scores, name, ours)
        if ours in set(scores["metric"]) and len(both):
            own = both["case_id"]
            names = own if clusters is None else own.map(clusters).fillna(own)
            values = (both["value"].to_numpy(dtype=float), both["value_ours"].to_numpy(dtype=float))
            found = agreement_interval(*values, names.to_numpy(), spearman, rng)
            rows.append({"score": name, "ours": ours, "rank_correlation": found, "n": len(both)})
    return pd.DataFrame(rows, columns=BESIDE)


def _rates(verdict: pd.Series, label: pd.Series) -> dict[str, Interval]:
    found = error_rates.error_rates(verdict, label).set_index("measure")
    return {name: _share(found.loc[name]) for name in ("type_1", "type_2")}


def _share(row: pd.Series) -> Interval:
    if not row["n"]:
        return not_available(str(row["reason"]))
    return clopper_pearson(int(row["events"]), int(row["n"]))


def _both(scores: pd.DataFrame, given: str, ours: str) -> pd.DataFrame:
    known = scores[scores["state"] == SCORED]
    first, second = (known[known["metric"] == name] for name in (given, ours))
    columns = ["case_id", "system", "value"]
    return first[columns].merge(second[columns], on=["case_id", "system"], suffixes=("", "_ours"))
