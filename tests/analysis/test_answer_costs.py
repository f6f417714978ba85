"""Length, latency, tokens and cost: medians by hand, their interval, what is left out, outcomes against budgets."""

import numpy as np
import pandas as pd
import pytest

from ragassay.analysis.answer_costs import summarize_costs
from ragassay.scores.shared_instruments import Budgets

RNG = np.random.default_rng


def table(answers, budgets=None, **more):
    rows = [{"case_id": f"c{i}", "repeat": 0, "error": None, **row} for i, row in enumerate(answers)]
    found = summarize_costs(pd.DataFrame(rows), budgets or Budgets(), rng=RNG(0), **more)
    return found.set_index("quantity")


def words(n):
    return {"answer": " ".join(["word"] * n) + " [a#p1]", "context_ids": ["a#p1"]}


def test_by_hand():
    """Medians of 1 2 9 words (citations apart) and of 2 and 4 seconds; one answer failed, one gives no latency."""
    rows = [
        {**words(1), "latency_s": 2.0, "tokens": 10, "cost": 0.5},
        {**words(2), "latency_s": 4.0, "tokens": 20, "cost": 0.5},
        {**words(9), "latency_s": None, "tokens": 60, "cost": 0.5},
        {**words(5), "latency_s": 99.0, "error": "it hung"},
    ]
    found = table(rows)
    assert found["median"].to_dict() == {"words": 2.0, "latency_s": 3.0, "tokens": 20.0, "cost": 0.5}
    assert found.n.tolist() == [3, 2, 3, 3] and found.left_out.tolist() == [1, 2, 1, 1]
    assert found.outcome["tokens"] == "no budget"


@pytest.mark.parametrize("budget, outcome", [(200, "within"), (5, "over"), (50, "not shown")])
def test_the_outcome_follows_the_bound_of_the_median(budget, outcome):
    rows = [words(n) for n in range(1, 100)]
    found = table(rows, Budgets(words=budget)).loc["words"]
    assert found.outcome == outcome and found.low <= found["median"] <= found.high
