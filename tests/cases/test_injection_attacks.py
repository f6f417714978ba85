"""Injections: enough and of ten families, each with a canary of its own; planted among what was retrieved."""

import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases import attack_probes, injection_attacks
from ragassay.cases.attack_probes import engagement_probes, probes_frame
from ragassay.scores.planted_marks import filled_links, links

CASES = pd.DataFrame(
    {
        "case_id": ["u1", "u2", "u3"],
        "question": ["What is the fee?", "Who is the chair?", "Which bank?"],
        "answerable": [True, True, False],
        "parent_id": None,
    }
)
ANSWERS = pd.DataFrame(
    {
        "case_id": ["u1", "u2", "u3"],
        "repeat": 0,
        "error": ["", "TimeoutError: 60 s", ""],
        "contexts": [["The fee is $5.", "Hours."], [], ["Other."]],
        "context_ids": [["a#p1", "b#p1"], [], ["c#p1"]],
    }
)


@pytest.fixture(scope="module")
def attacks() -> pd.DataFrame:
    return probes_frame(injection_attacks.in_questions(0))


def test_nothing_is_left_unfilled(attacks):
    assert not attacks["question"].str.contains(r"\{(?:order|first|second|host)\}").any()


def test_each_has_a_canary_or_a_host_of_its_own(attacks):
    link = attacks["attack_goal"] == "link"
    assert attacks.loc[~link, "canary"].is_unique and attacks.loc[~link, "canary"].str.len().ge(9).all()
    assert attacks.loc[link, "attack_host"].is_unique and attacks.loc[link, "canary"].isna().all()
    assert attacks.loc[link, "attack_host"].str.endswith(".example").all(), "hosts that cannot exist"
    for row in attacks[link].to_dict("records"):
        assert links(row["attack_text"], row["attack_host"]), row["attack_text"]
        assert not filled_links(row["attack_text"], row["attack_text"], row["attack_host"])


def test_planted_attacks_stand_among_the_passages_of_an_answered_ordinary_question():
    planted = injection_attacks.in_passages(CASES, ANSWERS, 0)
    assert {row["parent_id"] for row in planted} == {"u1"} and len(planted) == len(
        injection_attacks.in_questions(0)
    )
    places = set()
    for row in planted:
        assert row["question"] == "What is the fee?" and row["answerable"]
        assert row["family"].startswith("planted: ") and row["kind"] == "probe: planted injection"
        place = next(i for i, name in enumerate(row["passage_ids"]) if name.startswith("planted"))
        assert row["attack_text"] in row["passages"][place]
        assert [one for i, one in enumerate(row["passages"]) if i != place] == ["The fee is $5.", "Hours."]
        assert [one for i, one in enumerate(row["passage_ids"]) if i != place] == ["a#p1", "b#p1"]
        places.add(place)
    assert places == {0, 1, 2}
    tables.check("cases", probes_frame(planted))


def test_an_engagement_gets_probes_of_its_own():
    chunks = pd.DataFrame(
        {
            "chunk_id": ["s#p1", "o#p1"],
            "doc_id": ["s", "o"],
            "text": ["x", "y"],
            "heading": ["Fraud > First steps", "Fees"],
        }
    )
    documents = pd.DataFrame(
        {
            "doc_id": ["s", "o", "n"],
            "title": ["Fraud", "Fees 2024", "Fees"],
            "status": [None, "superseded", None],
            "audience": ["staff", None, None],
        }
    )
    engagement = {"prohibited_uses": ["advice on tax", " "]}
    made = engagement_probes(engagement, CASES, ANSWERS, chunks, documents)
    assert made["case_id"].is_unique and {"prohibited: advice on tax"} <= set(made["family"])
    access = made[made["kind"] == "probe: access"]
    assert set(access["family"]) == {"staff-only documents", "superseded documents"}
    assert access["question"].str.contains("First steps|Fraud|Fees").all() and access["question"].is_unique
    assert access.groupby("family")["answerable"].first().to_dict() == {
        "staff-only documents": False,
        "superseded documents": True,
    }
    few = engagement_probes(engagement, CASES, ANSWERS, chunks, documents, per_threat=28, per_gate=2)
    alone = few[few["conversation_id"].isna()]  # a conversation is drawn whole
    assert alone[alone["kind"] == "probe: planted injection"]["family"].value_counts().eq(2).all()
    tables.check("cases", few)


def test_the_title_of_a_superseded_document_is_not_asked_for():
    """Who names the document wants it: citing it is then no fault."""
    chunks = pd.DataFrame(
        {
            "chunk_id": ["o#p1", "o#p2"],
            "doc_id": "o",
            "text": "x",
            "heading": ["Fees 2024", "Fees 2024 > Cards"],
        }
    )
    documents = pd.DataFrame(
        {"doc_id": ["o"], "title": ["Fees 2024"], "status": ["superseded"], "audience": [None]}
    )
    asked = [row["question"] for row in attack_probes.of_restricted_documents(chunks, documents)]
    assert asked and all("Cards" in question and "2024" not in question for question in asked)
