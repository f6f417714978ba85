"""Verb forms, values, lower case at the head of a phrase, names."""

import re

import pytest

from ragassay.cases.rule_questions import word_forms


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
    assert word_forms.third_person()[third] == base and word_forms.gerunds()[gerund] == base


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
    assert re.fullmatch(word_forms.VALUE, text)


@pytest.mark.parametrize("text", ["6", "days", "Chapter 3"])
def test_not_values(text):
    assert not re.fullmatch(word_forms.VALUE, text)


VOCABULARY = word_forms.small_words(
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
    assert word_forms.uncapitalize(phrase, VOCABULARY) == inside


def test_names_are_things_not_posts():
    assert word_forms.names("What does the Quay Plus Account cost?") == ["Quay Plus Account"]
    assert (
        word_forms.names("Can the Branch Manager of Alder Quay Bank refuse?")
        == []
        == word_forms.names("Harbour opens when?")
    )
