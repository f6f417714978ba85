"""Retrieval, ranks and key terms: by hand, against scikit-learn, laws, refusals."""

import math

import numpy as np
import pandas as pd
import pytest
from fake_tools import with_vectors
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import dcg_score, ndcg_score

from ragassay.scores import METRICS, score
from ragassay.scores.families.retrieval import hit, ndcg, precision, ranks, recall, reciprocal_rank

IDS = st.lists(st.sampled_from("abcdef"), min_size=1)
UNIQUE_IDS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8, unique=True)


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
    with pytest.raises(ValueError, match="no passage was retrieved"):
        precision([], ["a"])


def value(name, question, context):
    """What the metric gives for a question and passages whose sentences have these vectors."""
    return METRICS[name].measure(*with_vectors(question=question, context=context))[0]


def test_soft_spelled_out_and_laws(texts):
    question, context = texts
    table = [[q @ c / np.linalg.norm(q) / np.linalg.norm(c) for c in context] for q in question]
    assert value("context_relevancy", question, context) == pytest.approx(
        np.mean([max(row) for row in table])
    )
    assert value("relevancy_precision", question, context) == pytest.approx(
        np.mean([max(column) for column in zip(*table, strict=True)])
    )
    assert value("relevancy_precision", question, question) == pytest.approx(1.0)


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


@given(UNIQUE_IDS, UNIQUE_IDS)
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


@given(UNIQUE_IDS, UNIQUE_IDS)
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


def row(question, *contexts, **more):
    return {
        "case_id": "c",
        "system": "s",
        "answer": "x",
        "question": question,
        "contexts": list(contexts),
        **more,
    }


def measured(*rows):
    return score(pd.DataFrame(rows), metrics=["evidence_sufficiency"]).iloc[-1]


def test_sufficiency_by_hand():
    """`fees` by its stem, `purchase` by its synonym, 2026 as a number, and no word of lottery: four of five."""
    found = measured(
        row(
            "What are the fees to purchase a lottery ticket in 2026?",
            "In 2026 the fee to buy a ticket is 2 euros.",
        )
    )
    assert found.value == 0.8 and '"lottery", "score": 0.0' in found.detail
