"""Each metric: one case done by hand, the paper's formula spelled out, its laws, its refusals."""

import numpy as np
import pytest
from fake_tools import with_vectors

from ragassay.scores import METRICS
from ragassay.scores.families.similarity import aggregate

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]
SIDES = {  # each scores its first text by its second
    "context_relevancy": ("question", "context"),
    "groundedness": ("answer", "context"),
    "completeness": ("context", "answer"),
    "answer_relevancy": ("answer", "question"),
}


def value(name, scored, by, suffix="", words=None):
    """What the metric gives for a text with these sentence vectors, each of so many words, by another."""
    one, other = SIDES[name]
    sample, tools = with_vectors({one: words} if words else None, **{one: scored, other: by})
    return METRICS[name + suffix].measure(sample, tools)[0]


def cosine(a, c):
    return a @ c / (np.linalg.norm(a) * np.linalg.norm(c))


@pytest.mark.parametrize("metric", SIDES)
def test_by_hand(metric):
    """One sentence found word for word, one not found at all: half the text is met; the worst not at all; a weight of 3 to 1 gives 3/4."""
    scored, by = np.array([EAST, NORTH]), np.array([EAST])
    assert value(metric, scored, by) == pytest.approx(0.5)
    assert value(metric, scored, by, "_min") == pytest.approx(0.0)
    assert value(metric, scored, by, "_weighted", [3, 1]) == pytest.approx(0.75)


@pytest.mark.parametrize("metric", SIDES)
def test_agrees_with_the_paper(metric, texts):
    scored, by = texts
    found = [max(cosine(a, c) for c in by) for a in scored]
    words = range(1, len(found) + 1)
    weights = np.array(words) / sum(words)
    assert value(metric, scored, by) == pytest.approx(sum(found) / len(found))
    assert value(metric, scored, by, "_min") == pytest.approx(min(found))
    assert value(metric, scored, by, "_weighted", words) == pytest.approx(
        sum(w * s for w, s in zip(weights, found, strict=True))
    )


@pytest.mark.parametrize("metric", SIDES)
def test_more_to_be_met_by_never_hurts(metric, texts):
    scored, by = texts
    assert value(metric, scored, np.vstack([by, scored[:1]])) >= value(metric, scored, by) - 1e-12


@pytest.mark.parametrize("metric", SIDES)
def test_a_text_meets_itself_fully_and_scale_and_order_do_not_matter(metric, texts):
    scored, by = texts
    assert value(metric, scored, scored) == pytest.approx(1.0)
    assert value(metric, 7 * scored[::-1], by[::-1]) == pytest.approx(value(metric, scored, by))


@pytest.mark.parametrize(
    "scored, by, complaint",
    [
        (np.empty((0, 2)), [EAST], "empty"),
        ([EAST], np.empty((0, 2)), "empty"),
        ([EAST, [0.0, 0.0]], [EAST], "sentence 1"),
        ([[np.nan, 1.0]], [EAST], "sentence 0"),
    ],
)
@pytest.mark.parametrize("metric", SIDES)
def test_refuses_what_has_no_score(metric, scored, by, complaint):
    with pytest.raises(ValueError, match=complaint):
        value(metric, scored, by)


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
