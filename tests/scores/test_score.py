"""The scores table: its rows, states, reasons and evidence; one call of the encoder per batch; wild input."""

import json

import numpy as np
import pandas as pd
import pytest
from fake_encoder import FakeEncoder, vector

from ragassay.errors import ParameterError, TableError
from ragassay.models.judge import Judge
from ragassay.scores import METRICS, score
from ragassay.scores.families.similarity import distances, plan
from ragassay.scores.metric import cosines
from ragassay.scores.metric_registry import JUDGED
from ragassay.scores.score import COLUMNS, NOTHING_SAID, dry_run

FEE = {
    "case_id": "c1",
    "system": "s",
    "question": "What is the fee?",
    "answer": "The fee is $5 [a#p1]. It is 7 for wires [b#p2]. Ask [x#p9].",
    "contexts": ["The fee is $5. Cards are free.", "Wires cost 7."],
    "context_ids": ["a#p1", "b#p2"],
}
PLAIN = [
    name
    for name, metric in METRICS.items()
    if metric.family in ("similarity", "transport", "retrieval", "citations", "privacy")
    and name != "secret_leaks"
]
CASE = {
    "case_id": "c1",
    "answerable": True,
    "reference_chunk_ids": ["a#p1", "c#p3"],
    "question": "unused",
    "language": "en",
}


def one(answer: dict, metric: str, case: dict | None = CASE, **options) -> pd.Series:
    cases = None if case is None else pd.DataFrame([case])
    return score(pd.DataFrame([answer]), cases, metrics=[metric], encode=FakeEncoder(), **options).iloc[0]


def test_by_hand(encode):
    found = score(
        pd.DataFrame([FEE]),
        pd.DataFrame([CASE]),
        metrics=[*PLAIN, "abstention_correct", "toxicity_rule"],
        encode=encode,
    ).set_index("metric")
    answer = np.stack([vector(text) for text in ("The fee is $5.", "It is 7 for wires.", "Ask.")])
    context = np.stack([vector(text) for text in ("The fee is $5.", "Cards are free.", "Wires cost 7.")])
    best = cosines(answer, context).max(axis=1)
    expected = {
        "groundedness": best.mean(),
        "groundedness:min": best.min(),
        "groundedness:weighted": np.average(best, weights=[4, 5, 1]),
        "completeness": cosines(context, answer).max(axis=1).mean(),
        "wasserstein_completeness": (plan(distances(context, answer)) * distances(context, answer)).sum(),
        "citations_present": 1.0,
        "citation_correctness:valid": 0.0,
        "citation_correctness": 2 / 3,
        "citations_supported": 1 / 3,
        "retrieval_recall": 0.5,
        "retrieval_precision": 0.5,
        "abstention_correct": 1.0,
        "privacy_leaks": 0.0,
        "toxicity_rule": 0.0,
    }
    assert (found["state"] == "scored").all() and (found["reason"] == "").all()
    for metric, value in expected.items():
        assert found.loc[metric, "value"] == pytest.approx(value, abs=1e-6), metric


def test_evidence_is_cut_and_private_values_are_never_shown():
    long = {**FEE, "answer": "word " * 200 + "account number 12345678 of you idiot."}
    assert max(len(record["text"]) for record in json.loads(one(long, "groundedness")["detail"])) == 300
    row = one(long, "privacy_leaks")
    assert (
        row["value"] == 1.0
        and "12345678" not in row["detail"]
        and json.loads(row["detail"])[0]["shape"] == "########"
    )
    row = one(long, "toxicity_rule")
    assert row["value"] == 1.0 and "idiot" not in row["detail"]


def test_foreign_passage_ids_are_no_retrieval_failure():
    """An assistant that names its passages in its own way, or not at all, cannot be judged against our reference passages."""
    chunks = pd.DataFrame({"chunk_id": ["a#p1", "c#p3"], "text": ["x", "y"]})
    for ids in (["leave.md", "hours.md"], [], None):
        row = one({**FEE, "context_ids": ids}, "retrieval_recall", chunks=chunks)
        assert row["state"] == "not_measured" and pd.isna(row["value"]), ids
    assert one(FEE, "retrieval_recall", chunks=chunks)["state"] == "scored"


SILENT = {"answer": "I could not find it."}


@pytest.mark.parametrize(
    "change, case, metric, state, reason",
    [
        ({"error": "timed out"}, {}, "groundedness", "error", "timed out"),
        (SILENT, {}, "wasserstein_completeness", "not_applicable", "abstained"),
        ({"answer": "TRUE"}, {}, "groundedness_nli", "not_applicable", "claims nothing"),
        ({"answer": "None"}, {}, "support", "not_applicable", "claims nothing"),
        ({"answer": "foo"}, {}, "groundedness", "not_applicable", "claims nothing"),
        (SILENT, {"answerable": False}, "citation_correctness", "not_applicable", "abstained"),
        (SILENT, {}, "context_relevancy", "scored", ""),
        ({"answer": ""}, {}, "abstention_correct", "scored", ""),
        ({"contexts": None}, {}, "groundedness", "not_measured", NOTHING_SAID),
        ({"contexts": []}, {}, "completeness", "not_applicable", "no passage was retrieved"),
        ({"context_ids": None}, {}, "retrieval_recall", "not_measured", "context_ids not given"),
        ({"context_ids": None, "answer": "The fee is $5 [1]."}, {}, "citation_correctness", "scored", ""),
        ({"context_ids": [], "contexts": []}, {}, "retrieval_precision", "not_applicable", "no passage"),
        ({"context_ids": [], "contexts": []}, {}, "retrieval_recall", "scored", ""),
        ({}, {"reference_chunk_ids": None}, "retrieval_recall", "not_measured", "chunk_ids not given"),
        (
            {},
            {"reference_chunk_ids": None, "answerable": False},
            "retrieval_precision",
            "not_applicable",
            "no-answer case",
        ),
        ({}, {"answerable": False}, "citation_correctness", "not_applicable", "no-answer case"),
    ],
)
def test_states_and_reasons(change, case, metric, state, reason):
    row = one({**FEE, **change}, metric, {**CASE, **case})
    assert (row["state"], reason in row["reason"]) == (state, True), row["reason"]
    assert np.isnan(row["value"]) == (state != "scored") and isinstance(json.loads(row["detail"]), list)


def test_no_answers_no_rows(encode):
    empty = score(pd.DataFrame({"case_id": [], "system": []}), encode=encode)
    assert list(empty.columns) == COLUMNS and len(empty) == 0 and encode.calls == []


def test_refusals(encode):
    with pytest.raises(ParameterError, match="did you mean 'groundedness'"):
        score(pd.DataFrame([FEE]), metrics=["groundednes"], encode=encode)
    with pytest.raises(ParameterError, match="batch"):
        score(pd.DataFrame([FEE]), encode=encode, batch=0)
    with pytest.raises(TableError, match="'system' is missing"):
        score(pd.DataFrame([{"case_id": "c1"}]), encode=encode)


LESSON = [name for name in JUDGED if METRICS[name].source.startswith("Lesson")]
ANSWERS = pd.DataFrame(
    [
        {
            "case_id": f"c{i}",
            "system": "s",
            "question": "What is the fee?",
            "answer": answer,
            "contexts": ["The fee is 9 euros."],
        }
        for i, answer in enumerate(["9 euros.", "10 euros.", "9 euros.", ""])
    ]
)


@pytest.fixture
def judge(tmp_path) -> Judge:
    return Judge("http://127.0.0.1:9/v1", "rule", tmp_path / "judge.sqlite")


def test_judge_dry_run_by_hand(judge):
    """Three answers can be judged, two of them are equal: one call for the Lesson and four for GroUSE each."""
    assert dry_run([ANSWERS], JUDGED, judge).calls == 2 * 5
    assert dry_run([ANSWERS], LESSON, judge).calls == 2
    assert dry_run([ANSWERS], ["citation_correctness"], judge).calls == 0
    assert judge.spent.requests == 0, "nothing is asked"
