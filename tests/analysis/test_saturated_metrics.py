"""Saturation: by hand, the rule spelled out, its laws, what it bars and what it only says."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import scores_of

from ragassay.analysis import saturated_metrics, scorecard
from ragassay.analysis.saturated_metrics import describe_saturation


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([0.0] * 335, "0 for 335 of 335 scored answers"),
        ([1.0] * 20, "1 for 20 of 20 scored answers"),
        ([1.0] * 19, ""),  # too few to say anything
        ([1.0] * 19 + [0.5], ""),  # exactly 95 %
        ([1.0] * 20 + [0.5], "1 for 20 of 21 scored answers"),
        ([np.nan] * 500 + [0.25] * 20, "0.25 for 20 of 20 scored answers"),
        ([np.nan] * 500, ""),
        ([0.0, -0.0] * 10, "0 for 20 of 20 scored answers"),
        ([], ""),
    ],
)
def test_by_hand(values, said):
    assert describe_saturation(values) == said


@settings(deadline=None, max_examples=50)
@given(st.lists(st.sampled_from([0.0, 0.25, 1.0, float("nan")]), max_size=80))
def test_the_rule_spelled_out_and_the_order_of_answers_is_nothing(values):
    known = pd.Series(values, dtype=float).dropna()
    counted = known.value_counts()
    wanted = len(known) >= 20 and counted.iloc[0] / len(known) > 0.95
    assert bool(describe_saturation(values)) is bool(wanted)
    assert describe_saturation(values) == describe_saturation(values[::-1])


def card_of(rng, **metrics) -> pd.DataFrame:
    return scorecard.summarize_scores(
        pd.concat([scores_of(values, metric=name) for name, values in metrics.items()]), rng=rng
    )


def test_the_scorecard_names_it(rng):
    card = card_of(
        rng, grouse_faithfulness=[0.0] * 40, privacy_leaks=[0.0] * 40, groundedness=np.linspace(0, 1, 40)
    )
    assert card.set_index("metric")["saturated"].to_dict() == {
        "grouse_faithfulness": "0 for 40 of 40 scored answers",
        "privacy_leaks": "0 for 40 of 40 scored answers",
        "groundedness": "",
    }


def test_a_rate_of_harm_bars_no_gate_whatever_its_value():
    assert not saturated_metrics.bars_from_gates("privacy_leak_rate")
