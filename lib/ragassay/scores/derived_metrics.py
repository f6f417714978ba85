"""Metrics computed from others over a whole table of scores: their weights depend on every answer."""

import json
from collections.abc import Sequence

import numpy as np
import pandas as pd

from ragassay.scores.metric import Metric
from ragassay.scores.metric_registry import METRICS
from ragassay.scores.score_states import ERROR, NOT_APPLICABLE, SCORED


def parts_of(metrics: Sequence[str]) -> list[str]:
    """The metrics to score answer by answer:
    those named, with each derived one replaced by what it is computed from, once each.
    """
    return list(dict.fromkeys(part for name in metrics for part in (METRICS[name].derived or (name,))))


def add_derived(scores: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """The scores of the metrics named, in that order for each answer, with the derived ones computed from
    their parts.

    `scores` holds the rows of `parts_of(metrics)` for each answer, answer after answer.
    """
    if not any(METRICS[name].derived for name in metrics) and parts_of(metrics) == list(metrics):
        return scores
    places = {name: place for place, name in enumerate(parts_of(metrics))}
    answers = len(scores) // len(places)
    blocks = [
        _derived(scores, METRICS[name], places, answers)
        if METRICS[name].derived
        else scores.iloc[places[name] :: len(places)]
        for name in metrics
    ]
    order = np.arange(len(metrics) * answers).reshape(len(metrics), answers).T.ravel()
    return pd.concat(blocks, ignore_index=True).iloc[order].reset_index(drop=True)


def _derived(scores: pd.DataFrame, metric: Metric, places: dict[str, int], answers: int) -> pd.DataFrame:
    """One row per answer: scored from the answer's values of the parts, or not applicable with the reason;
    an error where each of its parts is one."""
    columns = [places[name] for name in metric.derived]
    values = scores["value"].to_numpy().reshape(answers, len(places))[:, columns]
    states = scores["state"].to_numpy().reshape(answers, len(places))[:, columns]
    reasons = scores["reason"].to_numpy().reshape(answers, len(places))[:, columns]
    rows: list[tuple] = []
    for result, state, reason in zip(metric.measure(values, metric.derived), states, reasons, strict=True):
        if isinstance(result, ValueError):
            failed = (state == ERROR).all()
            rows.append(
                (np.nan, ERROR if failed else NOT_APPLICABLE, reason[0] if failed else str(result), [])
            )
        else:
            rows.append((round(float(result[0]), 6) + 0.0, SCORED, "", result[1]))
    found = pd.DataFrame(rows, columns=["value", "state", "reason", "detail"])
    found["reason"] = found["reason"].str[:300]
    found["detail"] = [json.dumps(detail, ensure_ascii=False) for detail in found["detail"]]
    known = scores.iloc[:: len(places)][["case_id", "system"]].reset_index(drop=True)
    return pd.concat([known.assign(metric=metric.name), found.astype({"value": float})], axis=1)
