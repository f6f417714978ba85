"""The parts of the hybrid assessment by heads: by hand, their laws, their refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.scores.families.hybrid_entailment import entailment_credit, mean_in_pairs
from ragassay.scores.families.hybrid_parts import mean_of_parts

THREE = st.lists(st.tuples(*[st.floats(0.01, 1)] * 3), min_size=1).map(
    lambda rows: np.array(rows) / np.array(rows).sum(axis=1, keepdims=True)
)


def test_by_hand():
    credit = entailment_credit([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.5, 0]])
    assert credit == pytest.approx([1, 0.5, 0, 0.75])
    assert mean_in_pairs([1.0], [0.5], [0.0]) == pytest.approx((1 + 2 * 0.5) / 5)
    assert mean_of_parts([0.2, 0.4]) == pytest.approx(0.3)


@given(THREE)
@settings(deadline=None)
def test_credit_is_bounded_and_opposed_to_contradiction(rows):
    credit = entailment_credit(rows)
    assert (credit >= 0).all() and (credit + rows[:, 2] <= 1 + 1e-9).all()
    assert entailment_credit(rows[:, ::-1]) == pytest.approx(1 - credit)


def test_refusals():
    with pytest.raises(ValueError, match="no sentence"):
        entailment_credit(np.empty((0, 3)))
    with pytest.raises(ValueError, match="no part"):
        mean_of_parts([])
