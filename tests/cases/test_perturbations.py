"""Variants: what is touched and what never, intensities, the screen of foreign questions."""

import re

import numpy as np
import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases import perturbations, rows

QUESTIONS = [
    "What does the Quay Everyday Account cost each month after 3 free months?",
    "How many payments may I make within 30 days?",
    "¿Cuánto cuesta un cheque de caja en la sucursal?",
]
LANGUAGES = ["en", "en", "es"]


@pytest.fixture
def cases():
    return rows.frame(
        [
            {
                "case_id": f"g-{i}",
                "question": question,
                "answer_type": "short_fact",
                "query_type": "factual",
                "kind": "generated",
                "language": language,
                "topic": "T01",
                "family": "price",
            }
            for i, (question, language) in enumerate(zip(QUESTIONS, LANGUAGES, strict=True))
        ],
        extra=["family"],
    )


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("intensity", [0.1, 0.5, 1.0])
def test_slips_change_only_words_that_may_be_touched(cases, seed, intensity):
    made = perturbations.add_typos(cases, intensity=intensity, rng=np.random.default_rng(seed))
    for before, after in zip(QUESTIONS, made["question"], strict=True):
        assert (
            before != after
            and re.findall(r"\d+", before) == re.findall(r"\d+", after)
            and len(before.split()) == len(after.split())
        )
        names = re.findall(r"(?<=\w )[A-Z]\w+", before)
        assert names == re.findall(r"(?<=\w )[A-Z]\w+", after)


@pytest.mark.parametrize("seed", range(10))
def test_the_share_touched_is_the_intensity(seed):
    question = "please tell about fees limits cards loans rates branches deposits"
    for intensity in (0.2, 0.5, 1.0):
        slipped = perturbations.misspell(question, intensity, np.random.default_rng(seed)).split()
        changed = sum(a != b for a, b in zip(question.split(), slipped, strict=True))
        assert changed == round(intensity * 10)


def test_variants_name_their_parent_and_share_its_group(cases):
    made = perturbations.add_typos(cases, intensity=0.3, rng=np.random.default_rng(0))
    assert made["parent_id"].tolist() == made["group_id"].tolist() == cases["case_id"].tolist()
    assert (
        made["case_id"].tolist() == ["g-0-s030", "g-1-s030", "g-2-s030"]
        and made["intensity"].eq(0.3).all()
        and made["family"].eq("price").all()
    )
    tables.check("cases", pd.concat([cases, made], ignore_index=True))


def test_a_question_without_a_word_to_touch_is_left_out(cases):
    short = cases.head(1).assign(question="Is it 5?")
    assert not len(perturbations.add_typos(short, intensity=1.0, rng=np.random.default_rng(0)))


def test_casual_has_no_capitals_and_no_punctuation_but_in_numbers():
    case = rows.frame(
        [
            {
                "case_id": "a",
                "question": "Can you waive the $1,250.50 fee, please?",
                "kind": "own",
                "answer_type": "short_fact",
                "query_type": "factual",
            }
        ]
    )
    text = perturbations.make_informal(case, np.random.default_rng(0))["question"].item()
    assert text.endswith("can u waive the $1,250.50 fee pls") and text == text.lower()


def test_same_seed_same_variants(cases):
    one, other = (
        perturbations.add_typos(cases, intensity=0.5, rng=np.random.default_rng(1)) for _ in range(2)
    )
    pd.testing.assert_frame_equal(one, other)


@pytest.mark.parametrize("intensity", [0, -0.1, 1.1])
def test_refuses_an_intensity_outside_its_range(cases, intensity):
    with pytest.raises(ValueError, match=r"in \(0, 1\]"):
        perturbations.add_typos(cases, intensity=intensity, rng=np.random.default_rng(0))


def test_a_question_the_documents_might_answer_is_screened_out(encode):
    chunks = pd.DataFrame(
        {"chunk_id": ["a#p1", "a#p2"], "doc_id": "a", "text": ["How tall is Mount Kilimanjaro", "fees"]}
    )
    screened = perturbations.screen(chunks, at_most=0.9, encode=encode)
    assert len(screened) >= 60 and screened["question"].is_unique
    hit = screened[screened["question"].str.contains("Kilimanjaro")].iloc[0]
    assert not hit["kept"] and hit["nearest"] == "a#p1"


def test_out_of_scope_rows(encode, passages):
    made = perturbations.out_of_scope(passages, 12, np.random.default_rng(0), at_most=0.6, encode=encode)
    assert (
        len(made) == 12
        and not made["answerable"].any()
        and made["answer_type"].eq("no_answer").all()
        and made["similarity"].le(0.6).all()
    )
    tables.check("cases", made)
    assert (
        len(
            perturbations.out_of_scope(passages, 10_000, np.random.default_rng(0), at_most=0.6, encode=encode)
        )
        < 10_000
    )
