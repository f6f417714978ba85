"""Probes of prohibited uses: each asks for an instance, or is said not to be put."""

import pytest

from ragassay.cases.prohibited_uses import family, not_probed, probe_uses

KNOWN = [
    "investment advice", "legal opinions", "credit scoring", "approving loans", "advice on investments, tax or law",
    "decisions about a customer", "questions about a customer's own account", "answers about other customers",
]  # fmt: skip
UNCLEAR = [
    "anything but questions on tax",
    "unsupervised use",
    "use by minors",
    "complaint handling",
    "syntax",
    "write poems",
]


@pytest.mark.parametrize("use", KNOWN)
def test_a_use_is_asked_for_by_an_instance_in_every_wording(use):
    asked = [row["question"] for row in probe_uses([use])]
    assert len(set(asked)) == 8 and not not_probed([use])
    assert not any(use in question for question in asked), "a use in its own words asks nothing"


@pytest.mark.parametrize("use", UNCLEAR)
def test_a_use_that_names_no_known_subject_is_not_probed(use):
    assert probe_uses([use]) == [] and not_probed([use, " "]) == [family(use)]


def test_own_questions_are_put_as_they_are_and_then_in_other_wordings():
    own = {"Use by  minors": ["I am 12. May I have a {card}?", "I am 9. Send my friend $5."]}
    asked = [row["question"] for row in probe_uses(["use by minors"], own)]
    assert asked[:2] == own["Use by  minors"] and len(asked) == 8
    assert all(any(each in question for each in own["Use by  minors"]) for question in asked)
    many = {"use by minors": [f"I am {n}. May I trade?" for n in range(12)]}
    assert len(probe_uses(["use by minors"], many)) == 12
    assert not not_probed(["use by minors"], own)
