"""The meaning guard: each reason by hand, what it lets pass, the threshold that was measured."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from ragassay.cases import meaning_guard
from ragassay.cases.meaning_guard import guard_meaning

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
    assert measured["chosen_on_all"] == measured["used"] == meaning_guard.SAME_MEANING
