"""Questions on things that the documents do not have."""

import numpy as np
import pandas as pd

from ragassay.cases.question_filter import Index
from ragassay.cases.rule_questions.unanswerable import invented_things, kinds_of, names_in

TEXTS = [
    "The Harbour Everyday Account costs $6.00 a month. Each Harbour Everyday Account needs a deposit.",
    "The Harbour Plus Account costs $14.00 a month. A Harbour Plus Account earns interest.",
    "Ask for the Harbour Everyday Account or the Harbour Plus Account at a branch.",
    "A lost chequebook is replaced free of charge within ten working days.",
]


def asked(texts, *questions):
    rows, index = [{"question": one} for one in questions], Index(texts)
    return list(invented_things(rows, pd.DataFrame({"text": texts}), index, np.random.default_rng(0)))


def test_names_and_their_kinds():
    """The longest end that two names share; a plural and the beginning of a longer name are no names."""
    names = names_in([*TEXTS, "Open Harbour Everyday Accounts.", "Open Harbour Everyday Accounts."])
    assert names == ["Harbour Everyday Account", "Harbour Plus Account"]
    assert set(kinds_of(names).values()) == {"Account"}
    assert kinds_of(["Founders Day", "Labour Day"]) == {}


def test_a_thing_that_does_not_exist_is_asked_about_as_one_that_does():
    """Not where a rule for all of the kind answers, nor where two things are named."""
    one = "What does the Harbour Everyday Account cost a month?"
    rule = "Is a lost chequebook of the Harbour Plus Account replaced free of charge?"
    two = "How does the Harbour Plus Account differ from the Harbour Everyday Account?"
    ((row, question),) = asked(TEXTS, one, rule, two)
    invented = question.removeprefix("What does the ").split()[0]
    assert row["question"] == one and question == one.replace("Harbour Everyday", invented)
    assert invented not in " ".join(TEXTS)
