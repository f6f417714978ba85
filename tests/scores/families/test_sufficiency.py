"""Evidence sufficiency: by hand, spelled out, laws, refusals."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.scores import DEFAULT, METRICS, score
from ragassay.scores.families.retrieval import key_terms, share_found

WORDS = st.lists(st.sampled_from(["fee", "card", "loan", "rate", "branch"]), min_size=1, unique=True)


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


def test_by_hand():
    """`fees` by its stem, `purchase` by its synonym, 2026 as a number, and no word of lottery: four of five."""
    found = measured(
        row(
            "What are the fees to purchase a lottery ticket in 2026?",
            "In 2026 the fee to buy a ticket is 2 euros.",
        )
    )
    assert found.value == 0.8 and '"lottery", "score": 0.0' in found.detail


@pytest.mark.parametrize(
    "question, terms",
    [
        ("What is the fee?", ["fee"]),
        ("¿Cuál es la comisión de la tarjeta?", ["comisión", "tarjeta"]),
        ("Qual é a taxa do cartão?", ["taxa", "cartão"]),
        ("Fees and fee and the FEE?", ["Fees"]),
        ("How much is it, and when?", []),
    ],
)
def test_key_terms(question, terms):
    assert [word.written for word in key_terms(question)] == terms


@given(WORDS, WORDS, WORDS)
def test_spelled_out_and_laws(asked, told, more):
    question, context = f"What about {' '.join(asked)}?", " ".join(told)
    value = measured(row(question, context)).value
    assert value == pytest.approx(sum(word in told for word in asked) / len(asked), abs=1e-6)
    assert measured(row(question, context, " ".join(more))).value >= value
    assert measured(row(question, question)).value == 1.0


def test_refusals():
    with pytest.raises(ValueError, match="no key term"):
        share_found([], ["fee"])
    assert measured(row("Who is it?", "A fee.")).reason == "the question has no key term"
    assert measured(row("The fee?")).reason == "no passage was retrieved"
    assert measured(row("The fee?") | {"contexts": None}).state == "not_measured"
    assert "evidence_sufficiency" not in DEFAULT and METRICS["evidence_sufficiency"].on_request
