"""Perturbations: what is touched and what never, intensities, and that all of them are made."""

import re

import numpy as np
import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases import case_table, perturbations

QUESTIONS = [
    "What does the Quay Everyday Account cost each month after 3 free months?",
    "How many payments may I make within 30 days?",
    "¿Cuánto cuesta un cheque de caja en la sucursal?",
]
LANGUAGES = ["en", "en", "es"]


@pytest.fixture
def cases():
    return case_table.cases_frame(
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
    case = case_table.cases_frame(
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


def test_every_perturbation_is_made_by_each_intensity_it_takes(cases):
    """A new one needs its row in PERTURBATIONS and nothing else; what is made says its kind."""
    made = perturbations.perturb(cases, [0.2, 0.6], np.random.default_rng(3))
    assert set(made["kind"]) == set(perturbations.PERTURBATIONS)
    assert {kind: set(part["intensity"].dropna()) for kind, part in made.groupby("kind")} == {
        kind: {0.2, 0.6} if one.graded else set() for kind, one in perturbations.PERTURBATIONS.items()
    }
    rng = np.random.default_rng(3)
    by_hand = [
        *(perturbations.add_typos(cases, rng, intensity=intensity) for intensity in (0.2, 0.6)),
        perturbations.make_informal(cases, rng),
    ]
    pd.testing.assert_frame_equal(made, pd.concat(by_hand, ignore_index=True))


def test_later_turns_of_a_conversation_are_no_parents(cases):
    turns = cases.assign(conversation_id="x", turn=[1.0, 2.0, None])
    assert perturbations.sample_parents(turns, 9, 0)["case_id"].tolist() == ["g-0", "g-2"]
    assert "turn" not in perturbations.sample_parents(cases, 9, 0)
