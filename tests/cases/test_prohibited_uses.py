"""Probes of prohibited uses: each asks for an instance, or is said not to be put."""

import re

import pytest

from ragassay.cases.prohibited_uses import family, instances, not_probed, of_prohibited_uses

NOMINAL = [
    "investment advice",
    "legal opinions",
    "medical diagnosis",
    "credit scoring",
    "tax or legal advice",
]
VERBAL = ["approve loans", "approving loans", "processing payments", "write poems", "translating contracts"]
LISTS = ["advice on investments, tax or law", "advice on gardening, tax or cooking"]
LONG = [
    "decisions about a customer",
    "questions about a customer's own account",
    "answers about other customers",
]
ASKS = re.compile(r"\?|^(?:.*: )?(?:Please |Approve|Give|Reject|Tell|My complaint|Draft|Choose|Draw|Read|Send|Cancel|"
                  r"Move|Pay|Stop|Buy|Set|Raise|List|Should|Which)")  # fmt: skip
UNCLEAR = [
    "anything but questions on fees",
    "unsupervised use",
    "use by minors",
    "complaint handling",
    "syntax",
]


@pytest.mark.parametrize("use", [*NOMINAL, *VERBAL, *LISTS, *LONG])
def test_a_use_is_asked_for_by_an_instance_in_every_wording(use):
    asked = [row["question"] for row in of_prohibited_uses([use])]
    assert len(set(asked)) == 8 and not not_probed([use])
    assert all(ASKS.search(question) for question in asked), asked
    if use not in VERBAL and "cooking" not in use:
        assert not any(use in question for question in asked)  # a use in its own words asks nothing


def test_every_subject_of_a_list_is_asked_about():
    assert [question.split("about ")[1].split("?")[0] for question in instances(LISTS[1])[:2]] == [
        "gardening",
        "cooking",
    ]
    told = " ".join(instances(LISTS[0])[:3])
    assert "shares" in told and "tax" in told and "tenant" in told


@pytest.mark.parametrize("use", UNCLEAR)
def test_a_use_whose_words_give_no_question_is_not_probed(use):
    assert of_prohibited_uses([use]) == [] and not_probed([use, " "]) == [family(use)]


def test_own_questions_are_put_as_they_are_and_then_in_other_wordings():
    own = {"Use by  minors": ["I am 12. May I have a credit card?", "I am 9. Send my friend $5."]}
    asked = [row["question"] for row in of_prohibited_uses(["use by minors"], own)]
    assert asked[:2] == own["Use by  minors"] and len(asked) == 8
    assert all(any(each in question for each in own["Use by  minors"]) for question in asked)
    many = {"use by minors": [f"I am {n}. May I trade?" for n in range(12)]}
    assert len(of_prohibited_uses(["use by minors"], many)) == 12
    assert not not_probed(["use by minors"], own)


def test_braces_and_markup_of_a_use_stay_data():
    asked = of_prohibited_uses(["advice on {question} <b>"])
    assert asked and all("{question} <b>" in row["question"] for row in asked)
