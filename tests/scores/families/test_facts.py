"""Facts, and questions made of sentences: by hand, their laws."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.models import Entity
from ragassay.scores.families.facts import find, is_held, questions, read_source

SOURCE = read_source(
    (
        "The monthly fee is $6.00, or 5 % of 1,250 units, waived within thirty business days.",
        "Due 12 March 2024 at 10 a.m. in the U.S.",
    )
)


def facts(text: str) -> list[tuple[str, str]]:
    return [(fact.kind, fact.text) for fact in find(text)]


def test_by_hand():
    text = "2. It costs $5 or 5 % of US$ 1.5 million on 12 March 2024 in Germany, within twenty-five days."
    expected = ["$5", "5 %", "$ 1.5 million", "12 March 2024", "Germany", "twenty-five days"]
    assert [name for _, name in facts(text)] == expected
    amounts = [fact.readings[0] for fact in find("twenty-five days; US$ 1.5 million")]
    assert [(one.value, one.unit) for one in amounts] == [(25, ("time", "day")), (1.5e6, ("money", "dollar"))]
    assert all(text[fact.start : fact.end] == fact.text for fact in find(text))


@pytest.mark.parametrize(
    "claim, found",
    [
        ("a fee of $6", [True]),
        ("a fee of 6 dollars", [True]),
        ("a fee of 6", [True]),
        ("a fee of 6 %", [False]),
        ("5 per cent", [True]),
        ("1250 units", [True]),
        ("1.250 units", [True]),
        ("30 days", [True]),
        ("30 months", [False]),
        ("7", [False]),
        ("in March 2024", [True]),
        ("in Q1 2024", [True]),
        ("on a Tuesday", [True]),
        ("on 13 March 2024", [False]),
        ("at 10:00", [True]),
        ("at 10 p.m.", [False]),
        ("in the United States", [True]),
        ("in the UK", [False]),
        ("in 2024", [True]),
        ("in 2023", [False]),
        ("no fact", []),
    ],
)
def test_each_kind_is_looked_up(claim, found):
    assert [is_held(fact, SOURCE) for fact in find(claim)] == found


def test_names_found_by_a_model_are_places():
    text = "The branch is in Port Alder, run by Ann Lee."
    names = [Entity("place", "Port Alder", 17, 27), Entity("person", "Ann Lee", 36, 43)]
    (fact,) = find(text, names)
    assert (fact.kind, fact.text) == ("place", "Port Alder")
    assert is_held(fact, read_source(("PORT ÁLDER has one.",))) and not is_held(
        fact, read_source(("Port Alderney",))
    )
    germany = Entity("place", "Germany", 3, 10)
    assert len(find("In Germany", [germany])) == 1


@given(st.text(), st.text())
@settings(deadline=None)
def test_a_text_holds_its_own_facts_and_more_text_holds_no_less(one, other):
    for fact in find(one):
        assert is_held(fact, read_source((one,))) and is_held(fact, read_source((other, one)))


@pytest.mark.parametrize(
    "sentence, asked",
    [
        ("The monthly fee is $6.00.", ["What is the monthly fee?", "The monthly fee is what?"]),
        (
            "Errors must be reported within 60 days",
            ["Within how many days must errors be reported?", "Errors must be reported within what?"],
        ),
        ("It was opened in Germany by engineers.", ["It was opened in where by engineers?"]),
        ("It began on 3 May 2020!", ["It began on when?"]),
        ("They like the branch.", ["They like the what?"]),
        ("Is the fee $6?", []),
        ("So it is.", []),
        ("", []),
        ("fee " * 1000, []),
    ],
)
def test_questions_by_hand(sentence, asked):
    assert questions(sentence) == asked
