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
    """One row per answer: scored from the answer's values of the parts, or not applicable with the reason."""
    values = (
        scores["value"].to_numpy().reshape(answers, len(places))[:, [places[name] for name in metric.derived]]
    )
    results = metric.measure(values, metric.derived)
    rows = scores.iloc[:: len(places)][["case_id", "system"]].assign(metric=metric.name)
    failed = [isinstance(result, ValueError) for result in results]
    lost = _errors(scores, places, metric, answers)
    return rows.assign(
        value=[
            np.nan if bad else round(float(result[0]), 6) + 0.0
            for result, bad in zip(results, failed, strict=True)
        ],
        state=[
            ERROR if why else NOT_APPLICABLE if bad else SCORED for why, bad in zip(lost, failed, strict=True)
        ],
        reason=[
            why or (str(result)[:300] if bad else "")
            for why, result, bad in zip(lost, results, failed, strict=True)
        ],
        detail=[
            json.dumps([] if bad else result[1], ensure_ascii=False)
            for result, bad in zip(results, failed, strict=True)
        ],
    )


def _errors(scores: pd.DataFrame, places: dict[str, int], metric: Metric, answers: int) -> list[str]:
    """The reason for each answer none of whose parts could be scored for an error; empty for every other."""
    if "state" not in scores:
        return [""] * answers
    columns = [places[name] for name in metric.derived]
    states = scores["state"].to_numpy().reshape(answers, len(places))[:, columns]
    reasons = scores["reason"].to_numpy().reshape(answers, len(places))[:, columns]
    return [str(why[0]) if (state == ERROR).all() else "" for state, why in zip(states, reasons, strict=True)]
