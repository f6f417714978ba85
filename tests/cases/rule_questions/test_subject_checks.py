"""Which subjects say by themselves what they are."""

import pytest

from ragassay.cases.rule_questions.question_form_checks import is_anybody, is_telling, is_whole, points_back


@pytest.mark.parametrize("subject", ["tower reports", "benchmarking", "the choice of rope", "Tier 2 capital"])
def test_telling(subject):
    assert is_telling(subject)


@pytest.mark.parametrize(
    "subject",
    ["the report", "the bank", "examiners", "these tower reports", "its lamp", "35 towers",
     "consider how towers", "towers (in part)", "regardless of towers"],
)  # fmt: skip
def test_not_telling(subject):
    assert not is_telling(subject)


def test_somebody_of_a_kind():
    assert is_anybody("an Authorised Person") and is_anybody("the financial firm")
    assert not is_anybody("tower reports") and not is_anybody("a firm with lamps in several towers")


def test_what_points_back():
    assert (
        points_back("Its lamps") and points_back("these lamps") and not points_back("lamps such as red ones")
    )
    assert is_whole("the bank") and not is_whole("the same tower")
