"""Perturbations: each kind by hand, what none may touch, levels, seeds, refusals."""

import re
from itertools import product

import numpy as np
import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases import case_table, perturbations
from ragassay.cases.perturbations import question_edits
from ragassay.errors import ParameterError

QUESTIONS = [
    "What does the Quay Everyday Account cost each month after 3 free months?",
    "How many payments may I make within 30 days?",
    "¿Cuánto cuesta un cheque de caja en la sucursal?",
]
LANGUAGES = ["en", "en", "es"]
LONG = "Please tell me how the fees and limits of my account are shown, because I want to pay with it."


def cases_of(questions, languages=None) -> pd.DataFrame:
    rows = [
        {
            "case_id": f"g-{i}",
            "question": question,
            "answer_type": "short_fact",
            "query_type": "factual",
            "kind": "generated",
            "language": (languages or ["en"] * len(questions))[i],
            "family": "price",
        }
        for i, question in enumerate(questions)
    ]
    return case_table.cases_frame(rows, extra=["family"])


@pytest.fixture
def cases():
    return cases_of(QUESTIONS, LANGUAGES)


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("level", [1, 2, 3])
def test_slips_change_only_words_that_may_be_touched(cases, seed, level):
    made = perturbations.perturb(cases, [level], rng(seed), kinds=["spelling"])
    for before, after in zip(QUESTIONS, made["question"], strict=True):
        assert before != after and re.findall(r"\d+", before) == re.findall(r"\d+", after)
        assert len(before.split()) == len(after.split())
        names = re.findall(r"(?<=\w )[A-Z]\w+", before)
        assert names == re.findall(r"(?<=\w )[A-Z]\w+", after)


@pytest.mark.parametrize("make", [question_edits.add_slips, question_edits.misread])
@pytest.mark.parametrize("seed", range(5))
def test_the_share_touched_is_that_of_the_level(make, seed):
    question = "please tell about fees limits cards loans rates branches deposits".replace("about ", "")
    for level, share in question_edits.SHARES.items():
        changed = sum(
            a != b
            for a, b in zip(question.split(), make(question, "en", level, rng(seed)).split(), strict=True)
        )
        assert changed == round(share * 9)


@pytest.mark.parametrize("seed", range(20))
def test_no_slip_makes_another_word(seed):
    fresh = set(question_edits.add_slips(LONG, "en", 3, rng(seed)).lower().split()) - set(
        LONG.lower().split()
    )
    assert fresh and not {word.strip(".,") for word in fresh} & question_edits.known_words()


@pytest.mark.parametrize(
    "make, question, level, expected",
    [
        (question_edits.change_case, "Can Ann pay?", 1, "can ann pay?"),
        (question_edits.change_case, "Can Ann pay?", 2, "CAN ANN PAY?"),
        (question_edits.change_marks, "Is it $1,250.50, or 3.5 %?", 1, "Is it $1,250.50, or 3.5 %"),
        (question_edits.change_marks, "Is it $1,250.50, or 3.5 %?", 2, "Is it $1,250.50 or 3.5 %"),
        (question_edits.drop_words, "Where is the key?", 2, "Where key?"),
        (question_edits.swap_words, "Lost my keys?", 1, "my Lost keys?"),
        (question_edits.reorder_clauses, "If I pay late, what happens?", 1, "What happens if I pay late?"),
        (
            question_edits.reorder_clauses,
            "For the Tide Card, what is the fee? (A) $5; (B) $6",
            1,
            "What is the fee for the Tide Card? (A) $5; (B) $6",
        ),
        (question_edits.make_errors, "How many cards?", 1, "How much cards?"),
        (question_edits.use_synonyms, "Who is the customer?", 1, "Who is the client?"),
        (question_edits.shorten_words, "Thanks, when do you open?", 2, "Thx, when do u open?"),
        (question_edits.contract, "What is it that I do not see?", 1, "What's it that I don't see?"),
        (question_edits.contract, "What's it?", 1, "What is it?"),
    ],
)
def test_by_hand(make, question, level, expected):
    assert make(question, "en", level, rng()) == expected


def test_informal_by_hand():
    text = question_edits.make_casual("Can you waive the $1,250.50 fee, please?", "en", 3, rng())
    assert text.endswith("can u waive da $1,250.50 fee pls") and text == text.lower()
    assert question_edits.make_casual("Is it 5?", "en", 1, rng()).endswith(", Is it 5?")


def test_languages_are_mixed_by_hand():
    greeting = r"(?:Hola|Buenos días|Buenas tardes|Olá|Bom dia|Boa tarde), "
    assert re.fullmatch(greeting + r"Is it 5\?", question_edits.mix_languages("Is it 5?", "en", 1, rng()))
    assert (
        question_edits.mix_languages("Is it 5?", "en", 2, rng()) == "Is it 5?"
    )  # no word to replace: not this level
    mixed = question_edits.mix_languages("Is my card here?", "en", 3, rng())
    assert re.fullmatch(
        greeting + r"Is (?:mi tarjeta|meu cartão) here\? (?:muchas )?(?:gracias|obrigad[oa])", mixed
    )


@pytest.mark.parametrize("kind", perturbations.PERTURBATIONS)
@pytest.mark.parametrize("seed", range(3))
def test_no_kind_touches_names_numbers_negations_limits_or_options(kind, seed):
    question = (
        "If I do not pay the $25 fee for my Tide Card within 3 days, what is the most you would charge "
        "me? (A) $5; (B) the limit"
    )
    language, levels = "en", perturbations.PERTURBATIONS[kind].levels
    for level in range(1, len(levels) + 1):
        made = perturbations.PERTURBATIONS[kind].make(question, language, level, rng(seed)).casefold()
        text = re.sub(r"[^\w$']+", " ", made)  # marks are no words
        assert all(
            word in text for word in ("$25", "tide card", "within", "3 days", "most", "$5", "the limit")
        )
        assert "not" in text or "don't" in text


@pytest.mark.parametrize("kind", perturbations.PERTURBATIONS)
def test_any_question_passes_through(kind):
    questions = ("", " ", "?", "5", "ñ", "(A) 5; (B) 6", "\U0001f600 \x00 <b>", "I I I I")
    for question, language, level in product(questions, ("en", "es", "fr", "None"), (1, 2, 3)):
        made = perturbations.PERTURBATIONS[kind].make(question, language, level, rng())
        assert isinstance(made, str), (question, language, level)


def test_variants_name_their_parent_and_share_its_group(cases):
    made = perturbations.perturb(cases, [2], rng(), kinds=["spelling"])
    assert made["parent_id"].tolist() == made["group_id"].tolist() == cases["case_id"].tolist()
    assert made["case_id"].tolist() == ["g-0-spelling-2", "g-1-spelling-2", "g-2-spelling-2"]
    assert made["intensity"].eq(2).all() and made["family"].eq("price").all()
    tables.check("cases", pd.concat([cases, made], ignore_index=True))


def test_same_seed_same_variants_whatever_else_is_made(cases):
    alone = perturbations.perturb(cases, [2], rng(1), kinds=["ocr"])
    among = perturbations.perturb(cases, [1, 2, 3], rng(1))
    among = among[(among["kind"] == "ocr") & (among["intensity"] == 2)].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, among)


@pytest.mark.parametrize("intensity", [0, 0.15, 1.5, 4])
def test_refuses_what_is_no_level(cases, intensity):
    with pytest.raises(ParameterError, match="levels"):
        perturbations.perturb(cases, [intensity], rng(), kinds=["spelling"])


def test_every_perturbation_is_made_by_each_level_it_has(cases):
    """A new one needs its row in PERTURBATIONS and nothing else; what is made says its kind."""
    made = perturbations.perturb(cases, [1, 3], rng(3))
    assert {kind: set(part["intensity"].dropna()) for kind, part in made.groupby("kind")} == {
        kind: {1, 3} if one.graded else set() for kind, one in perturbations.PERTURBATIONS.items()
    }
    assert not made["case_id"].duplicated().any()


def test_in_turn_every_case_is_asked_once_in_each_kind_and_at_each_level(cases):
    made = perturbations.perturb(cases, [1, 2, 3], rng(), kinds=["spelling", "casual", "ocr"], in_turn=True)
    assert len(made) == 3 * len(cases)
    for column in ("kind", "intensity"):
        assert (made.groupby("parent_id")[column].nunique() == 3).all()


def test_a_language_model_paraphrases_where_one_is_named(cases):
    """Its reply is read; what cannot be read is emptied, for the guard to leave out."""
    from ragassay.models.judge import Reply

    texts = ['{"question": "How much is it?"}', "no JSON", None]
    made = perturbations.perturb(
        cases, [1], rng(), kinds=["contractions"], judge=lambda requests: [Reply(text) for text in texts]
    )
    assert made.loc[made["kind"] == "paraphrase", "question"].tolist() == ["How much is it?", "", ""]


def test_later_turns_of_a_conversation_are_no_parents(cases):
    turns = cases.assign(conversation_id="x", turn=[1.0, 2.0, None])
    assert perturbations.sample_parents(turns, 9, 0)["case_id"].tolist() == ["g-0", "g-2"]
    assert "turn" not in perturbations.sample_parents(cases, 9, 0)
