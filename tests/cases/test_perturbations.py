"""Perturbations: each kind by hand, what none may touch, levels, seeds; repeats and second turns."""

import json
import re
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases import case_table, perturbations
from ragassay.cases.perturbations import LEVELS, PERTURBATIONS, SHARES, guard_meaning, known_words, perturb
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
    return PERTURBATIONS[kind](question, "en", level, rng(seed))


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


ROOT = Path(__file__).parents[2]
PARENT = "Can I open the Tide Card without 3 payslips before May?"


def guard(*rows, parent=PARENT, chance=1.0, names=()):
    """The rows (question, kind, language) kept and their reasons, by a head that gives every pair one chance."""
    columns = ["case_id", "parent_id", "question", "kind", "language"]
    variants = pd.DataFrame([[f"v{i}", "p", *row] for i, row in enumerate(rows)], columns=columns)
    found = [SimpleNamespace(text=name, kind="organisation") for name in names]
    kept, rejected = guard_meaning(
        variants,
        pd.DataFrame({"case_id": ["p"], "question": [parent]}),
        entities=lambda texts: [found for _ in texts],
        entail=lambda pairs: SimpleNamespace(probabilities=np.full((len(pairs), 3), chance)),
    )
    return kept["case_id"].tolist(), rejected["reason"].tolist()


@pytest.mark.parametrize(("variant", "kind", "reason"), [
    ("Can I open the Tide Card without 3 payslips before May", "casual", None),
    ("?!", "casual", "emptied"),
    (PARENT, "synonyms", "nothing to change"),
    ("Can I open the Tide Card without 4 payslips before May?", "synonyms", "number"),
    ("Can I open the Tide Card with 3 payslips before May?", "synonyms", "negation"),
    ("Can I open the Tide Card without 3 payslips after May?", "synonyms", "limit"),
    ("Can I open the Quay Card without 3 payslips before May?", "synonyms", "name"),
    ("Can I oven the Tide Card without 3 payslips before May?", "spelling", "another word"),
    ("Kxnq I xxpx thxx Tide Card wxthxxt 3 without pxxsllqpx bxfxrx before May?", "spelling", "hard to read"),
])  # fmt: skip
def test_by_words_and_letters(variant, kind, reason):
    kept, reasons = guard((variant, kind, "en"))
    assert kept == ["v0"] if reason is None else reason in reasons[0]


def test_rewordings_alone_must_follow_both_ways():
    rows = (
        ("May I open the Tide Card without 3 payslips before May?", "synonyms", "en"),
        (PARENT.upper(), "casual", "en"),
    )
    assert guard(*rows, chance=0.9) == (["v0", "v1"], [])
    assert guard(*rows, chance=0.1) == (["v1"], ["does not follow both ways"])


def test_the_threshold_is_the_one_that_was_chosen_on_question_pairs():
    measured = json.loads((ROOT / "bench/meaning_guard.json").read_text(encoding="utf-8"))["threshold"]
    assert measured["chosen_on_all"] == measured["used"] == perturbations.SAME_MEANING
