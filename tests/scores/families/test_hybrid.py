"""The hybrid metrics: on answers, with instruments by rule; their parts by hand, against scikit-learn or the formula spelled out, laws, refusals."""

import numpy as np
import pytest
from fake_tools import FakeTools, with_vectors
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import entropy
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer

from ragassay.scores import METRICS
from ragassay.scores.families import hybrid
from ragassay.scores.families.hybrid import (
    centre,
    generator_competence,
    harmonic_mean,
    tfidf_weights,
    weights,
)
from ragassay.scores.metric import NotApplicable
from ragassay.scores.prepared_answer import Sample

QUESTION = "What is the monthly fee of the Gold account?"
CONTEXTS = (
    "The monthly fee of the Gold account is $6.00. It is due on 12 March 2024 in Germany.",
    "The branch in Port Alder is led by Ann Lee.",
)
GOOD = "The monthly fee of the Gold account is $6.00. It is due in March 2024."


def answered(answer: str, **more) -> Sample:
    return Sample(
        "c",
        "s",
        **(
            {
                "answer": answer,
                "question": QUESTION,
                "contexts": CONTEXTS,
                "reference_answer": "The fee is $6.00.",
            }
            | more
        ),
    )


def measured_of(name: str, sample: Sample, tools: FakeTools):
    """What a composite or a part of one gives."""
    return hybrid.composite(sample, tools, name)


def value(name: str, answer: str, **more) -> float:
    return measured_of(name, answered(answer, **more), FakeTools())[0]


def test_facts_by_hand():
    """Two numbers, one held; one place, not held; one date, held."""
    answer = "It costs $6.00 or $7.00 in New York from March 2024."
    assert value("numeric_consistency", answer) == 0.5
    assert value("place_consistency", answer) == 0
    assert value("time_consistency", answer) == 1
    assert value("facts_consistency", answer) == pytest.approx((0.5 + 0 + 1) / 3)
    detail = measured_of("facts_consistency", answered(answer), FakeTools())[1]
    assert [(record["text"], record["score"]) for record in detail] == [
        ("$7.00", 0),
        ("New York", 0),
        ("$6.00", 1),
        ("March 2024", 1),
    ]


def test_graphs_by_hand():
    """Question: monthly, fee, gold, account. The answer takes up two of them and adds branch, which the passages hold, and garden, which they do not."""
    answer = "The fee of the account, the branch and the garden."
    assert value("graph_nodes_question", answer) == 0.5
    assert value("graph_nodes_contexts", answer) == pytest.approx(3 / 4)
    assert value("graph_additional", answer) == 0.5
    parts = [value(f"graph_{part}_question", answer) for part in ("nodes", "edges", "centrality")] + [0.5]
    assert value("graph_question", answer) == pytest.approx(np.mean(parts), abs=1e-6)


@pytest.mark.parametrize(
    "name, parts",
    [
        ("query_relevance", ["question_similarity", "graph_question", "facts_consistency"]),
        (
            "factual_accuracy",
            ["question_similarity", "context_similarity", "graph_contexts", "facts_consistency"],
        ),
        ("context_consistency", ["nli_coherence_contexts", "context_similarity", "graph_contexts"]),
        (
            "semantic_relevance",
            ["aspect_coverage", "segment_coherence", "context_utilisation", "topic_relevance"],
        ),
        ("semantic_coherence", ["nli_coherence", "pair_acceptability"]),
        ("nli_coherence", ["nli_coherence_question", "nli_coherence_contexts"]),
    ],
)
def test_a_metric_is_the_mean_of_its_parts(name, parts):
    assert value(name, GOOD) == pytest.approx(np.mean([value(part, GOOD) for part in parts]), abs=1e-5)
    detail = measured_of(name, answered(GOOD), FakeTools())[1]
    assert [record["part"] for record in detail] == parts


def test_a_part_is_an_option_of_its_metric():
    sample = answered(f"{GOOD} A card is free in Port Alder.")
    for name, metric in METRICS.items():
        part = name.partition(":")[2]
        if metric.family == "hybrid" and part not in ("", "place_consistency"):
            assert metric.measure(sample, FakeTools())[0] == measured_of(part, sample, FakeTools())[0]


def test_the_reference_takes_the_place_of_question_and_contexts():
    """2.7: what the retrieved passages say plays no part."""
    truth, tools = "The fee is $6.00.", FakeTools()
    asked = Sample("c", "s", answer=GOOD, question=truth, contexts=())
    held = Sample("c", "s", answer=GOOD, question=QUESTION, contexts=(truth,))
    expected = [
        hybrid.composite(asked, tools, "query_relevance"),
        hybrid.composite(held, tools, "factual_accuracy"),
        hybrid.composite(held, tools, "context_consistency"),
    ]
    assert value("answer_correctness", GOOD) == pytest.approx(
        np.mean([found for found, _ in expected]), abs=1e-5
    )
    assert value("answer_correctness", GOOD, contexts=("Nothing.",)) == value("answer_correctness", GOOD)


@pytest.mark.parametrize(
    "name, answer, why",
    [
        ("segment_coherence", "One.", "one sentence"),
        ("numeric_consistency", "None.", "states no number"),
        ("facts_consistency", "None.", "no fact"),
        ("graph_nodes_contexts", "So it is.", "no concept"),
        ("graph_edges_contexts", "Fee.", "no two concepts"),
        ("lost_in_round_trip", "So it is.", "no question"),
        ("graph_additional", "Fee.", "adds no concept"),
    ],
)
def test_refusals(name, answer, why):
    with pytest.raises(NotApplicable, match=why):
        value(name, answer)


def test_competence_over_a_table():
    """An answer without one of the metrics is left out with their names; a table of one answer has no weights."""
    names = METRICS["generator_competence"].derived
    values = np.array(
        [
            [0.9, 0.8, 0.9, 0.7, 0.8, 0.1],
            [0.2, 0.3, 0.4, 0.5, 0.5, 0.6],
            [0.5, np.nan, 0.5, 0.5, np.nan, 0.5],
            [0.5, 0.6, 0.7, 0.5, 0.6, 1.0],
        ]
    )
    results = generator_competence(values, names)
    assert str(results[2]) == "no value of factual_accuracy, semantic_coherence"
    assert results[0][0] > results[1][0] > results[3][0] == 0  # hallucination of 1 leaves nothing
    assert [record["metric"] for record in results[0][1]] == list(names) and results[0][1][-1]["score"] == 0.9
    assert all(isinstance(one, NotApplicable) for one in generator_competence(values[:1], names))


EAST, NORTH, WEST, NORTHEAST = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.6, 0.8]
WORDS = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6), min_size=1, max_size=6)


def cosine(one, other) -> float:
    return max(float(np.dot(one, other) / np.linalg.norm(one) / np.linalg.norm(other)), 0.0)


def measured(name, answer, context):
    """What the metric gives, and its evidence, for an answer and passages whose sentences have these vectors."""
    return measured_of(name, *with_vectors(answer=answer, context=context, question=[EAST]))


def weighted_similarity(these, those):
    return measured("context_similarity", these, those)[0]


def context_utilisation(these, those):
    return measured("context_utilisation", these, those)[0]


def topic_relevance(these, those):
    """The question is the passages'."""
    return measured_of("topic_relevance", *with_vectors(answer=these, context=those, question=those))[0]


def test_parts_by_hand():
    value, (first, second) = measured("context_similarity", [EAST, NORTH], [EAST])
    assert value == pytest.approx(first["weight"], abs=1e-6) and first["weight"] + second["weight"] == 1
    assert measured("segment_coherence", [EAST, NORTH, NORTHEAST], [EAST])[0] == pytest.approx(
        (0 + 0.6 + 0.8) / 3
    )
    assert context_utilisation([EAST], [EAST, NORTH]) == pytest.approx(np.sqrt(0.5))
    assert topic_relevance([EAST], [EAST]) == pytest.approx(1 / (1 + np.exp(-5)))
    assert topic_relevance([NORTH], [EAST]) == pytest.approx(1 / (1 + np.exp(5)))


@given(WORDS)
@settings(deadline=None)
def test_weights_agree_with_scikit_learn(sentences):
    texts = tuple(" ".join(words) for words in sentences)
    rival = TfidfVectorizer(analyzer=str.split, norm=None)
    expected = np.asarray(rival.fit_transform(texts).sum(axis=1)).ravel()
    assert tfidf_weights(texts, texts) == pytest.approx(expected)


def test_the_formulas_are_spelled_out(texts):
    these, those = texts
    best = [max(cosine(one, other) for other in those) for one in these]
    value, detail = measured("context_similarity", these, those)
    shares = [one["weight"] for one in detail]
    assert sum(shares) == pytest.approx(1, abs=1e-5) and value == pytest.approx(
        np.dot(best, shares), abs=1e-5
    )
    middle = np.mean([one / np.linalg.norm(one) for one in those], axis=0)
    units = [one / np.linalg.norm(one) for one in those]
    assert context_utilisation(these, units) == pytest.approx(np.mean([cosine(one, middle) for one in these]))
    if len(these) > 1:
        pairs = [cosine(one, other) for i, one in enumerate(these) for other in these[:i]]
        assert measured("segment_coherence", these, those)[0] == pytest.approx(np.mean(pairs))


def test_laws_of_parts(texts):
    """Bounds; a text is like itself; stretching a vector or turning all of them changes nothing."""
    these, those = texts
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(8, 8)))[0]
    parts = [weighted_similarity, context_utilisation, topic_relevance]
    for part in parts:
        assert 0 <= part(these, those) <= 1
        assert part(these @ turn, those @ turn) == pytest.approx(part(these, those))
    assert parts[0](these, these) == pytest.approx(1)


@pytest.mark.parametrize(
    "call, complaint",
    [
        (lambda: centre([EAST, WEST]), "cancel out"),
        (lambda: context_utilisation([EAST], [EAST, WEST]), "cancel out"),
        (lambda: context_utilisation([EAST], np.empty((0, 2))), "empty"),
        (lambda: weighted_similarity([EAST], [[0.0, 0.0]]), "undefined"),
    ],
)
def test_parts_refuse(call, complaint):
    with pytest.raises(ValueError, match=complaint):
        call()


def test_acceptability_counts_pairs_twice():
    """A sentence alone is acceptable, after the question or a passage half so."""
    tools = FakeTools(acceptable=lambda texts: np.array([1.0 if text == "So." else 0.5 for text in texts]))
    found = measured_of("pair_acceptability", answered("So."), tools)[0]
    assert found == pytest.approx((1 + 2 * 0.5 + 2 * 0.5) / 5)


def test_neutral_counts_half():
    """By rule the first sentence is entailed 0.9, the second neutral 0.9."""
    assert value("nli_coherence_contexts", "The fee is due. Cats purr.") == pytest.approx((0.925 + 0.5) / 2)


TABLES = arrays(
    float,
    st.tuples(st.integers(2, 8), st.integers(1, 5)),
    elements=st.floats(0.01, 1).map(lambda value: round(value, 3)),
)


@pytest.fixture(params=range(10), ids="seed={}".format)
def table(request) -> np.ndarray:
    rng = np.random.default_rng(request.param)
    return rng.uniform(0.05, 1, size=(rng.integers(5, 20), rng.integers(2, 7)))


def test_competence_by_hand():
    """Two answers, two metrics that move together: PCA weighs them alike; the second varies three times as much beside its mean."""
    found = weights([[0.4, 0.2], [0.6, 0.8]])
    assert found["pca"] == pytest.approx([0.5, 0.5])
    assert found["variation"] == pytest.approx([0.25, 0.75])
    bits = [1 - entropy([0.4, 0.6], base=2), 1 - entropy([0.2, 0.8], base=2)]
    assert found["entropy"] == pytest.approx(np.array(bits) / sum(bits))
    assert harmonic_mean(np.array([[0.5, 1.0]]), np.array([0.5, 0.5])) == pytest.approx([2 / 3])


def test_weightings_agree_with_scikit_learn_and_scipy(table):
    found = weights(table)
    loadings = np.abs(PCA(1).fit((table - table.mean(0)) / table.std(0)).components_[0])
    assert found["pca"] == pytest.approx(loadings / loadings.sum())
    divergence = 1 - entropy(table, base=len(table))
    assert found["entropy"] == pytest.approx(divergence / divergence.sum())
    variation = table.std(0) / table.mean(0)
    assert found["variation"] == pytest.approx(variation / variation.sum())


@given(TABLES)
@settings(deadline=None)
def test_laws_of_competence(values):
    """Between the least and the greatest metric of the answer; the order of the answers plays no part."""
    if not (np.ptp(values, axis=0) >= 1e-9).any():
        return
    scores = harmonic_mean(values, np.mean(list(weights(values).values()), axis=0))
    assert (scores >= values.min(axis=1) - 1e-9).all() and (scores <= values.max(axis=1) + 1e-9).all()
    parted = [weights(values)[name] for name in ("entropy", "variation")]
    turned = [weights(values[::-1])[name] for name in ("entropy", "variation")]
    assert all(
        one == pytest.approx(other, abs=1e-6) and one.sum() == pytest.approx(1)
        for one, other in zip(parted, turned, strict=True)
    )


@pytest.mark.parametrize(
    "table, complaint", [([[0.5, 0.5]], "two answers"), ([[0.5, 0.5], [0.5, 0.5]], "no metric varies")]
)
def test_competence_refuses(table, complaint):
    with pytest.raises(ValueError, match=complaint):
        weights(table)
