"""Similarity, groundedness by entailment (on rules in place of a model), and transport: by hand, against the paper
and a linear program, laws, refusals."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from fake_tools import INSTRUMENTS, with_vectors
from scipy.optimize import linprog

from ragassay.models import Entailment
from ragassay.scores import METRICS, score
from ragassay.scores.families.similarity import aggregate, distances

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]
SIDES = {  # each scores its first text by its second
    "context_relevancy": ("question", "context"),
    "groundedness": ("answer", "context"),
    "completeness": ("context", "answer"),
    "answer_relevancy": ("answer", "question"),
}


def value(name, scored, by, option="", words=None):
    """What the metric gives for a text with these sentence vectors, each of so many words, by another."""
    one, other = SIDES[name]
    sample, tools = with_vectors({one: words} if words else None, **{one: scored, other: by})
    return METRICS[name + option].measure(sample, tools)[0]


def cosine(a, c):
    return a @ c / (np.linalg.norm(a) * np.linalg.norm(c))


@pytest.mark.parametrize("metric", SIDES)
def test_by_hand(metric):
    """One sentence found word for word, one not found at all: half the text is met; the worst not at all; a weight of 3 to 1 gives 3/4."""
    scored, by = np.array([EAST, NORTH]), np.array([EAST])
    assert value(metric, scored, by) == pytest.approx(0.5)
    assert value(metric, scored, by, ":min") == pytest.approx(0.0)
    assert value(metric, scored, by, ":weighted", [3, 1]) == pytest.approx(0.75)


@pytest.mark.parametrize("metric", SIDES)
def test_agrees_with_the_paper(metric, texts):
    scored, by = texts
    found = [max(cosine(a, c) for c in by) for a in scored]
    words = range(1, len(found) + 1)
    weights = np.array(words) / sum(words)
    assert value(metric, scored, by) == pytest.approx(sum(found) / len(found))
    assert value(metric, scored, by, ":min") == pytest.approx(min(found))
    assert value(metric, scored, by, ":weighted", words) == pytest.approx(
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


def test_refuses_what_cannot_be_aggregated():
    with pytest.raises(ValueError, match="empty"):
        aggregate([])


WEST = [-1.0, 0.0]


def wasserstein_completeness(context, answer, option=""):
    """What the metric gives for passages and an answer whose sentences have these vectors."""
    measure = METRICS[f"wasserstein_completeness{option}"].measure
    return measure(*with_vectors(context=context, answer=answer))[0]


def mean_pairwise_distance(context, answer):
    return wasserstein_completeness(context, answer, ":pairwise")


def test_transport_by_hand():
    """Half of the context stays where it is, half moves by a right angle: cost 1/2; over all pairs the mean is also 1/2."""
    assert wasserstein_completeness([EAST, NORTH], [EAST]) == pytest.approx(0.5)
    assert mean_pairwise_distance([EAST, NORTH], [EAST]) == pytest.approx(0.5)
    assert wasserstein_completeness([EAST, NORTH], [NORTH, EAST]) == 0.0
    assert mean_pairwise_distance([EAST, NORTH], [NORTH, EAST]) == pytest.approx(0.5)
    assert wasserstein_completeness([EAST], [WEST]) == pytest.approx(2.0)


def test_agrees_with_a_linear_program(texts):
    """The paper's minimum over all plans with row sums 1/n and column sums 1/k, solved by another solver."""
    context, answer = texts
    cost = distances(context, answer)
    n, k = cost.shape
    rows, columns = np.kron(np.eye(n), np.ones(k)), np.kron(np.ones(n), np.eye(k))
    sums = np.r_[np.full(n, 1 / n), np.full(k, 1 / k)]
    best = linprog(cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=sums, bounds=(0, None))
    assert wasserstein_completeness(context, answer) == pytest.approx(best.fun, abs=1e-8)


def test_laws(texts):
    """Range, zero for equal texts, symmetry, never above the average of all pairs; the average of a text with itself is not zero."""
    context, answer = texts
    exact, average = wasserstein_completeness(context, answer), mean_pairwise_distance(context, answer)
    assert 0 <= exact <= average + 1e-9 <= 2 + 1e-9
    assert wasserstein_completeness(context, context) == pytest.approx(0.0, abs=1e-9)
    assert exact == pytest.approx(wasserstein_completeness(answer, context))
    assert len(context) == 1 or mean_pairwise_distance(context, context) > 0


ANSWER = {
    "case_id": "a",
    "system": "s",
    "question": "What is due?",
    "contexts": ["The fee is due in May. Dogs bark.", "A card is free."],
}


def scored(answer: str, metric: str = "groundedness_nli", **instruments) -> pd.Series:
    return score(
        pd.DataFrame([ANSWER | {"answer": answer}]), metrics=[metric], instruments=INSTRUMENTS | instruments
    ).iloc[0]


def test_the_metric_is_the_mean_of_sigma_over_sentences():
    row = scored("The fee is due. Cats sing loudly.")
    detail = json.loads(row.detail)
    assert [record["weakest"] for record in detail] == [False, True] and detail[0]["entailment"] == 0.9
    assert row.value == pytest.approx(
        np.mean([1 / (1 + math.exp(-record["D"])) for record in detail]), abs=1e-5
    )
    assert row.value > scored("The fee is due. Cats sing loudly.", "groundedness_nli:min").value


def test_a_model_without_a_distance_leaves_the_reason():
    def foreign(pairs):
        return Entailment(np.full((len(pairs), 3), 1 / 3), np.zeros(len(pairs)), np.full(len(pairs), np.nan))

    row = scored("The fee is due.", entail=foreign)
    assert np.isnan(row.value) and row.state == "error" and "no linear last layer" in row.reason


SCATTERED = {  # an answer sentence whose words stand in four passages
    "case_id": "a",
    "system": "s",
    "answer": "Alpha beta gamma delta.",
    "contexts": ["Alpha one.", "Beta two.", "Gamma three.", "Delta four."],
}
NEUTRAL, ENTAILED = (
    (math.log(entailed) - (math.log(0.05) + math.log(other)) / 2) / 2
    for entailed, other in ((0.05, 0.9), (0.9, 0.05))
)  # D of the rules: z / 2


def held_against(premise: str, **instruments) -> pd.Series:
    return score(
        pd.DataFrame([SCATTERED]),
        metrics=["groundedness_nli"],
        instruments=INSTRUMENTS | instruments,
        premise=premise,
    ).iloc[0]


@pytest.mark.parametrize("premise, distance, sentences", [("nearest", NEUTRAL, 3), ("whole", ENTAILED, 4)])
def test_the_premise_is_the_nearest_three_sentences_or_hcat_s_whole_context(premise, distance, sentences):
    """The sentence follows from the four passages together and from no three of them."""
    row = held_against(premise, premise_spans=lambda asked: [[(0, len(those))] for those, _ in asked])
    found = json.loads(row.detail)[0]
    assert row.value == pytest.approx(1 / (1 + math.exp(-distance)), abs=1e-6)
    assert found["evidence"].count(".") == sentences and found.get("pieces") == (
        1 if premise == "whole" else None
    )


def test_of_a_context_in_pieces_the_one_that_entails_most_counts():
    """Two sentences to a piece: neither holds all four words; the answer's second half stands in the second."""
    assert held_against("whole").value == pytest.approx(1 / (1 + math.exp(-NEUTRAL)), abs=1e-6)
    halves = SCATTERED | {"answer": "Gamma delta."}
    row = score(
        pd.DataFrame([halves]), metrics=["groundedness_nli"], instruments=INSTRUMENTS, premise="whole"
    ).iloc[0]
    found = json.loads(row.detail)[0]
    assert row.value == pytest.approx(1 / (1 + math.exp(-ENTAILED)), abs=1e-6)
    assert (found["evidence"], found["pieces"]) == ("Gamma three. Delta four.", 2)
