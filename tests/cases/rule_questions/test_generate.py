"""The whole of question generation: rows that fit the table, one answer's passage each, laws over topics, hostile text."""

import shutil

import numpy as np
import pandas as pd
import pytest

from ragassay import documents, provenance, tables
from ragassay.cases.rule_questions import REJECTED, choices, generate, links
from ragassay.cases.rule_questions.askable_units import Candidate, Unit

TEXTS = {
    "cards": [
        "A replacement card costs $7.00, unless the old card was stolen.",
        "A lost card must be reported within 2 business days of noticing the loss.",
        "If a payment is declined twice, the card is blocked.",
        "A card cannot be lent to another person.",
    ],
    "loans": [
        "The home loan was launched on 3 May 2021.",
        "The borrower must be at least 21 and must live in the home.",
        "A pre-approval is a written statement of what the bank may lend to a buyer.",
        "An offer is valid for 45 days.",
    ],
}
ROWS = [(f"{doc}#p{i}", doc, text) for doc, texts in TEXTS.items() for i, text in enumerate(texts, start=1)]
CHUNKS = pd.DataFrame(ROWS, columns=["chunk_id", "doc_id", "text"]).assign(
    language="en",
    topic=lambda rows: rows["doc_id"].map({"cards": "T01", "loans": "T02"}),
    heading=lambda rows: rows["doc_id"].map({"cards": "Card Guide", "loans": "Home Loan"}),
)
SAVERS = (
    "The Harbour Saver and the Quay Saver pay interest.",
    "The monthly fee for the Harbour Saver is $5.00.",
    "Ask for a Quay Saver.",
)
NAMED = pd.DataFrame({"chunk_id": ["n#p1", "n#p2", "n#p3"], "doc_id": "n", "text": SAVERS, "language": "en"})
NAMED = NAMED.assign(topic="T01", heading="Savers")


def test_rows_fit_the_table(encode):
    cases, rejected = generate(CHUNKS, 100, encode=encode)
    tables.check("cases", cases)
    assert cases["case_id"].tolist() == [f"g-{i:04d}" for i in range(1, len(cases) + 1)] and len(cases) >= 8
    assert cases["kind"].eq("generated").all() and cases["answerable"].all() and list(rejected) == REJECTED


def test_each_question_stands_on_its_passages(encode):
    cases, _ = generate(CHUNKS, 100, encode=encode)
    place = CHUNKS.set_index("chunk_id")
    for row in cases.to_dict("records"):
        told = " ".join(place["text"][name] for name in row["reference_chunk_ids"])
        assert row["key_fact"] in ("yes", "no") or row["key_fact"] in told or row["query_type"] == "inference"
        assert place["topic"][row["reference_chunk_ids"][0]] == row["topic"]
        assert (len(row["reference_chunk_ids"]) == 2) == (row["query_type"] == "multi_hop")


def test_some_ask_what_the_passages_do_not_tell(encode):
    cases, _ = generate(pd.concat([CHUNKS, NAMED], ignore_index=True), 40, encode=encode)
    silent = cases[~cases["answerable"]]
    assert (
        1 <= len(silent) <= 4
        and silent["answer_type"].eq("no_answer").all()
        and silent["reference_answer"].isna().all()
    )
    assert not len(silent["reference_chunk_ids"].sum()) and silent["topic"].isin(["T01", "T02"]).all()
    tables.check("cases", cases)


@pytest.mark.parametrize("allocation, expected", [("proportional", [3, 3]), ("equal", [3, 3])])
def test_strata_are_served_as_allocated(encode, allocation, expected):
    cases, _ = generate(CHUNKS, 6, allocation=allocation, encode=encode)
    assert cases["topic"].value_counts().sort_index().tolist() == expected


def test_what_is_far_or_asked_already_is_rejected_with_a_reason(encode):
    twice = pd.concat([CHUNKS, CHUNKS.assign(chunk_id=CHUNKS["chunk_id"] + "x")], ignore_index=True)
    cases, rejected = generate(twice, 100, encode=encode)
    assert cases["question"].is_unique and "is asked already" in set(rejected["reason"])
    apart = np.eye(200, dtype=np.float32)
    _, far = generate(
        CHUNKS,
        100,
        encode=lambda texts, model="": (
            apart[: len(texts)] if texts[0].endswith("?") else apart[-len(texts) :]
        ),
    )
    assert far["reason"].eq("is far from its passage").any() and far["similarity"].notna().any()


def test_a_superseded_document_is_no_reference_and_what_it_answers_otherwise_is_asked_for_today(encode):
    texts = ["The daily wire limit is $500,000.", "The daily wire limit is $750,000.", "A wire costs $9.00."]
    limits = CHUNKS.head(3).assign(text=texts, heading="Wire Limits", status=["superseded", "current", None])
    cases, _ = generate(limits, 100, encode=encode)
    assert not cases["reference_chunk_ids"].map(lambda ids: limits["chunk_id"].iloc[0] in ids).any()
    asked = dict(zip(cases["question"], cases["key_fact"], strict=True))
    assert asked["What is the daily wire limit today?"] == "$750,000"
    assert not any("today" in question for question in asked if "cost" in question)


@pytest.mark.slow
@pytest.mark.simulation
def test_the_bundled_documents_give_many_questions(request, part_of_the_bank, tmp_path):
    """Of all in `make simulate`; in the suite of a fourth, of one in Portuguese and of one with a table of facts."""
    whole, bundled = request.config.getoption("--simulate"), provenance.source("bundled:documents")
    part, folder = (1, bundled) if whole else (4, part_of_the_bank)
    for path in [*folder.glob("*.[!c]*"), *bundled.glob("*-pt.md"), bundled / "card-travel-notice.md"]:
        shutil.copy(path, tmp_path)
    cases, rejected = generate(documents.chunk(documents.load(tmp_path)[0]), 10_000)
    assert len(cases) > 300 // part and len(rejected) > 0
    assert {"price", "deadline", "condition", "definition", "procedure", "yes_no", "table"} <= set(
        cases["family"]
    )
    stems = cases["question"].str.split(" (A) ", regex=False).str[0]
    assert stems.str.split().str.len().between(5, 42).all() and set(cases["language"]) == {"en", "es", "pt"}


def fact(question, value, n=1, family="amount"):
    unit = Unit(f"d#p{n}", "d", "T01", "en", "Fees", "", f"{question} {value}.")
    return Candidate(question, unit.text, value, "short_fact", "factual", family, (unit.chunk_id,), unit)


LOW = fact("What is the fee for a wire?", "$12.50")
HIGH = fact("What is the fee for a cheque?", "$1,020.00", 2)


def over_seeds(make, *facts):
    return [one for seed in range(12) for one in make(facts, np.random.default_rng(seed))]


def test_four_different_answers_of_one_form_and_one_right():
    texts = {one.chunk_ids[0]: one.answer for one in (LOW, HIGH)}
    found = list(choices([LOW, HIGH], texts, np.random.default_rng(0)))
    assert [one.query_type for one in found] == ["multiple_choice"] * 2
    for one, right in zip(found, ["$12.50", "$1,020.00"], strict=True):
        assert len(set(one.choices)) == 4 and right in one.choices
        assert one.answer.startswith(f"({'ABCD'[one.choices.index(right)]}) {right}. ")
        assert all(option in one.question and option.startswith("$") for option in one.choices)


def test_a_wrong_answer_never_stands_in_the_passage():
    (found,) = choices([LOW], {"d#p1": "It is $12.50, once $25.00."}, np.random.default_rng(0))
    assert "$25.00" not in found.choices


def test_two_passages_on_one_name_are_linked():
    first = fact("For the Tide Card, how old must a holder be?", "at least 18", 1, "age")
    second = fact("For the Tide Card, what is the fee?", "$5", 2)
    made = over_seeds(links, first, second)
    assert {one.question for one in made} == {
        "For the Tide Card, how old must a holder be, and what is the fee?",
        "For the Tide Card, what is the fee, and how old must a holder be?",
    }
    assert {one.query_type for one in made} == {"multi_hop"} and len(made[0].chunk_ids) == 2
    same = fact("For the Tide Card, what is the fee?", "$5", 1)
    assert not over_seeds(links, first, same) and not over_seeds(links, first, LOW)
