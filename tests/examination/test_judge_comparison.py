"""Scorers beside each other: agreement by hand and against scikit-learn, what is left out."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from ragassay.examination.judge_comparison import between_judges, macro_f1, spearman

CLASSES = st.lists(st.tuples(st.sampled_from([0, 1, 2]), st.sampled_from([0, 1, 2])), min_size=1, max_size=30)
RNG = np.random.default_rng


def test_by_hand():
    """Ranks 1 2 3 against 1 3 2: 0.5. Of two classes one is shared by 1 of 2 and 1, the other by 1 of 1 and 2: both 2/3."""
    assert spearman([1, 3, 5], [2, 5, 4]) == pytest.approx(0.5)
    assert macro_f1([0, 0, 1], [0, 1, 1]) == pytest.approx(2 / 3) and macro_f1([2, 2], [2, 2]) == 1.0


@given(CLASSES)
def test_macro_f1_is_that_of_scikit_learn(pairs):
    first, second = zip(*pairs, strict=True)
    assert macro_f1(first, second) == pytest.approx(f1_score(first, second, average="macro"))


def marks(values, mark="answer_relevancy"):
    rows = [(i, mark, np.nan if value is None else value, i) for i, value in enumerate(values)]
    return pd.DataFrame(rows, columns=["item", "mark", "value", "cluster"])


def test_null_is_left_out_of_grades_and_a_class_of_checks():
    grades = between_judges(marks([1, 3, 5, None]), marks([2, 5, 4, 3]), rng=RNG(0)).iloc[0]
    assert (grades.measure, grades.n, grades.left_out, grades.identical) == ("Spearman", 3, 1, 0.0)
    assert grades.value == pytest.approx(0.5)
    both = [marks([1, 0, None], "faithfulness")] * 2
    checks = between_judges(*both, rng=RNG(0)).iloc[0]
    assert checks[["measure", "value", "n", "identical"]].tolist() == ["macro-F1", 1.0, 3, 1.0]
    constant = between_judges(marks([5, 5, 5]), marks([1, 2, 3]), rng=RNG(0)).iloc[0]
    assert np.isnan(constant.value) and constant.reason


def test_intervals_of_the_agreement_cover_the_truth(simulations):
    """Macro-F1 of a judge that is right 8 times in 10, three equal classes, 40 questions of three answers: 0.8."""
    rng, covered, runs = RNG(5), 0, simulations(150)
    items = {"item": range(120), "mark": "faithfulness", "cluster": np.repeat(np.arange(40), 3)}
    for _ in range(runs):
        truth = rng.integers(0, 3, 120)
        guess = np.where(rng.random(120) < 0.8, truth, (truth + rng.integers(1, 3, 120)) % 3)
        both = (pd.DataFrame(items | {"value": values}) for values in (truth, guess))
        found = between_judges(*both, rng=rng).iloc[0]
        covered += found.low <= 0.8 <= found.high
    assert 0.93 - 3 * np.sqrt(0.95 * 0.05 / runs) <= covered / runs <= 1
