"""The completeness checklist: types, parts, terms, steps, and the share of points met."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay import tables
from ragassay.scores.checklist import (
    POINTS,
    answer_type,
    completeness_checklist,
    in_order,
    is_stepwise,
    parts,
    says_not_found,
    terms,
)


def test_every_type_of_the_cases_table_has_points():
    assert set(POINTS) == set(tables.ANSWER_TYPES)


@pytest.mark.parametrize(
    "question, kind",
    [
        ("How do I close my account?", "instruction"),
        ("¿Cómo cierro mi cuenta?", "instruction"),
        ("Como faço para fechar a conta?", "instruction"),
        ("What does provisional credit mean?", "definition"),
        ("What's the difference between freezing and cancelling?", "definition"),
        ("What is the fee, and when is it waived?", "multi_step"),
        ("What is the fee?", "short_fact"),
        ("", "short_fact"),
    ],
)
def test_types_by_hand(question, kind):
    assert answer_type(question) == answer_type(question, True) == kind
    assert answer_type(question, False) == "no_answer"


@pytest.mark.parametrize(
    "question, found",
    [
        ("What is the fee, and when is it waived?", ["What is the fee", "when is it waived?"]),
        ("What is the fee? When is it waived?", ["What is the fee?", "When is it waived?"]),
        ("Can I buy bread and butter?", ["Can I buy bread and butter?"]),
        (
            "¿Cuánto cuesta la cuenta y cuándo no se cobra?",
            ["¿Cuánto cuesta la cuenta", "cuándo no se cobra?"],
        ),
        ("", []),
    ],
)
def test_parts_by_hand(question, found):
    assert parts(question) == found


@pytest.mark.parametrize(
    "question, found",
    [
        ("What does provisional credit mean?", ["provisional credit"]),
        ('What is a "returned item"?', ["returned item"]),
        ("What is the difference between freezing and cancelling a card?", ["freezing", "cancelling a card"]),
        ("Compare Tide Classic with Tide Rewards", ["Tide Classic", "Tide Rewards"]),
        ("¿Qué es una tarjeta?", ["tarjeta"]),
        ("Why?", []),
    ],
)
def test_terms_by_hand(question, found):
    assert terms(question) == found


@pytest.mark.parametrize(
    "answer, yes",
    [
        ("1. Ask.\n2. Pay.", True),
        ("Step 1: Ask.\nStep 2: Pay.", True),
        ("2. Pay.\n1. Ask.", False),
        ("1. Ask.\n1. Pay.", False),
        ("- Ask.\n- Pay.", True),
        ("First ask, then pay.", True),
        ("Ask and pay.", False),
        ("", False),
    ],
)
def test_steps_by_hand(answer, yes):
    assert is_stepwise(answer) is yes


def test_order_by_hand():
    assert in_order([]) and in_order([3]) and in_order([1, 1, 4]) and not in_order([2, 1])
    assert in_order([1, 2, 4, 3, 5]) and not in_order([1, 2, 4, 3, 5], share=1.0)


@given(st.lists(st.integers(0, 9)))
def test_sorted_steps_are_in_order_whatever_the_share(places):
    assert in_order(sorted(places), share=1.0)
    assert in_order(places, share=0.0) and (not in_order(places, share=1.0) or places == sorted(places))


def test_an_empty_answer_says_nothing():
    assert (
        says_not_found("I could not find this in the documents.")
        and not says_not_found("")
        and not says_not_found("The fee is 5.")
    )


def test_share_by_hand_and_its_refusal():
    assert completeness_checklist({"a": True, "b": False, "c": None}) == 0.5
    with pytest.raises(ValueError, match="no point"):
        completeness_checklist({"a": None})


@given(st.dictionaries(st.text(), st.none() | st.booleans()))
def test_meeting_a_point_never_lowers_the_share(points):
    if any(met is not None for met in points.values()):
        value = completeness_checklist(points)
        assert (
            0
            <= value
            <= completeness_checklist({name: None if met is None else True for name, met in points.items()})
            == 1
        )
        assert value <= completeness_checklist({**points, "one more": True})


@given(st.text())
def test_any_question_is_read(question):
    assert (
        answer_type(question) in POINTS
        and all(parts(question))
        and all(terms(question))
        and is_stepwise(question) in (True, False)
    )
