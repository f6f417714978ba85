"""Recall and precision of retrieval, hard and soft: by hand, spelled out, laws, refusals."""

import numpy as np
import pytest
from fake_tools import with_vectors
from hypothesis import given
from hypothesis import strategies as st

from ragassay.scores import METRICS
from ragassay.scores.families.retrieval import precision, recall

IDS = st.lists(st.sampled_from("abcdef"), min_size=1)


def test_hard_by_hand():
    assert recall(["a", "b", "x"], ["a", "b", "c", "d"]) == 0.5
    assert precision(["a", "b", "x"], ["a", "b", "c", "d"]) == pytest.approx(2 / 3)
    assert recall([], ["a"]) == 0.0


@given(IDS, IDS)
def test_hard_spelled_out_and_laws(retrieved, reference):
    """By counting; the two trade places when the sides do; repetition changes nothing; more retrieved never lowers recall."""
    distinct = set(reference)
    assert recall(retrieved, reference) == sum(one in retrieved for one in distinct) / len(distinct)
    assert recall(retrieved, reference) == precision(reference, retrieved)
    assert precision(retrieved * 2, reference) == precision(retrieved, reference)
    assert recall([*retrieved, "f"], reference) >= recall(retrieved, reference)


def test_hard_refusals():
    for metric in (recall, precision):
        with pytest.raises(ValueError, match="no reference passage"):
            metric(["a"], [])
    with pytest.raises(ValueError, match="nothing was retrieved"):
        precision([], ["a"])


def value(name, question, context):
    """What the metric gives for a question and passages whose sentences have these vectors."""
    return METRICS[name].measure(*with_vectors(question=question, context=context))[0]


def test_soft_by_hand():
    """The question is met by one of two retrieved sentences: full recall, half precision."""
    question, context = [[1.0, 0.0]], [[2.0, 0.0], [0.0, 3.0]]
    assert value("relevancy_recall", question, context) == pytest.approx(1.0)
    assert value("relevancy_precision", question, context) == pytest.approx(0.5)


def test_soft_spelled_out_and_laws(texts):
    question, context = texts
    table = [[q @ c / np.linalg.norm(q) / np.linalg.norm(c) for c in context] for q in question]
    assert value("relevancy_recall", question, context) == pytest.approx(np.mean([max(row) for row in table]))
    assert value("relevancy_precision", question, context) == pytest.approx(
        np.mean([max(column) for column in zip(*table, strict=True)])
    )
    assert value("relevancy_recall", question, context) == value("context_relevancy", question, context)
    assert value("relevancy_precision", question, question) == pytest.approx(1.0)


@pytest.mark.parametrize("metric", ["relevancy_recall", "relevancy_precision"])
def test_soft_refusals(metric):
    with pytest.raises(ValueError, match="empty"):
        value(metric, np.empty((0, 2)), [[1.0, 0.0]])
    with pytest.raises(ValueError, match="empty"):
        value(metric, [[1.0, 0.0]], np.empty((0, 2)))
