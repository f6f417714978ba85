"""Perturbations: each kind by hand, what none may touch, levels, seeds; repeats and second turns."""

import re
from itertools import product

import numpy as np
import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases import case_table, perturbations
from ragassay.cases.perturbations import LEVELS, PERTURBATIONS, SHARES, known_words, perturb, sample_parents
from ragassay.errors import ParameterError
from ragassay.models.judge_messages import Reply

QUESTIONS = {
    "What does the Quay Everyday Account cost each month after 3 free months?": "en",
    "How many payments may I make within 30 days?": "en",
    "¿Cuánto cuesta un cheque de caja en la sucursal?": "es",
}


@pytest.fixture
def cases():
    rows = [
        {"case_id": f"g-{i}", "question": question, "answer_type": "short_fact", "query_type": "factual"}
        | {"kind": "generated", "language": language, "family": "price"}
        for i, (question, language) in enumerate(QUESTIONS.items())
    ]
    return case_table.cases_frame(rows, extra=["family"])


def rng(seed=0):
    return np.random.default_rng(seed)


def make(kind, question, level, seed=0):
    return PERTURBATIONS[kind].make(question, "en", level, rng(seed))


@pytest.mark.parametrize(("seed", "level"), product(range(5), LEVELS))
def test_slips_touch_the_share_of_the_level_and_make_no_other_word(seed, level):
    question = "please tell fees limits cards loans rates branches deposits"
    made = make("spelling", question, level, seed)
    changed = [after for before, after in zip(question.split(), made.split(), strict=True) if before != after]
    assert len(changed) == round(SHARES[level] * 9) and not set(changed) & known_words()


@pytest.mark.parametrize(("kind", "question", "level", "expected"), [
    ("grammar", "How many cards?", 1, r"How much cards\?"),
    ("synonyms", "Who is the customer?", 1, r"Who is the client\?"),
    ("casual", "Is it 5?", 1, r"[a-z ]+, Is it 5\?"),
    ("casual", "Can you waive the $1,250.50 fee, please?", 3, r"[a-z ]+ can u waive da \$1,250.50 fee pls"),
    ("language_mix", "Is it 5?", 1, r"(?:Hola|Buen|Olá|Bom|Boa).*, Is it 5\?"),
    ("language_mix", "Is it 5?", 2, r"Is it 5\?"),
    ("language_mix", "Is my card here?", 3, r".+, Is (?:mi tarjeta|meu cartão) here\? .*(?:gracias|obrigad[oa])"),
])  # fmt: skip
def test_by_hand(kind, question, level, expected):
    assert re.fullmatch(expected, make(kind, question, level))


@pytest.mark.parametrize(("kind", "level"), product(PERTURBATIONS, LEVELS))
def test_no_kind_touches_names_numbers_negations_limits_or_options(kind, level):
    question = (
        "If I do not pay the $25 fee for my Tide Card within 3 days, what is the most you would charge "
        "me? (A) $5; (B) the limit"
    )
    for seed in range(3):
        text = re.sub(r"[^\w$']+", " ", make(kind, question, level, seed).casefold())  # marks are no words
        kept = ("$25", "tide card", "not", "within", "3 days", "most", "$5", "the limit")
        assert all(word in text for word in kept)


def test_variants_name_their_parent_and_share_its_group(cases):
    made = perturb(cases, rng(), kinds=["spelling"])
    assert made["parent_id"].tolist() == made["group_id"].tolist() == cases["case_id"].tolist()
    assert made["case_id"].tolist() == ["g-0-spelling-1", "g-1-spelling-2", "g-2-spelling-3"]
    assert made["intensity"].tolist() == [1, 2, 3] and made["family"].eq("price").all()
    tables.check("cases", pd.concat([cases, made], ignore_index=True))


def test_in_turn_every_case_is_asked_once_in_each_kind_and_at_each_level(cases):
    made = perturb(cases, rng(), kinds=["spelling", "casual", "grammar"])
    assert len(made) == 3 * len(cases)
    for column in ("kind", "intensity"):
        assert (made.groupby("parent_id")[column].nunique() == 3).all()


def test_a_language_model_paraphrases_where_one_is_named(cases):
    """Its reply is read; what cannot be read is emptied, for the guard to leave out."""
    texts = ['{"question": "How much is it?"}', "no JSON", None]
    made = perturb(cases, rng(), kinds=["casual"], judge=lambda requests: [Reply(text) for text in texts])
    assert made.loc[made["kind"] == "paraphrase", "question"].tolist() == ["How much is it?", "", ""]


def test_later_turns_of_a_conversation_are_no_parents(cases):
    turns = cases.assign(conversation_id="x", turn=[1.0, 2.0, None])
    assert sample_parents(turns, 9, 0)["case_id"].tolist() == ["g-0", "g-2"]


def cases_of(*questions: str, language: str = "en") -> pd.DataFrame:
    return case_table.cases_frame(
        {"case_id": f"c{i}", "question": text, "answer_type": "short_fact", "query_type": "factual",
         "language": language, "kind": "user"}
        for i, text in enumerate(questions)
    )  # fmt: skip


def test_questions_are_asked_again_in_another_order():
    asked = cases_of(*(f"What is fee {i}?" for i in range(20)))
    again = perturbations.ask_again(asked, 12, seed=1)
    assert again["case_id"].is_unique and again["parent_id"].nunique() == 12
    assert again["parent_id"].tolist() != sorted(again["parent_id"])
    assert (again["question"] == again["parent_id"].map(asked.set_index("case_id")["question"])).all()
    with pytest.raises(ParameterError, match="n_repeated"):
        perturbations.ask_again(asked, 0, seed=1)


@pytest.mark.parametrize(("question", "subject", "rest"), [
    ("For the Mainsail Loan, what is the late fee?", "the Mainsail Loan", "What is the late fee?"),
    ("What does a wire cost from an Everyday account?", "an Everyday account", "What does a wire cost?"),
    ("According to “Lost Cards”, how long does it take?", "“Lost Cards”", "How long does it take?"),
])  # fmt: skip
def test_a_follow_up_leaves_out_what_the_opening_names(question, subject, rest):
    assert perturbations.without_subject(question) == (subject, rest)
    opening, asked = perturbations.follow_ups(cases_of(question), 5).to_dict("records")
    assert (opening["kind"], asked["kind"]) == (perturbations.OPENING, perturbations.FOLLOW_UP)
    assert subject in opening["question"]
    assert (opening["turn"], asked["turn"], asked["question"]) == (1, 2, rest)
    assert opening["conversation_id"] == asked["conversation_id"]
    assert asked["parent_id"] == "c0"


@pytest.mark.parametrize("question", [
    "Which is higher: the fee for the Plus Account, or the fee for the Basic Account?",
    "Can I see somebody on a Tuesday?",
    "Why the Harbour Saver?",
    "",
])  # fmt: skip
def test_a_question_that_would_lose_its_sense_makes_none(question):
    assert perturbations.follow_ups(cases_of(question), 5).empty
