"""Hit rate, reciprocal rank and nDCG: by hand, against scikit-learn, laws, refusals, and through `score`."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import dcg_score, ndcg_score

from ragassay.scores.families.retrieval import hit, ndcg, ranks, reciprocal_rank

IDS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8, unique=True)
MEASURES = (hit, reciprocal_rank, ndcg)


def test_by_hand():
    """Two reference passages, one at the third place: 1/3, and 1/log2(4) over 1/log2(2) + 1/log2(3)."""
    retrieved, reference = ["x", "y", "a", "z"], ["a", "b"]
    assert hit(retrieved, reference) == 1.0
    assert reciprocal_rank(retrieved, reference) == pytest.approx(1 / 3)
    assert ndcg(retrieved, reference) == pytest.approx(0.5 / (1 + 1 / math.log2(3)))
    assert [measure(["x"], reference) for measure in MEASURES] == [0.0, 0.0, 0.0]
    assert [measure([], reference) for measure in MEASURES] == [0.0, 0.0, 0.0]


def relevance(retrieved, reference) -> tuple[list[list[float]], list[list[float]]]:
    """All passages of both lists: whether they are reference, and a score that falls with the rank."""
    every = [*retrieved, *(one for one in reference if one not in retrieved)]
    return [[float(one in reference) for one in every]], [[float(-i) for i in range(len(every))]]


@given(IDS, IDS)
def test_ndcg_is_that_of_scikit_learn(retrieved, reference):
    """Its gain at the number retrieved over the whole ideal; its own nDCG where the ideal is not cut off."""
    true, given_scores = relevance(retrieved, reference)
    if len(true[0]) < 2:  # scikit-learn refuses a single document
        assert ndcg(retrieved, reference) == 1.0
        return
    gain = dcg_score(true, given_scores, k=len(retrieved))
    assert ndcg(retrieved, reference) == pytest.approx(gain / dcg_score(true, true))
    if len(retrieved) >= len(reference):
        assert ndcg(retrieved, reference) == pytest.approx(ndcg_score(true, given_scores, k=len(retrieved)))


@given(IDS, IDS)
def test_laws(retrieved, reference):
    """All agree on whether anything was found; what comes after the last passage never lowers; repetition changes nothing; all reference passages first is best."""
    values = [measure(retrieved, reference) for measure in MEASURES]
    assert all(0 <= value <= 1 for value in values) and len({value > 0 for value in values}) == 1
    for measure, value in zip(MEASURES, values, strict=True):
        assert measure([*retrieved, "h"], reference) >= value
        assert measure(retrieved * 2, reference) == value
        assert measure([*reference, *retrieved], reference) == pytest.approx(1.0)
    assert ranks(retrieved, reference) == sorted(ranks(retrieved, reference))


def test_refusals():
    for measure in MEASURES:
        with pytest.raises(ValueError, match="no reference passage"):
            measure(["a"], [])
