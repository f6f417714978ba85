"""GroUSE's criteria offline: the table of situations spelled out, levels, laws, refusals."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.scores.grouse import grouse_grades as grouse
from ragassay.scores.grouse.grouse_grades import Situation
from ragassay.scores.metric import NotApplicable

SITUATIONS = [Situation(*flags) for flags in itertools.product([True, False], repeat=3)]
CRITERIA = {
    "relevancy": lambda s: grouse.answer_relevancy([True], s),
    "completeness": lambda s: grouse.completeness([True], s),
    "usefulness": lambda s: grouse.usefulness([True], s),
    "faithfulness": lambda s: grouse.faithfulness([True], s),
    "acceptance": grouse.positive_acceptance,
    "rejection": grouse.negative_rejection,
}
# figure 2 and table 6: which criteria exist for (answerable, responds, adds)
DEFINED = {
    (True, True): {"relevancy", "completeness", "faithfulness", "acceptance"},
    (True, False): {"completeness", "acceptance"},
    (False, True): {"relevancy", "faithfulness", "rejection"},
    (False, False): {"rejection"},
}


def exists(criterion: str, situation: Situation) -> bool:
    try:
        CRITERIA[criterion](situation)
    except NotApplicable:
        return False
    return True


@pytest.mark.parametrize("situation", SITUATIONS, ids=str)
def test_each_criterion_exists_where_figure_2_says(situation):
    expected = set(DEFINED[situation.answerable, situation.responds])
    if not situation.responds and situation.adds:
        expected |= {"usefulness", "faithfulness"}
    assert {name for name in CRITERIA if exists(name, situation)} == expected


@pytest.mark.parametrize(
    ("situation", "acceptance", "rejection"),
    [((True, True), 1, None), ((True, False), 0, None), ((False, True), None, 0), ((False, False), None, 1)],
)
def test_acceptance_and_rejection(situation, acceptance, rejection):
    found = Situation(*situation, adds=False)
    assert (grouse.positive_acceptance(found) if acceptance is not None else None) == acceptance
    assert (grouse.negative_rejection(found) if rejection is not None else None) == rejection


@pytest.mark.parametrize(
    ("share", "grade"), [(0, 1), (0.01, 2), (0.49, 2), (0.5, 3), (0.74, 3), (0.75, 4), (0.99, 4), (1, 5)]
)
def test_levels(share, grade):
    assert grouse.level(share) == grade


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_outside_0_to_1_is_refused(share):
    with pytest.raises(ValueError, match="between 0 and 1"):
        grouse.level(share)


RESPONSE = Situation(answerable=True, responds=True, adds=False)
REFUSAL = Situation(answerable=True, responds=False, adds=True)


@given(st.lists(st.booleans(), min_size=1, max_size=9))
def test_grades_are_the_levels_of_shares_and_checks(flags):
    share = flags.count(True) / len(flags)
    assert grouse.answer_relevancy(flags, RESPONSE) == grouse.level(share)
    assert grouse.completeness(flags, RESPONSE) == grouse.level(share)
    assert grouse.faithfulness(flags, RESPONSE) == int(share == 1)
    assert grouse.usefulness(flags, REFUSAL) == int(share == 1)


@pytest.mark.parametrize("criterion", [grouse.answer_relevancy, grouse.completeness, grouse.faithfulness])
def test_nothing_to_grade_is_undefined(criterion):
    with pytest.raises(NotApplicable):
        criterion([], RESPONSE)
