"""Sentences in the passages' own words that say another thing: each kind by hand, and what is the same."""

import pytest

from ragassay.scores.text_reading.departures import CONDITION, NEGATION, QUANTITY, WORD, find_departure

LEASE = [
    "The tenant may not keep dogs in the flat.",
    "The landlord repairs the boiler within three working days unless the tenant caused the damage.",
    "Most visitors park free of charge in the yard.",
    "The deposit is 900 euros and the monthly rent is 750 euros.",
    "The cellar is cleaned by the caretaker; the roof is cleaned by a firm.",
    "Bicycles may be left only in the cellar.",
    "The office is open on weekdays.",
]


@pytest.mark.parametrize(
    "claim, departure",
    [
        ("The tenant may keep dogs in the flat.", NEGATION),
        ("Bicycles may be left in the cellar.", CONDITION),
        ("All visitors park free of charge in the yard.", QUANTITY),
        ("The roof is cleaned by the caretaker.", WORD),
        ("The office is closed on weekdays.", WORD),
        ("The office is never open on weekdays.", NEGATION),
    ],
)
def test_each_kind_by_hand(claim, departure):
    assert find_departure(claim, LEASE) == departure


@pytest.mark.parametrize(
    "claim",
    [
        *LEASE,
        "No, the tenant may not keep dogs in the flat.",
        "The cellar is cleaned by the caretaker.",
        "The boiler is repaired by the landlord within three working days unless the tenant caused the damage.",
        "The rent is 0.75 thousand euros.",
        "Parking costs nothing for nearly all guests.",
        "",
    ],
)
def test_what_says_the_same_or_has_other_words(claim):
    assert find_departure(claim, LEASE) == ""


@pytest.mark.parametrize(
    "claim, passage",
    [
        ("Die Gebühr wird erstattet.", "Die Gebühr wird nicht erstattet."),
        ("La tarifa es reembolsable.", "La tarifa no es reembolsable."),
        ("Les frais sont remboursables.", "Les frais ne sont pas remboursables."),
        ("手续费可以退还", "手续费不可以退还。"),
    ],
)
def test_negations_of_other_languages(claim, passage):
    assert find_departure(claim, [passage]) == NEGATION and find_departure(passage, [passage]) == ""
