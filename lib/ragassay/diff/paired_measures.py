"""What was measured in both runs, case by case: B minus A, with paired intervals and tests."""

import numpy as np
import pandas as pd

from ragassay.analysis import comparison
from ragassay.diff.runs import Pairs, read_rows, scores_of, system_of
from ragassay.report.run_folder import Run
from ragassay.scores import headlines
from ragassay.scores.metric_registry import OF_RATERS, RATES, direction
from ragassay.stats.random_streams import random_base, random_stream

COLUMNS = [
    "part", "metric", "better", "pairs", "n", "a", "b", "difference", "low", "high", "p", "q", "outcome",
    "gained", "equal", "lost", "left_out", "reason",
]  # fmt: skip
ONLY_IN = "{letter} {case}"  # a case that one side alone asked: left out of every pair, and counted
ACCEPTED = ("judged_in_every_respect", "end_to_end_success")  # what decides whether an answer is right


def compare_measures(a: Run, b: Run, pairs: Pairs, *, rng: np.random.Generator) -> pd.DataFrame:
    """One row per part of the cases and metric that both runs have, COLUMNS.

    difference : mean of B minus A over the n pairs scored on both sides, with a paired bootstrap over
        clusters; p by sign flips, q by Benjamini-Hochberg over all rows
    outcome : of B, in the metric's own direction (`analysis.comparison.compare_systems`, and its simulation)
    gained, equal, lost : pairs on which B is better, the same, worse
    left_out : cases of one side alone or without a score, and why
    """
    base, scores = random_base(rng), (scores_of(a), scores_of(b))
    tables = [
        found
        for part in pairs.counts()["part"]
        if (found := _of_part(part, *scores, pairs, random_stream(base, part))) is not None
    ]
    if not tables:
        return pd.DataFrame(columns=COLUMNS)
    return comparison.with_outcomes(pd.concat(tables, ignore_index=True)).rename(
        columns={"own_mean": "b", "challenger_mean": "a", "wins": "gained", "ties": "equal", "losses": "lost"}
    )[COLUMNS]


def same_answers(a: Run, b: Run, pairs: Pairs) -> dict[str, int]:
    """How many of the questions that both runs asked were answered word for word alike: n, same, left_out
    (without an answer in one run)."""
    both = []
    for side, case in ((a, "case_a"), (b, "case_b")):
        rows = read_rows(side, "answers", needs=("case_id", "system", "repeat", "answer"))
        own = rows[(rows["system"].astype(str) == system_of(side)) & (rows["repeat"] == 0)]
        answers = own.drop_duplicates("case_id").set_index("case_id")["answer"].astype(object)
        both.append(answers.reindex(pairs.both()[case]).to_numpy())
    known = pd.notna(both[0]) & pd.notna(both[1])
    same = int((both[0][known] == both[1][known]).sum())
    return {"n": int(known.sum()), "same": same, "left_out": int((~known).sum())}


def turned_answers(a: Run, b: Run, pairs: Pairs) -> pd.DataFrame:
    """The questions whose answer was right in one run alone, by the first of ACCEPTED that both have: metric,
    turned (gained, lost), case_a, case_b, question; the lost ones first."""
    columns = ["metric", "turned", "case_a", "case_b", "question"]
    both = pairs.both()
    for metric in ACCEPTED:
        values = [
            _values(side, metric).reindex(both[case]).to_numpy()
            for side, case in ((a, "case_a"), (b, "case_b"))
        ]
        if not (~np.isnan(values[0]) & ~np.isnan(values[1])).any():
            continue
        turned = np.select([values[1] < values[0], values[1] > values[0]], ["lost", "gained"], "")
        found = both.assign(metric=metric, turned=turned)[columns]
        return found[found["turned"] != ""].sort_values("turned", ascending=False, kind="stable")
    return pd.DataFrame(columns=columns)


def _of_part(
    part: str, scores_a: pd.DataFrame, scores_b: pd.DataFrame, pairs: Pairs, rng: np.random.Generator
) -> pd.DataFrame | None:
    """The rows of one part of the cases; None where nothing is measured on both sides."""
    rows = pairs.cases[pairs.cases["part"] == part]
    of_a = rows[rows["case_a"] != ""]
    names = {a: b or ONLY_IN.format(letter="A", case=a) for a, b in of_a[["case_a", "case_b"]].to_numpy()}
    one = scores_a[scores_a["case_id"].isin(names)]
    one = one.assign(case_id=one["case_id"].map(names), system="A")
    two = scores_b[scores_b["case_id"].isin(rows["case_b"])].assign(system="B")
    metrics = [name for name in two["metric"].unique() if is_compared(name) and name in set(one["metric"])]
    if not metrics or rows[(rows["case_a"] != "") & (rows["case_b"] != "")].empty:
        return None
    alone = pairs.cases_a[pairs.cases_a["case_id"].isin(names) & ~pairs.cases_a["shared"]]
    alone = alone.assign(case_id=alone["case_id"].map(names))  # under ids of their own, after B's
    cases = pd.concat([pairs.cases_b, alone], ignore_index=True)
    found = comparison.compare_systems(two, one, cases, metrics=metrics, rng=rng, names=("B", "A"))
    return found.assign(part=part, better=found["metric"].map(direction))


def is_compared(metric: str) -> bool:
    """Whether a metric is one that a report leads with: people's, the headline scores, the rates."""
    return metric.startswith(OF_RATERS) or metric in RATES or metric in {*headlines(), *ACCEPTED}


def _values(side: Run, metric: str) -> pd.Series:
    rows = scores_of(side)
    rows = rows[(rows["metric"] == metric) & (rows["state"] == "scored")]
    return rows.set_index("case_id")["value"].astype(float)
