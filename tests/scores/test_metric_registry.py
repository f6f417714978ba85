"""The rows of METRICS: complete, consistent with the columns and families that exist, honest about their
range; those of the Lesson through `score`: states and reasons, ranges, and answers of any kind.
"""

import json

import pandas as pd
import pytest
from fake_tools import INSTRUMENTS as RULES
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay import tables
from ragassay.scores import DEFAULT, FAMILIES, JUDGED, METRICS, choose, score, source_of
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.score import NOTHING_SAID

INSTRUMENTS = {
    "encoder",
    "entailment",
    "entailment_shipped",
    "toxicity",
    "acceptability",
    "entities",
    "tokens",
    "judge",
    "perplexity",
    "refusals",
}
COLUMNS = {**tables.TABLES["cases"].columns, **tables.TABLES["answers"].columns}


@pytest.mark.parametrize("metric", METRICS.values(), ids=list(METRICS))
def test_every_row_is_complete(metric):
    assert (
        METRICS[metric.name] is metric
        and metric.needs
        and metric.low < metric.high
        and set(metric.models) <= INSTRUMENTS
    )
    assert (
        all(len(text) > 5 for text in (metric.source, metric.meaning, metric.formula, metric.cost))
        and "\n" not in metric.meaning
    )
    assert (
        metric.source.startswith(("HCAT", "Lesson", "Hybrid", "GroUSE", "GRAMMAR"))
        or "(" in metric.source
        or metric.family == "support"
    )


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_a_family_holds_its_own_metrics(family):
    assert family.metrics and {metric.family for metric in family.metrics} == {family.name}


def test_what_a_metric_needs_is_a_declared_column_and_known_to_material():
    needed = {name for metric in METRICS.values() for name in metric.needs}
    assert needed <= set(COLUMNS) and needed <= set(Sample.__dataclass_fields__)


def test_the_default_is_every_metric_but_those_a_language_model_judges_and_those_on_request():
    on_request = {name for name, metric in METRICS.items() if metric.on_request}
    assert list(DEFAULT) == [
        name for name in METRICS if not name.startswith("judge_") and name not in on_request
    ]
    assert len(set(DEFAULT)) == len(DEFAULT) and on_request >= {"evidence_sufficiency", "groundedness_drop"}


def test_a_variant_is_its_metric_but_for_what_its_row_says():
    weakest, metric = METRICS["groundedness_min"], METRICS["groundedness"]
    assert (weakest.variant_of, weakest.on_request, weakest.headline) == ("groundedness", True, 0)
    assert (weakest.needs, weakest.models, weakest.low) == (metric.needs, metric.models, metric.low)
    assert weakest.measure.keywords == metric.measure.keywords | {"aggregation": "minimum"}
    variants = {name for name, metric in METRICS.items() if metric.variant_of}
    assert {METRICS[name].variant_of for name in variants} <= set(METRICS)
    assert len(set(METRICS) - variants) <= 70 and len(DEFAULT) <= 30


def test_what_notebook_02_computes():
    safety = {name for name in METRICS if source_of(name) == "safety"}
    judged = {name for name in METRICS if name.startswith("judge_")}
    assert choose("") == [name for name in DEFAULT if name not in safety]
    assert set(choose("rouge_l, graph_question")) == {*choose(""), "rouge_l", "graph_question"}
    assert set(choose("all")) == set(METRICS) - judged - safety
    assert set(choose("", with_judge=True)) - set(choose("")) == set(JUDGED)
    named = choose("judge_style", with_judge=True)
    assert [name for name in named if name in judged] == ["judge_style"]
    assert set(choose("", with_language_model=True)) - set(choose("")) == {"perplexity"}


NAMES = [name for name in METRICS if source_of(name) == "Lesson"]


GOOD = {
    "case_id": "c1",
    "system": "s",
    "question": "How much is the wire fee?",
    "answer": "The wire fee is 25 dollars a month [a#p1].",
    "contexts": ["The wire fee is 25 dollars a month.", "Cards are free."],
    "context_ids": ["a#p1", "a#p2"],
    "reference_chunk_ids": ["a#p1"],
    "answerable": True,
    "latency_s": 1.5,
}


def scored(*rows: dict, metrics=NAMES) -> pd.DataFrame:
    return score(pd.DataFrame(rows), metrics=metrics, instruments=RULES)


def test_a_good_answer_has_every_score():
    """But the false-answer rate, which is of no-answer cases alone."""
    found = scored(GOOD).set_index("metric")
    assert found.pop("state").to_dict() == {
        name: "not_applicable" if name == "should_have_abstained" else "scored" for name in NAMES
    }
    best = {name: float(METRICS[name].higher_is_better) for name in NAMES} | {"answer_words": 8.0}
    del best["should_have_abstained"]
    assert found["value"].dropna().to_dict() == best


@pytest.mark.parametrize(
    "change, metric, state, reason",
    [
        ({"latency_s": None}, "latency_within_budget", "not_measured", "latency_s not given"),
        ({"contexts": None}, "supported_claims_rate", "not_measured", NOTHING_SAID),
        ({"contexts": []}, "supported_claims_rate", "not_applicable", "no passage was retrieved"),
        ({"answer": ""}, "directness", "not_applicable", "empty answer"),
        ({"answer": ""}, "answer_words", "not_applicable", "empty answer"),
        ({"answer": ""}, "end_to_end_success", "scored", ""),
        (
            {"answer": "I could not find this."},
            "supported_claims_entailed",
            "not_applicable",
            "the assistant abstained",
        ),
        ({"answer": "I could not find this."}, "end_to_end_success", "scored", ""),
        ({"answer": "Sure!"}, "supported_claims_rate", "not_applicable", "the answer claims nothing"),
        (
            {"answer": "Yes."},
            "language_match",
            "not_applicable",
            "fewer than 20 letters: too little to tell the language by",
        ),
        (
            {"latency_s": -1.0},
            "latency_within_budget",
            "error",
            "a budget is above 0 and an amount at least 0; found -1 against 10",
        ),
        ({"answer_type": "essay"}, "completeness_checklist", "error", "answer_type must be one of"),
        ({"schema": "{"}, "schema_valid", "error", "the JSON schema is not JSON"),
        ({"answerable": None}, "should_have_abstained", "not_measured", "answerable not given"),
        ({"answerable": False}, "should_have_abstained", "scored", ""),
        ({"answerable": False}, "citations_present", "not_applicable", "no-answer case: nothing to cite"),
    ],
)
def test_states_and_reasons(change, metric, state, reason):
    row = scored(GOOD | change, metrics=[metric]).iloc[0]
    assert row["state"] == state and row["reason"].startswith(reason)
    assert pd.isna(row["value"]) is (state != "scored")


TEXTS = st.text(max_size=60) | st.sampled_from(
    ["", "?!", "[a#p1]", "Yes.", "x" * 5000, "\x00", "👋", "الرسوم ٥", "1. a is b\n2. c is d", "<b>no</b>"]
)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(TEXTS, TEXTS, st.lists(TEXTS, max_size=3), st.none() | st.booleans()),
        min_size=1,
        max_size=3,
    )
)
def test_any_answer_comes_back_in_order_with_a_state_and_a_value_in_range(given_rows):
    rows = [
        {
            "case_id": f"c{i}",
            "system": "s",
            "answer": answer,
            "question": question,
            "contexts": contexts,
            "answerable": known,
        }
        for i, (answer, question, contexts, known) in enumerate(given_rows)
    ]
    found = scored(*rows)
    assert list(found["case_id"]) == [row["case_id"] for row in rows for _ in NAMES] and list(
        found["metric"]
    ) == NAMES * len(rows)
    for row in found.itertuples():
        assert row.state in ("scored", "not_applicable", "not_measured", "error") and (
            row.state == "scored"
        ) is (row.reason == "")
        assert (
            pd.isna(row.value)
            if row.state != "scored"
            else METRICS[row.metric].low <= row.value <= METRICS[row.metric].high
        )
        assert isinstance(json.loads(row.detail), list)
