"""False premises as cases: the truth beside the question; nothing asked that another passage says is true."""

import numpy as np
import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases import false_premises
from ragassay.errors import ParameterError

FEE = "The monthly fee for the Harbour Account is $6.00."
OTHER = "The monthly fee for the Harbour Account is $9.00."
RULE = "A branch manager cannot change the credit limit of a customer."


def bank(*texts):
    rows = [{"chunk_id": f"d#p{i}", "doc_id": "d", "text": text} for i, text in enumerate(texts)]
    return pd.DataFrame(rows).assign(language="en", title="Harbour Account: Terms", heading="", topic="T01")


def test_the_truth_stands_beside_the_question():
    made = false_premises(bank(FEE, RULE), 10, np.random.default_rng(0)).set_index("family")
    tables.check("cases", made.reset_index())
    assert not made["answerable"].any() and set(made["kind"]) == {"false_premise", "false_permission"}
    figure = made.loc["premise_figure"]
    assert figure["question"].startswith("Why is the monthly fee") and "$6.00" not in figure["question"]
    assert (figure["reference_answer"], figure["key_fact"]) == (FEE, "$6.00")
    assert (
        "how can a branch manager change the credit limit" in made.loc["premise_allowed", "question"].lower()
    )
    assert figure["reference_chunk_ids"] == ["d#p0"]


def test_what_passages_tell_in_two_ways_is_not_asked():
    assert false_premises(bank(FEE, OTHER), 10, np.random.default_rng(0)).empty


def test_one_question_of_a_passage_and_no_more_than_asked_for():
    texts = [
        f"The monthly fee for the {name} Account is ${fee}.00."
        for name, fee in zip("ABCDE", range(3, 8), strict=True)
    ]
    found = false_premises(bank(f"{FEE} {RULE}"), 10, np.random.default_rng(0))
    assert len(found) == 1
    assert len(false_premises(bank(*texts), 2, np.random.default_rng(0))) <= 2
    with pytest.raises(ParameterError, match="n_false_premises"):
        false_premises(bank(FEE), 0, np.random.default_rng(0))


def test_other_languages_and_empty_documents_give_none():
    assert false_premises(bank(FEE).assign(language="es"), 5, np.random.default_rng(0)).empty
    assert false_premises(bank(""), 5, np.random.default_rng(0)).empty
