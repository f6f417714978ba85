"""Near questions: of the documents' own kind, and no passage answers them; what a rule for all answers is not asked."""

import numpy as np
import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases.outside_documents import THING, kinds_of, names_in, near_questions
from ragassay.errors import ParameterError

PASSAGES = {
    "everyday": "The Harbour Everyday Account costs $6.00 a month. Each Harbour Everyday Account needs a deposit.",
    "plus": "The Harbour Plus Account costs $14.00 a month. A Harbour Plus Account earns interest.",
    "more": "Ask for the Harbour Everyday Account or the Harbour Plus Account at a branch.",
    "all": "A lost chequebook is replaced free of charge within ten working days.",
}
ASKED = [
    "What does the Harbour Everyday Account cost a month?",
    "Is a lost chequebook of the Harbour Plus Account replaced free of charge?",
    "How does the Harbour Plus Account differ from the Harbour Everyday Account?",
]


@pytest.fixture
def bank():
    rows = [{"chunk_id": f"{name}#p1", "doc_id": name, "text": text} for name, text in PASSAGES.items()]
    return pd.DataFrame(rows).assign(language="en", title="", heading="", topic="T01")


@pytest.fixture
def asked():
    rows = {"case_id": [f"u-{i}" for i in range(3)], "question": ASKED, "answerable": True}
    return pd.DataFrame(rows).assign(language="en", topic="T01")


def near_to_all(texts, model=""):
    return (
        np.tile([0.7, 0.714143], (len(texts), 1)) if len(texts) > 4 else np.tile([1.0, 0.0], (len(texts), 1))
    )


def test_names_and_their_kinds(bank):
    """The longest end that two names share; a plural and the beginning of a longer name are no names."""
    names = names_in([*bank["text"], "Open Harbour Everyday Accounts.", "Open Harbour Everyday Accounts."])
    assert list(names) == ["Harbour Everyday Account", "Harbour Plus Account"]
    assert set(kinds_of(list(names)).values()) == {"Account"}
    assert kinds_of(["Founders Day", "Labour Day"]) == {}


def test_a_thing_that_does_not_exist_is_asked_about_as_those_that_do(bank, asked):
    made = near_questions(asked, bank, 50, np.random.default_rng(0), encode=near_to_all)
    tables.check("cases", made)
    assert not made["answerable"].any() and made["case_id"].is_unique
    things = made[made["kind"] == THING]
    assert "u-0" in set(things["parent_id"]) and not {"u-1", "u-2"} & set(things["parent_id"])
    for question in things["question"]:
        invented = question.split(" Account")[0].split()[-1]
        assert not any(invented in text for text in PASSAGES.values())


def test_no_passage_that_names_a_thing_holds_a_word_that_could_answer(bank, asked):
    """Where a passage tells what a thing was called before, that is not asked."""
    told = bank.assign(text=bank["text"] + " It won an award, was formerly called Gull and has a survey.")
    facts = near_questions(asked, told, 50, np.random.default_rng(0), encode=near_to_all)["question"]
    assert not facts.str.contains("award|called|survey").any()


def test_it_is_the_same_for_a_seed_and_no_more_than_asked_for(bank, asked):
    one, two = (near_questions(asked, bank, 3, np.random.default_rng(1), encode=near_to_all) for _ in "12")
    pd.testing.assert_frame_equal(one, two)
    assert len(one) == 3 and set(one["kind"]) == {"near_thing", "near_fact"}


def test_what_is_far_from_every_passage_or_a_copy_of_one_is_left_out(bank, asked):
    far = near_questions(
        asked, bank, 5, np.random.default_rng(0), encode=lambda texts, model="": np.eye(99)[: len(texts)]
    )
    assert far["similarity"].between(0.35, 0.95).all()
    assert near_questions(asked, bank[3:], 5, np.random.default_rng(0), encode=near_to_all).empty


def test_none_is_refused(bank, asked):
    with pytest.raises(ParameterError, match="n_near"):
        near_questions(asked, bank, 0, np.random.default_rng(0))
