"""What words show of a question and an answer: types, parts, terms, steps."""

import pytest

from ragassay.scores.families.checklist import answer_type, is_in_order, is_stepwise, parts, terms


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
    assert is_in_order([]) and is_in_order([3]) and is_in_order([1, 1, 4]) and not is_in_order([2, 1])
    assert is_in_order([1, 2, 4, 3, 5]) and not is_in_order([1, 2, 4, 3, 5], share=1.0)
