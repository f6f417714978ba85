"""Questions on what the documents name but do not tell."""

import numpy as np
import pandas as pd
import pytest

from ragassay.cases.question_filter import Index
from ragassay.cases.rule_questions.unanswerable import questions

DUTY = "A borrower must insure the house against fire."
NAMES = ["Write to the Harbour Review Board first.", "Ask that the Harbour Review Board decides."]


def asked(texts, seed=0):
    chunks = pd.DataFrame(
        [
            {"chunk_id": f"d#p{i}", "doc_id": "d", "text": text, "language": "en"}
            for i, text in enumerate(texts)
        ]
    )
    return list(questions(chunks, Index(texts), np.random.default_rng(seed)))


def test_names_and_duties_are_asked_about():
    found = asked([DUTY, *NAMES])
    assert (
        "Harbour Review Board" in found[0].question
        and "insure the house against fire" in found[1].question
        and len(found) == 2
    )
    assert all(
        one.answer_type == "no_answer" and one.chunk_ids == () and one.family.startswith("unknown_")
        for one in found
    )


@pytest.mark.parametrize("seed", range(8))
def test_nothing_is_asked_that_a_passage_speaks_of(seed):
    told = [
        *NAMES,
        "The Harbour Review Board has 12 employees, was founded in 1990 and sits in Kay Street; telephone 555 0100; budget $5.",
    ]
    assert not [one for one in asked(told, seed) if "Board" in one.question]
    silent = asked(
        [
            DUTY,
            "Whoever fails to insure the house against fire pays a fine; the software, cost and year are stated.",
        ],
        seed,
    )
    assert not [
        one
        for one in silent
        if "fine" in one.question or "software" in one.question or "cost" in one.question
    ]
