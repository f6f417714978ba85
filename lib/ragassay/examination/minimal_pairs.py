"""Minimal pairs: which change of an answer does a metric see?

A pair holds two answers to one question over the same references that differ in one number, date, negation or
the like; the metric must score the better strictly better (`told`). Equal scores are `tied`, the opposite is
`wrong`. Where the metric has no value for one of the two the pair is `unscored`: it counts in no share, and
is counted apart.

Does a judge reward length? Ten pairs of a short and a long answer that say the same (Lesson 13.5).
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy

from ragassay.errors import ParameterError
from ragassay.examination.examine import FOLDER
from ragassay.scores import METRICS
from ragassay.scores.score import score
from ragassay.stats import clopper_pearson, paired_bootstrap

BUNDLED = FOLDER / "minimal_pairs.jsonl"
TOLD, TIED, WRONG, UNSCORED = "told", "tied", "wrong", "unscored"
FAITHFUL = (  # metrics that claim to see any statement that the references do not hold
    *("groundedness", "groundedness:weighted", "groundedness:min"),
    *("groundedness_nli", "groundedness_nli:weighted", "groundedness_nli:min"),
    *("support", "citations_supported", "citations_supported:entailed"),
    *("supported_claims_rate", "supported_claims_rate:entailed"),
    *("factual_accuracy", "context_consistency", "hallucination", "grouse_faithfulness"),
)
FATAL = ("number", "date", "negation", "entity")  # kinds that change what is said
COLUMNS = ["pair", "kind", "metric", "first", "second", "outcome"]
VERBOSITY = FOLDER / "verbosity.jsonl"
VERBOSITY_JUDGED = (
    *("judge_groundedness", "judge_completeness", "judge_directness", "judge_style"),
    "judge_conciseness",
    *("grouse_answer_relevancy:judge", "grouse_completeness:judge", "grouse_faithfulness:judge"),
)
VERBOSITY_OFFLINE = ("grouse_answer_relevancy", "grouse_completeness", "grouse_faithfulness")


def read(path: Path = BUNDLED) -> list[dict[str, Any]]:
    """The bundled pairs; of `VERBOSITY` those of a short and a long answer: place (its line), kind (what
    differs), input (the question), references, answers (the better and the worse; the short and the long)."""
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) | {"place": place} for place, line in enumerate(lines, start=1)]
    return [row | {"answers": row.get("equal") or [row["better"], row["worse"]]} for row in rows]


def examine(
    pairs: Sequence[Mapping[str, Any]], metrics: Sequence[str] = FAITHFUL, **settings: Any
) -> pd.DataFrame:
    """Every pair by every metric: COLUMNS, first and second being the two scores (NaN where there is none).

    settings : of `scores.score`

    Raises ParameterError if a metric is unknown.
    """
    unknown = [name for name in metrics if name not in METRICS]
    if unknown:
        raise ParameterError(f"unknown metric {unknown[0]!r}", expected=", ".join(METRICS))
    rows: list[tuple] = []
    if pairs:
        sides = [(pair, place) for pair in pairs for place in (0, 1)]
        answers = pd.DataFrame(
            {
                "case_id": [f"{pair['place']}-{'ab'[place]}" for pair, place in sides],
                "question": [pair["input"] for pair, _ in sides],
                "answer": [pair["answers"][place] for pair, place in sides],
                "contexts": [list(pair["references"]) for pair, _ in sides],
                "system": "probe",
                "repeat": 0,
            }
        )
        found = score(answers, metrics=list(metrics), **settings)
        values = found.pivot(index="case_id", columns="metric", values="value")
    for pair in pairs:
        for metric in metrics:
            first, second = (float(values.loc[f"{pair['place']}-{side}", metric]) for side in "ab")
            ahead = first - second if METRICS[metric].higher_is_better else second - first
            outcome = TIED if ahead == 0 else TOLD if ahead > 0 else WRONG
            outcome = UNSCORED if np.isnan(ahead) else outcome
            rows.append((pair["place"], pair["kind"], metric, first, second, outcome))
    return pd.DataFrame(rows, columns=COLUMNS)


def by_metric(checks: pd.DataFrame) -> pd.DataFrame:
    """Share of the pairs of `FATAL` kinds told apart by each metric: metric, value, low, high
    (Clopper-Pearson), n, tied, unscored.
    """
    rows = []
    for metric, part in checks[checks["kind"].isin(FATAL)].groupby("metric", sort=False):
        counts = part["outcome"].value_counts()
        unscored = int(counts.get(UNSCORED, 0))
        found = clopper_pearson(int(counts.get(TOLD, 0)), len(part) - unscored)
        rows.append((metric, found.value, found.low, found.high, found.n, int(counts.get(TIED, 0)), unscored))
    return pd.DataFrame(rows, columns=["metric", "value", "low", "high", "n", "tied", "unscored"])


def summarize_verbosity(checks: pd.DataFrame, *, rng: np.random.Generator) -> pd.DataFrame:
    """One row per metric: of how many pairs the longer answer scores better, worse, the
    same.

    difference : mean of the longer answer's score less the shorter one's, in the metric's units, above 0
        where length is rewarded (for a metric that is better when low, the signs are turned); bootstrap over
        pairs, n of them
    sign_p : chance of counts of longer and shorter as uneven as these, were length nothing (exact sign test)

    Source: Lesson sections 9.3 and 13.5.
    """
    rows = []
    for metric, part in checks.groupby("metric", sort=False):
        card = METRICS[str(metric)]
        sign = 1 if card.higher_is_better else -1
        short, long = (sign * part[side].to_numpy(dtype=float) for side in ("first", "second"))
        found = paired_bootstrap(short, long, span=(card.low - card.high, card.high - card.low), rng=rng)
        unscored = np.isnan(long - short)
        counts = [int(np.sum(each)) for each in (long > short, long < short, long == short, unscored)]
        uneven = counts[0] + counts[1]
        p_value = float(scipy.stats.binomtest(counts[0], uneven).pvalue) if uneven else 1.0
        rows.append((metric, *counts, found.value, found.low, found.high, int((~unscored).sum()), p_value))
    names = "metric longer shorter same unscored difference low high n sign_p"
    return pd.DataFrame(rows, columns=names.split())
