"""Minimal pairs: what is told, tied, wrong or unscored, and the shares of each; length."""

import numpy as np
import pandas as pd
import pytest

from models.rule_judge import RuleJudge
from ragassay.examination import minimal_pairs


def checks(outcomes, metric="support", kind="number"):
    rows = [(place, kind, metric, 0.0, 0.0, outcome) for place, outcome in enumerate(outcomes, start=1)]
    return pd.DataFrame(rows, columns=minimal_pairs.COLUMNS)


def test_a_metric_that_reads_numbers_tells_them_apart():
    says = {5: "The fee is 5.", 7: "The fee is 7."}
    pair, tied, turned = (
        {"place": place, "kind": "number", "input": "What is the fee?", "references": [says[5]],
         "answers": [says[first], says[second]]}
        for place, (first, second) in enumerate([(5, 7), (5, 5), (7, 5)])
    )  # fmt: skip
    found = minimal_pairs.examine(
        [pair, tied, turned], ["supported_claims_rate:contained", "query_relevance:numeric_consistency"]
    )
    assert found.outcome.tolist() == ["told", "told", "tied", "tied", "wrong", "wrong"]
    assert minimal_pairs.examine([], ["support"]).empty


def test_by_metric_by_hand():
    """A tie is not told; what could not be scored is counted apart; other kinds are not asked."""
    one = checks(["told", "told", "tied", "wrong", "unscored"])
    (row,) = minimal_pairs.by_metric(pd.concat([one, checks(["told"], kind="unit")])).itertuples()
    assert (row.value, row.n, row.tied, row.unscored) == (0.5, 4, 1, 1)
    none = minimal_pairs.by_metric(checks(["unscored"] * 3)).iloc[0]
    assert np.isnan(none.value) and none.n == 0 and none.unscored == 3


METRICS = ["grouse_answer_relevancy:judge", "grouse_faithfulness:judge"]


def table(judge):
    pairs = minimal_pairs.read(minimal_pairs.VERBOSITY)
    checks = minimal_pairs.examine(pairs, METRICS, instruments={"judge": judge})
    return minimal_pairs.summarize_verbosity(checks, rng=np.random.default_rng(0)).set_index("metric")


def test_a_judge_that_rewards_length_is_seen():
    """4 for a short answer, 5 for a long one: a grade of difference in every pair."""
    found = table(RuleJudge(prefers_long=True)).loc["grouse_answer_relevancy:judge"]
    assert (found.longer, found.shorter, found.same, found.n) == (10, 0, 0, 10)
    assert found.difference == 1.0 and found.sign_p == pytest.approx(2 / 2**10)
