"""The hybrid metrics on answers, with instruments by rule: values, evidence, what is left out and why."""

import numpy as np
import pandas as pd
import pytest
from fake_tools import FakeTools

from ragassay.scores import METRICS
from ragassay.scores.families import hybrid
from ragassay.scores.families.competence import generator_competence
from ragassay.scores.metric import NotApplicable
from ragassay.scores.prepared_answer import Sample

QUESTION = "What is the monthly fee of the Gold account?"
CONTEXTS = (
    "The monthly fee of the Gold account is $6.00. It is due on 12 March 2024 in Germany.",
    "The branch in Port Alder is led by Ann Lee.",
)
GOOD = "The monthly fee of the Gold account is $6.00. It is due in March 2024."
BAD = "The yearly price is $7.00, not payable in Chile, says Bob Fox."


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


def value(name: str, answer: str, **more) -> float:
    return METRICS[name].measure(answered(answer, **more), FakeTools())[0]


def test_facts_by_hand():
    """Two numbers, one held; one place, not held; one date, held."""
    answer = "It costs $6.00 or $7.00 in Chile from March 2024."
    assert value("numeric_consistency", answer) == 0.5
    assert value("place_consistency", answer) == 0
    assert value("time_consistency", answer) == 1
    assert value("facts_consistency", answer) == pytest.approx((0.5 + 0 + 1) / 3)
    detail = METRICS["facts_consistency"].measure(answered(answer), FakeTools())[1]
    assert [(record["text"], record["score"]) for record in detail] == [
        ("$7.00", 0),
        ("Chile", 0),
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
    detail = METRICS[name].measure(answered(GOOD), FakeTools())[1]
    assert [record["part"] for record in detail] == parts


def test_hallucination_turns_the_round_trip_round():
    expected = (value("contradiction", BAD) + 1 - value("round_trip", BAD)) / 2
    assert value("hallucination", BAD) == pytest.approx(expected, abs=1e-6)
    assert value("hallucination", GOOD) < value("hallucination", BAD)


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


def test_parts_with_nothing_to_judge_are_left_out_and_named():
    found, detail = METRICS["query_relevance"].measure(answered("The fee is due."), FakeTools())
    left_out = [record for record in detail if record["score"] is None]
    assert [record["part"] for record in left_out] == ["facts_consistency"] and "no fact" in left_out[0][
        "reason"
    ]
    assert found == pytest.approx(
        np.mean([record["score"] for record in detail if record["score"] is not None])
    )


@pytest.mark.parametrize(
    "name, answer, why",
    [
        ("segment_coherence", "One.", "one sentence"),
        ("numeric_consistency", "None.", "states no number"),
        ("facts_consistency", "None.", "no fact"),
        ("graph_nodes_contexts", "So it is.", "no concept"),
        ("graph_edges_contexts", "Fee.", "no two concepts"),
        ("graph_contexts", "So it is.", "no concept"),
        ("round_trip", "So it is.", "no question"),
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


def table(answers: list[str]) -> pd.DataFrame:
    rows = [
        {"case_id": str(i), "system": "s", "question": QUESTION, "answer": answer, "contexts": list(CONTEXTS)}
        for i, answer in enumerate(answers)
    ]
    return pd.DataFrame(rows).assign(reference_answer="The fee is $6.00.")
