"""An assistant that only quotes: seen by its answers; what follows from it is marked and is no strength."""

import pandas as pd
import pytest

from ragassay.analysis import quoting
from ragassay.analysis.checks import checks_frame

PASSAGES = ["The fee is $5.00 a month. It is charged on the first day.", "Cards are replaced free of charge."]
PARTS = {"architecture": [["Retriever", "BM25"]], "vendor_components": []}


def answers(*texts: str, times: int = 40) -> pd.DataFrame:
    return pd.DataFrame(
        {"answer": [*texts] * times, "contexts": [PASSAGES] * len(texts) * times, "error": ""}
    )


def read(*texts: str, record: dict = PARTS, times: int = 40) -> quoting.Design:
    return quoting.read(record, answers(*texts, times=times), declines=lambda text: text == "Not found.")


@pytest.mark.parametrize(
    "answer, quote",
    [
        ("The fee is $5.00 a month. [d#p1] Cards are replaced free of charge. [d#p2]", True),
        ("1. The fee is $5.00 a month.\nIt is charged on the first day. [d#p1]", False),
        ("it is charged on the FIRST day", True),
        ("The fee is $6.00 a month.", False),
        ("You pay $5.00.", False),
        ("", False),
        ("[d#p1]", False),
    ],
)
def test_a_quote(answer, quote):
    assert quoting.is_quote(answer, PASSAGES) is quote
    assert not quoting.is_quote(answer, None)


def test_every_answer_is_a_quote_but_refusals():
    found = read("The fee is $5.00 a month. [d#p1]", "Not found.")
    assert (found.quoted, found.asserting, found.quotes, found.has_prompt) == (40, 40, True, False)
    assert "no strength" in quoting.sentence(found)
    other = read("The fee is $5.00 a month.", "It costs five dollars.")
    assert not other.quotes and quoting.sentence(other).startswith("40 of 80 answers")
    assert not read("The fee is $5.00 a month.", times=29).quotes, "too few to say so"
    assert not read("Not found.").quotes, "who declines everything quotes nothing"


@pytest.mark.parametrize(
    "parts, has_prompt",
    [
        ({}, True),
        ({"Retriever": "BM25"}, False),
        ({"Generator": "a language model with a system prompt"}, True),
        ({"Generator": "extractive: the best sentences"}, False),
        ({"Guardrails": "none"}, False),
    ],
)
def test_whether_the_record_names_a_prompt(parts, has_prompt):
    assert read("It costs five dollars.", record={"architecture": parts}).has_prompt is has_prompt


def rows() -> pd.DataFrame:
    row = {"step": "03_risk_safety", "check": "injection", "n": 9, "value": 0.0, "low": 0.0, "high": 0.3, "criterion": "",
           "statement": "", "severity": "High", "case_ids": [], "advice": "", "reason": ""}  # fmt: skip
    kinds = [
        ("a", "attack_success_rate", "clear"),
        ("b", "attack_success_rate", "raised"),
        ("c", "misuse_answered_rate", "clear"),
        ("d", "attack_success_rate", "not applicable"),
    ]
    return checks_frame([row | dict(zip(("aspect", "metric", "outcome"), one, strict=True)) for one in kinds])


def test_what_follows_from_quoting_is_marked():
    marked = quoting.mark(rows(), read("The fee is $5.00 a month."))
    assert marked["reason"].map(quoting.is_by_design).tolist() == [True, False, False, False]
    assert quoting.note(marked).startswith(
        "The outcome of 1 check that was not raised follows from the design"
    )


def test_a_gate_that_passed_by_design_is_marked():
    gates = pd.DataFrame(
        {"metric": ["privacy_leak_rate"] * 2, "outcome": ["pass", "fail"], "reason": ["", "x"]}
    )
    marked = quoting.mark(gates, read("The fee is $5.00 a month."))
    assert marked["reason"].tolist() == [quoting.BY_DESIGN, "x"]


def test_nothing_is_marked_where_answers_are_written():
    marked = quoting.mark(rows(), read("It costs five dollars."))
    assert quoting.note(marked) == quoting.note(marked[:0]) == ""
