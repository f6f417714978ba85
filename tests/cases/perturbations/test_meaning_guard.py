"""The meaning guard: each reason by hand, what it lets pass, what it counts."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from ragassay.cases.perturbations import meaning_guard
from ragassay.cases.perturbations.meaning_guard import guard_meaning, reason_against, rejected_by_kind

ROOT = Path(__file__).parents[3]
PARENT = "Can I open the Tide Card without 3 payslips before May?"


def entail(chance):
    """A head that gives every pair the same probability of entailment."""
    return lambda pairs: SimpleNamespace(probabilities=np.array([[chance, 0, 1 - chance]] * len(pairs)))


def no_names(texts):
    return [[] for _ in texts]


def cases(*rows) -> pd.DataFrame:
    columns = ["case_id", "parent_id", "question", "kind", "language"]
    return pd.DataFrame([[f"v{i}", "p", *row] for i, row in enumerate(rows)], columns=columns)


def parents(question=PARENT) -> pd.DataFrame:
    return pd.DataFrame({"case_id": ["p"], "question": [question]})


@pytest.mark.parametrize(
    "variant, kind, reason",
    [
        ("Can I open the Tide Card without 3 payslips before May", "punctuation", ""),
        ("can i opem the tide card without 3 payslips before may?", "spelling", ""),
        ("?!", "punctuation", "emptied"),
        (PARENT, "synonyms", "nothing to change"),
        ("Can I open the Tide Card without 4 payslips before May?", "synonyms", "a number is changed"),
        ("Can I open the Tide Card with 3 payslips before May?", "synonyms", "a negation is changed"),
        ("Can't I open the Tide Card without 3 payslips before May?", "synonyms", "a negation is changed"),
        ("Can I open the Tide Card without 3 payslips after May?", "synonyms", "a limit is changed"),
        ("Can I open the Quay Card without 3 payslips before May?", "synonyms", "a name is changed"),
        ("Can I oven the Tide Card without 3 payslips before May?", "spelling", "a slip makes another word"),
        (
            "Kxnq I xxpx thxx Tide Card wxthxxt 3 without pxxsllqpx bxfxrx before May?",
            "spelling",
            "hard to read",
        ),
    ],
)
def test_by_words_and_letters(variant, kind, reason):
    assert reason_against(PARENT, variant, kind, "en", ["Tide Card", "May"]) == reason


def test_negations_of_three_languages():
    assert reason_against("No puedo pagar?", "Puedo pagar?", "case", "es", []) == "a negation is changed"
    assert reason_against("Não posso pagar?", "Posso pagar?", "case", "pt", []) == "a negation is changed"
    assert reason_against("Está no banco?", "Está banco?", "case", "pt", []) == ""  # `no`: in the
    assert reason_against("It doesn't pay?", "It does not pay?", "contractions", "en", []) == ""


def test_a_rewording_must_follow_both_ways():
    made = cases(
        ("Can I start the Tide Card without 3 payslips before May?", "synonyms", "en"),
        ("can i open the tide card without 3 payslips before may?", "case", "en"),
    )
    kept, rejected = guard_meaning(made, parents(), entities=no_names, entail=entail(0.9))
    assert kept["case_id"].tolist() == ["v0", "v1"] and rejected.empty
    kept, rejected = guard_meaning(made, parents(), entities=no_names, entail=entail(0.1))
    assert kept["case_id"].tolist() == ["v1"] and rejected["reason"].tolist() == ["does not follow both ways"]


def test_a_rewording_in_a_language_without_a_head_is_left_out():
    made = cases(("¿Puedo abrir hoy una cuenta?", "synonyms", "es"))
    rejected = guard_meaning(
        made, parents("¿Puedo abrir una cuenta hoy?"), entities=no_names, entail=entail(1)
    )[1]
    assert rejected["reason"].tolist() == ["no head judges this language"]


def test_names_of_the_head_are_kept():
    name = SimpleNamespace(text="Tide", kind="organisation")
    made = cases(("Tdie asks for what?", "case", "en"))
    rejected = guard_meaning(
        made, parents("Tide asks for what?"), entities=lambda texts: [[name]], entail=entail(1)
    )[1]
    assert rejected["reason"].tolist() == ["a name is changed"]


def test_left_out_are_counted_by_kind_and_reason():
    kept = cases(("a", "case", "en"), ("b", "spelling", "en"))
    lost = cases(("c", "spelling", "en"), ("d", "spelling", "en"), ("e", "spelling", "en")).assign(
        reason=["hard to read", "emptied", "nothing to change"]
    )
    rows = rejected_by_kind(kept, lost).set_index(["kind", "reason"])
    assert rows.loc[("spelling", "all")].tolist() == [3, 2, pytest.approx(2 / 3)]
    assert rows.loc[("case", "all"), "left_out"] == 0 and rows.loc[("spelling", "emptied"), "left_out"] == 1
    assert ("spelling", "nothing to change") not in rows.index


@pytest.mark.slow
def test_real_heads_on_pairs_that_are_plain():
    made = cases(
        ("Can I close my gym account over the telephone?", "synonyms", "en"),
        ("Can I freeze my gym account over the phone?", "synonyms", "en"),
    )
    kept, _ = guard_meaning(made, parents("Can I close my gym account over the phone?"))
    assert kept["case_id"].tolist() == ["v0"]


def test_the_threshold_is_the_one_that_was_chosen_on_question_pairs():
    measured = json.loads((ROOT / "bench/meaning_guard.json").read_text(encoding="utf-8"))["threshold"]
    assert measured["chosen_on_all"] == measured["used"] == meaning_guard.SAME_MEANING
