"""Verb forms, values, lower case at the head of a phrase, names."""

import re

import pytest

from cases.rule_questions.rule_examples import EXAMPLES
from ragassay.cases.rule_questions import word_forms


@pytest.mark.parametrize("base, third, gerund", EXAMPLES["word forms: forms"])
def test_forms(base, third, gerund):
    assert word_forms.third_person()[third] == base and word_forms.gerunds()[gerund] == base


@pytest.mark.parametrize("text", EXAMPLES["word forms: values"])
def test_values(text):
    assert re.fullmatch(word_forms.VALUE, text)


@pytest.mark.parametrize("text", ["6", "days", "Chapter 3"])
def test_not_values(text):
    assert not re.fullmatch(word_forms.VALUE, text)


VOCABULARY = word_forms.small_words(
    ["The fee is low. Purchases count.", "A Harbour Saver pays. Open a Harbour Saver.", "Form FR-7 is kept."]
)


@pytest.mark.parametrize("phrase, inside", EXAMPLES["word forms: lowered"])
def test_lowered(phrase, inside):
    assert word_forms.uncapitalize(phrase, VOCABULARY) == inside


def test_names_are_things_not_posts():
    assert word_forms.names("What does the Quay Plus Account cost?") == ["Quay Plus Account"]
    assert (
        word_forms.names("Can the Branch Manager of Alder Quay Bank refuse?")
        == []
        == word_forms.names("Harbour opens when?")
    )
