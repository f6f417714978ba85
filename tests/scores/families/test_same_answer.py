"""Whether two answers say the same: by text, by who declines, by figures, by content; SelfCheck, as GRAMMAR words
it, and the further answers that it compares."""

import numpy as np
import pandas as pd
import pytest
from fake_tools import INSTRUMENTS
from hypothesis import given
from hypothesis import strategies as st

from ragassay.scores import METRICS, score
from ragassay.scores.families.same_answer import add_other_answers, compare_answers
from ragassay.scores.metric import Tools

DECLINES = "I could not find this in the bank's documents."


def one(a: str, b: str):
    """Of two answers whose sentences all have the cosine 1 with one another."""
    return compare_answers([(a, b)], tools=Tools(encode=lambda texts: np.ones((len(texts), 1))))[0]


@pytest.mark.parametrize(
    ("a", "b", "same", "why"),
    [
        ("The fee is $5 [fees#p2].", "the fee is $5.", True, "same text"),
        (DECLINES, "The fee is $5.", False, "one declines"),
        ("The fee is 5 %.", "It costs $5 a month.", False, "figures differ"),
        ("Yes.", "No.", False, "one says yes and one no"),
        ("You may close the account.", "You may not close the account.", False, "one negates"),
        ("It doesn't cover theft.", "It does cover theft.", False, "one negates"),
        ("The fee is $12.", "There is a fee; ask at a branch.", False, "one states no figure"),
    ],
)
def test_what_needs_no_network(a, b, same, why):
    assert one(a, b) == (same, why)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("No fee is due.", "Yes, it is free of charge."),
        ("It takes 5 days [fees#p2].", "It takes five days [fees#p2]."),
        ("One of the cards is free.", "A card of them is free."),
        ("The card is free [fees#p2].", "You pay nothing for it, and it is sent by post [fees#p3]."),
    ],
)
def test_no_difference_is_seen_where_there_is_none(a, b):
    assert one(a, b).same and one(b, a).same


@given(
    st.lists(
        st.sampled_from(
            [DECLINES, "It is $5.", "It is $6.", "Ask us.", "", "\x00 [x#p1]", "Yes.", "No, ask us not two."]
        ),
        min_size=2,
        max_size=2,
    )
)
def test_it_is_symmetric_and_an_answer_says_the_same_as_itself(pair):
    a, b = pair
    assert one(a, b) == one(b, a)
    assert one(a, a).same


def test_real_networks_tell_a_retelling_from_another_statement():
    told, retold = (
        "Cards ordered online arrive within a week.",
        "If you order a card online, it comes within a week.",
    )
    other = "The branch in the harbour is closed on Sundays."
    same, different = compare_answers([(told, retold), (told, other)], ["en", "en"])
    assert same.same
    assert (different.same, different.why) == (False, "other content")


SAME, OTHER, NONE = "The fee is 5 dollars.", "The fee is 6 dollars.", "I could not find this."


def checked(answer: str, others, metrics=("self_check", "self_check:share")) -> pd.DataFrame:
    row = {"case_id": "c", "system": "s", "answer": answer, "other_answers": others}
    return score(pd.DataFrame([row]), metrics=list(metrics), instruments=INSTRUMENTS).set_index("metric")


@pytest.mark.parametrize(
    "answer, others, verdict, share",
    [
        (SAME, [SAME, SAME], 1, 1),
        (SAME, [SAME, OTHER], 0, 0.5),
        (SAME, [OTHER, NONE], 0, 0),
        (SAME, ["The FEE is 5 dollars [a#p1]."], 1, 1),
        (NONE, ["I could not find it in the documents.", NONE], 1, 1),
    ],
)
def test_self_check_by_hand(answer, others, verdict, share):
    found = checked(answer, others)["value"]
    assert found["self_check"] == verdict and found["self_check:share"] == share


def test_self_check_refuses():
    assert checked(SAME, [])["state"].tolist() == ["not_applicable"] * 2
    assert checked(SAME, None)["reason"].tolist() == ["other_answers not given"] * 2
    assert METRICS["self_check"].on_request


def test_the_further_answers_of_a_run():
    answers = pd.DataFrame(
        [
            {"case_id": case, "system": "s", "repeat": repeat, "answer": text, "error": error}
            for case, repeat, text, error in [
                ("a", 0, "A0", ""), ("a", 1, "A1", ""), ("a", 2, "", "timed out"), ("a-t", 0, "T0", ""), ("b", 0, "B0", None),
            ]
        ]
    )  # fmt: skip
    cases = pd.DataFrame(
        {"case_id": ["a", "a-t", "b"], "group_id": ["g", "a", None], "parent_id": [None, "a", None]}
    )
    found = add_other_answers(answers, cases).set_index("case_id")["other_answers"].to_dict()
    assert found == {"a": ["A1", "T0"], "a-t": ["A0"], "b": []}
    assert add_other_answers(answers).set_index("case_id")["other_answers"]["a-t"] == []
