"""Each metric: one case done by hand, the paper's formula spelled out, its laws, its refusals."""

import numpy as np
import pytest

from ragassay.scores import similarity
from ragassay.scores.similarity import (
    aggregate,
    answer_relevancy,
    best_match,
    completeness,
    context_relevancy,
    groundedness,
    least,
)

EAST, NORTH, WEST = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]
METRICS = (
    context_relevancy,
    groundedness,
    completeness,
    answer_relevancy,
)  # each scores its first text by its second


def cosine(a, c):
    return a @ c / (np.linalg.norm(a) * np.linalg.norm(c))


@pytest.mark.parametrize("metric", METRICS)
def test_by_hand(metric):
    """One sentence found word for word, one not found at all: half the text is met; the worst not at all; a weight of 3 to 1 gives 3/4."""
    scored, by = np.array([EAST, NORTH]), np.array([EAST])
    assert metric(scored, by) == pytest.approx(0.5)
    assert metric(scored, by, aggregation="minimum") == pytest.approx(0.0)
    assert metric(scored, by, aggregation="weighted", weights=[3, 1]) == pytest.approx(0.75)


@pytest.mark.parametrize("metric", METRICS)
def test_agrees_with_the_paper(metric, texts):
    scored, by = texts
    found = [max(cosine(a, c) for c in by) for a in scored]
    weights = np.arange(1, len(found) + 1) / sum(range(1, len(found) + 1))
    assert metric(scored, by) == pytest.approx(sum(found) / len(found))
    assert metric(scored, by, aggregation="minimum") == pytest.approx(min(found))
    assert metric(scored, by, aggregation="weighted", weights=weights) == pytest.approx(
        sum(w * s for w, s in zip(weights, found, strict=True))
    )


@pytest.mark.parametrize("metric", METRICS)
def test_more_to_be_met_by_never_hurts(metric, texts):
    scored, by = texts
    assert metric(scored, np.vstack([by, scored[:1]])) >= metric(scored, by) - 1e-12


@pytest.mark.parametrize("metric", METRICS)
def test_a_text_meets_itself_fully_and_scale_and_order_do_not_matter(metric, texts):
    scored, by = texts
    assert metric(scored, scored) == pytest.approx(1.0)
    assert metric(7 * scored[::-1], by[::-1]) == pytest.approx(metric(scored, by))


def test_minimum_mean_and_range_are_ordered(texts):
    scored, by = texts
    assert (
        -1
        <= groundedness(scored, by, aggregation="minimum")
        <= groundedness(scored, by)
        <= best_match(scored, by).max()
        <= 1
    )
    equal = groundedness(scored, by, aggregation="weighted", weights=np.ones(len(scored)))
    assert equal == pytest.approx(groundedness(scored, by))


def test_completeness_is_groundedness_read_the_other_way(texts):
    answer, context = texts
    assert completeness(context, answer) == groundedness(context, answer)
    assert groundedness(np.array([EAST]), np.array([EAST, NORTH])) != completeness(
        np.array([EAST, NORTH]), np.array([EAST])
    )


def test_the_least_met_sentence_is_the_first_of_equals():
    assert least([0.4, 0.1, 0.1 + 1e-9, 0.9]) == 1
    assert similarity.nearest([[0.2, 0.5, 0.5 + 1e-12]]).tolist() == [1]
    assert best_match(np.array([EAST, WEST]), np.array([EAST])).tolist() == [1.0, -1.0]


@pytest.mark.parametrize(
    "scored, by, complaint",
    [
        (np.empty((0, 2)), [EAST], "empty"),
        ([EAST], np.empty((0, 2)), "empty"),
        ([EAST, [0.0, 0.0]], [EAST], "sentence 1"),
        ([[np.nan, 1.0]], [EAST], "sentence 0"),
    ],
)
@pytest.mark.parametrize("metric", METRICS)
def test_refuses_what_has_no_score(metric, scored, by, complaint):
    with pytest.raises(ValueError, match=complaint):
        metric(scored, by)


@pytest.mark.parametrize(
    "how, weights, complaint",
    [
        ("median", None, "mean, weighted, minimum; found 'median'"),
        ("weighted", None, "needs weights"),
        ("weighted", [1.0], "shape"),
        ("weighted", [1.0, -2.0], "weight 1"),
        ("weighted", [1.0, np.inf], "weight 1"),
        ("weighted", [0.0, 0.0], "not all be 0"),
    ],
)
def test_refuses_what_cannot_be_aggregated(how, weights, complaint):
    with pytest.raises(ValueError, match=complaint):
        aggregate([0.5, 0.7], how, weights)
    with pytest.raises(ValueError, match="empty"):
        aggregate([])
