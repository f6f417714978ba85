"""Minimal pairs: which change of an answer does a metric see, and which should it not mind?

A pair holds two answers to one question over the same references. Of a `better` and a `worse` one, that
differ in one number, date, negation or the like, the metric must score the better strictly better (`told`);
equal scores are `tied`, the opposite is `wrong`. Of two `equal` ones (longer words, other order of the
passages) the scores must lie within a tolerance (`steady`), else they `moved`. Where the metric has no value
for one of the two the pair is `unscored`: it counts in no share, and is counted apart.

Does a judge reward length? Ten `verbosity` pairs, a short and a long answer that say the same (Lesson 13.5).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy

from ragassay.errors import InputError, ParameterError
from ragassay.examination import jsonl_records
from ragassay.examination.unit_test_suite import FOLDER
from ragassay.scores import METRICS
from ragassay.scores.score import score
from ragassay.stats import clopper_pearson, paired_bootstrap

BUNDLED = FOLDER / "minimal_pairs.jsonl"
TOLERANCE = 0.05  # share of the metric's range within which two scores of equal answers count as the same
TOLD, TIED, WRONG, STEADY, MOVED, UNSCORED = "told", "tied", "wrong", "steady", "moved", "unscored"
FAITHFUL = (  # metrics that claim to see any statement that the references do not hold
    *("groundedness", "groundedness_weighted", "groundedness_min"),
    *("groundedness_nli", "groundedness_nli_weighted", "groundedness_nli_min"),
    *(
        "support",
        "citations_supported",
        "citations_entailed",
        "supported_claims_rate",
        "supported_claims_entailed",
    ),
    *("factual_accuracy", "context_consistency", "hallucination", "grouse_faithfulness"),
)
COLUMNS = ["pair", "kind", "equal", "metric", "first", "second", "outcome"]
VERBOSITY_MORE = FOLDER / "verbosity.jsonl"  # beside those among the bundled minimal pairs
VERBOSITY_JUDGED = (
    *("judge_groundedness", "judge_completeness", "judge_directness", "judge_style"),
    "judge_conciseness",
    *("judge_grouse_answer_relevancy", "judge_grouse_completeness", "judge_grouse_faithfulness"),
)
VERBOSITY_OFFLINE = ("grouse_answer_relevancy", "grouse_completeness", "grouse_faithfulness")
VERBOSITY_COLUMNS = [
    "metric",
    "longer",
    "shorter",
    "same",
    "unscored",
    "difference",
    "low",
    "high",
    "n",
    "sign_p",
]


@dataclass(frozen=True)
class Pair:
    """Two answers to one question: the first is better, or the two are equal.

    place : its line; kind : what differs; references : of both answers; other_references : of the second
        where it has its own
    """

    place: int
    kind: str
    question: str
    references: tuple[str, ...]
    other_references: tuple[str, ...]
    answers: tuple[str, str]
    equal: bool


def read(path: str | Path = BUNDLED) -> list[Pair]:
    """The pairs of a JSON Lines file: kind, input, references, and either better and worse, or equal: [a, b];
    references_b where they differ.

    Raises InputError if the file is missing or empty, a line is not JSON, or a field is absent or not what it
    should be.
    """
    return [
        _pair(place, row, where)
        for place, (where, row) in enumerate(jsonl_records.read(path, "probes"), start=1)
    ]


def examine(
    pairs: Sequence[Pair], metrics: Sequence[str] = FAITHFUL, *, tolerance: float = TOLERANCE, **settings: Any
) -> pd.DataFrame:
    """Every pair by every metric: COLUMNS, first and second being the two scores (NaN where there is none).

    tolerance : share of the metric's range within which two scores count as equal for `equal` pairs; settings
        : of `scores.score`

    Raises ParameterError if a metric is unknown, or the tolerance is not between 0 and 1.
    """
    spans = _spans(metrics, tolerance)
    if not pairs:
        return pd.DataFrame(columns=COLUMNS)
    found = score(answers_of(pairs), metrics=list(metrics), **settings)
    values = found.pivot(index="case_id", columns="metric", values="value")
    rows = [
        _compare(pair, metric, values[metric], tolerance * spans[metric])
        for pair in pairs
        for metric in metrics
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def by_metric(checks: pd.DataFrame, kinds: Sequence[str] | None = None) -> pd.DataFrame:
    """Share of all better-worse pairs told apart by each metric, of these kinds or all:
    metric, value, low, high, n, tied, unscored.
    """
    asked = checks[~checks.equal.astype(bool) & (True if kinds is None else checks.kind.isin(kinds))]
    rows = [(metric, *_share(part, TOLD)) for metric, part in asked.groupby("metric", sort=False)]
    return pd.DataFrame(rows, columns=["metric", "value", "low", "high", "n", "tied", "unscored"])


def verbosity_pairs() -> list[Pair]:
    """The bundled pairs of a short and a long answer, the short one first, numbered from 1."""
    found = [pair for pair in (*read(), *read(VERBOSITY_MORE)) if pair.kind == "verbosity"]
    return [replace(one, place=place) for place, one in enumerate(found, 1)]


def summarize_verbosity(checks: pd.DataFrame, *, rng: np.random.Generator) -> pd.DataFrame:
    """One row per metric, VERBOSITY_COLUMNS: of how many pairs the longer answer scores better, worse, the
    same.

    difference : mean of the longer answer's score less the shorter one's, in the metric's units, above 0
        where length is rewarded (for a metric that is better when low, the signs are turned); bootstrap over
        pairs, n of them
    sign_p : chance of counts of longer and shorter as uneven as these, were length nothing (exact sign test)

    Source: Lesson sections 9.3 and 13.5.
    """
    parts = checks.groupby("metric", sort=False)
    return pd.DataFrame(
        [_verbosity_row(str(name), part, rng) for name, part in parts], columns=VERBOSITY_COLUMNS
    )


def _verbosity_row(metric: str, part: pd.DataFrame, rng: np.random.Generator) -> tuple:
    sign = 1 if METRICS[metric].higher_is_better else -1
    short, long = (sign * part[side].to_numpy(dtype=float) for side in ("first", "second"))
    span = METRICS[metric].high - METRICS[metric].low
    found = paired_bootstrap(short, long, span=(-span, span), rng=rng)
    scored = ~np.isnan(long - short)
    counts = [int(np.sum(each)) for each in (long > short, long < short, long == short, ~scored)]
    uneven = counts[0] + counts[1]
    p_value = float(scipy.stats.binomtest(counts[0], uneven).pvalue) if uneven else 1.0
    return metric, *counts, found.value, found.low, found.high, int(scored.sum()), p_value


def _share(part: pd.DataFrame, right: str) -> tuple:
    unscored = int((part.outcome == UNSCORED).sum())
    found = clopper_pearson(int((part.outcome == right).sum()), len(part) - unscored)
    return found.value, found.low, found.high, found.n, int((part.outcome == TIED).sum()), unscored


def _compare(pair: Pair, metric: str, values: pd.Series, room: float) -> tuple:
    first, second = (float(values[f"{pair.place}-{side}"]) for side in "ab")
    ahead = first - second if METRICS[metric].higher_is_better else second - first
    return pair.place, pair.kind, pair.equal, metric, first, second, _outcome(ahead, pair.equal, room)


def _outcome(ahead: float, equal: bool, room: float) -> str:
    if np.isnan(ahead):
        return UNSCORED
    if equal:
        return STEADY if abs(ahead) <= room + 1e-9 else MOVED
    return TIED if ahead == 0 else TOLD if ahead > 0 else WRONG


def answers_of(pairs: Sequence[Pair]) -> pd.DataFrame:
    """The answers of pairs as an answers table, cases numbered by pair and side."""
    rows = [
        {
            "case_id": f"{pair.place}-{side}",
            "system": "probe",
            "question": pair.question,
            "answer": answer,
            "contexts": list(references),
        }
        for pair in pairs
        for side, answer, references in zip(
            "ab", pair.answers, (pair.references, pair.other_references), strict=True
        )
    ]
    return pd.DataFrame(rows).assign(repeat=0)


def _spans(metrics: Sequence[str], tolerance: float) -> dict[str, float]:
    if not 0 <= tolerance <= 1:
        raise ParameterError(
            "the tolerance is a share of a metric's range", found=tolerance, expected="0 to 1"
        )
    unknown = [name for name in metrics if name not in METRICS]
    if unknown:
        raise ParameterError(f"unknown metric {unknown[0]!r}", expected=", ".join(METRICS))
    return {name: METRICS[name].high - METRICS[name].low for name in metrics}


def _pair(place: int, row: Mapping[str, Any], where: str) -> Pair:
    record, equal = dict(row), row.get("equal") is not None
    kind, question = (jsonl_records.text(record, name, where) for name in ("kind", "input"))
    references = other = jsonl_records.texts(record, "references", where)
    if record.get("references_b") is not None:
        other = jsonl_records.texts(record, "references_b", where)
    if equal:
        answers = jsonl_records.texts(record, "equal", where)
    else:
        answers = [jsonl_records.text(record, name, where) for name in ("better", "worse")]
    if len(answers) != 2:
        raise InputError(
            "'equal' must hold two answers",
            where=where,
            found=len(answers),
            expected="[a, b]",
            do="correct the line",
        )
    return Pair(place, kind, question, tuple(references), tuple(other), (answers[0], answers[1]), equal)
