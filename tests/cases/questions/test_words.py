"""Verb forms, values, lower case at the head of a phrase, names."""

import re

import pytest

from ragassay.cases.questions import words


@pytest.mark.parametrize(
    "base, third, gerund",
    [
        ("carry", "carries", "carrying"),
        ("stop", "stops", "stopping"),
        ("close", "closes", "closing"),
        ("pass", "passes", "passing"),
        ("transfer", "transfers", "transferring"),
        ("pay", "pays", "paying"),
        ("cancel", "cancels", "cancelling"),
        ("agree", "agrees", "agreeing"),
        ("open", "opens", "opening"),
    ],
)
def test_forms(base, third, gerund):
    assert words.third_person()[third] == base and words.gerunds()[gerund] == base


@pytest.mark.parametrize(
    "text",
    [
        "$6.00",
        "$1,250",
        "at most 2.50%",
        "2.50 percent",
        "10 business days",
        "up to 6 months",
        "three weeks",
        "a month",
    ],
)
def test_values(text):
    assert re.fullmatch(words.VALUE, text)


@pytest.mark.parametrize("text", ["6", "days", "Chapter 3"])
def test_not_values(text):
    assert not re.fullmatch(words.VALUE, text)


VOCABULARY = words.small_words(
    ["The fee is low. Purchases count.", "A Harbour Saver pays. Open a Harbour Saver.", "Form FR-7 is kept."]
)


@pytest.mark.parametrize(
    "phrase, inside",
    [
        ("The fee", "the fee"),
        ("Purchases abroad", "purchases abroad"),
        ("Harbour Saver", "Harbour Saver"),
        ("Form FR-7", "form FR-7"),
        ("IBAN", "IBAN"),
    ],
)
def test_lowered(phrase, inside):
    assert words.uncapitalize(phrase, VOCABULARY) == inside


def test_names_are_things_not_posts():
    assert words.names("What does the Quay Plus Account cost?") == ["Quay Plus Account"]
    assert (
        words.names("Can the Branch Manager of Alder Quay Bank refuse?")
        == []
        == words.names("Harbour opens when?")
    )
