"""Cases enough: by hand, and the number named is the smallest with which a gate on a slice passes."""

import pandas as pd
import pytest

from ragassay.decision.gates import gate_case_counts, gate_grammar, gates
from ragassay.stats import clopper_pearson


@pytest.mark.parametrize("bound, threshold", [("low", 0.8), ("low", 0.5), ("high", 0.02), ("high", 0.3)])
def test_the_fewest_cases_are_the_fewest_that_pass(bound, threshold):
    rules = gate_grammar.parse({"m in a=b": f"{bound} {'>=' if bound == 'low' else '<='} {threshold}"})
    needed = gate_case_counts.fewest_cases(bound, threshold)
    found = []
    for n in (needed - 1, needed):
        best = clopper_pearson(n if bound == "low" else 0, n)
        row = {"metric": "m", "slice": "a=b", "value": best.value, "low": best.low, "high": best.high, "n": n}
        found += gates.evaluate(rules, pd.DataFrame([row]))["outcome"].tolist()
    assert found == ["incomplete", "pass"]


def test_by_hand():
    """0.8^17 = 0.0225 is the first power below 0.025; 0.98^183 = 0.0248."""
    assert (
        gate_case_counts.fewest_cases("low", 0.8) == 17 and gate_case_counts.fewest_cases("high", 0.02) == 183
    )
    assert gate_case_counts.fewest_cases("low", 1) == gate_case_counts.fewest_cases("high", 0) == 0
    assert gate_case_counts.meets("low", 0.8, 0.8) and not gate_case_counts.meets("high", 0.8, 0.81)
