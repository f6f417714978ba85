"""Does a judge reward length? Ten pairs of a short and a long answer that say the same (Lesson 13.5)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy

from ragassay.examination import minimal_pairs
from ragassay.examination.minimal_pairs import Pair
from ragassay.examination.unit_test_suite import FOLDER
from ragassay.scores import METRICS
from ragassay.stats import paired_bootstrap

KIND = "verbosity"
MORE = FOLDER / "verbosity.jsonl"  # beside those among the bundled minimal pairs
JUDGED = (
    *("judge_groundedness", "judge_completeness", "judge_directness", "judge_style"),
    "judge_conciseness",
    *("judge_grouse_answer_relevancy", "judge_grouse_completeness", "judge_grouse_faithfulness"),
)
OFFLINE = ("grouse_answer_relevancy", "grouse_completeness", "grouse_faithfulness")
COLUMNS = ["metric", "longer", "shorter", "same", "unscored", "difference", "low", "high", "n", "sign_p"]


def read() -> list[Pair]:
    """The bundled pairs, the short answer first, numbered from 1."""
    found = [pair for pair in (*minimal_pairs.read(), *minimal_pairs.read(MORE)) if pair.kind == KIND]
    return [
        Pair(place, one.kind, one.question, one.references, one.other_references, one.answers, one.equal)
        for place, one in enumerate(found, 1)
    ]


def answers() -> pd.DataFrame:
    """The twenty answers of the pairs as an answers table."""
    return minimal_pairs.answers_of(read())


def examine(metrics: Sequence[str] = JUDGED, **settings: Any) -> pd.DataFrame:
    """The bundled pairs by every metric, as `minimal_pairs.examine`; settings : of `scores.score`."""
    return minimal_pairs.examine(read(), metrics, **settings)


def summarize(checks: pd.DataFrame, *, rng: np.random.Generator) -> pd.DataFrame:
    """One row per metric, COLUMNS: of how many pairs the longer answer scores better, worse, the same.

    difference : mean of the longer answer's score less the shorter one's, in the metric's units, above 0
        where length is rewarded (for a metric that is better when low, the signs are turned); bootstrap over
        pairs, n of them
    sign_p : chance of counts of longer and shorter as uneven as these, were length nothing (exact sign test)

    Source: Lesson sections 9.3 and 13.5.
    """
    parts = checks.groupby("metric", sort=False)
    return pd.DataFrame([_row(str(name), part, rng) for name, part in parts], columns=COLUMNS)


def _row(metric: str, part: pd.DataFrame, rng: np.random.Generator) -> tuple:
    sign = 1 if METRICS[metric].higher_is_better else -1
    short, long = (sign * part[side].to_numpy(dtype=float) for side in ("first", "second"))
    span = METRICS[metric].high - METRICS[metric].low
    found = paired_bootstrap(short, long, span=(-span, span), rng=rng)
    scored = ~np.isnan(long - short)
    counts = [int(np.sum(each)) for each in (long > short, long < short, long == short, ~scored)]
    uneven = counts[0] + counts[1]
    p_value = float(scipy.stats.binomtest(counts[0], uneven).pvalue) if uneven else 1.0
    return metric, *counts, found.value, found.low, found.high, int(scored.sum()), p_value
