"""sentences: against the golden texts, its laws on any text."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wild_text import ANY

from ragassay.documents import sentences
from ragassay.documents.text_blocks import clean, pieces

LANGUAGE = st.sampled_from(["en", "es", "pt", "xx"])
GOLD = Path(__file__).with_name("golden_sentences.jsonl")


def gold() -> list[dict]:
    """The golden cases: kind, language, text, and the set of boundaries, counted in visible characters before them."""
    cases = [json.loads(line) for line in GOLD.read_text(encoding="utf-8").splitlines()]
    return [
        {**case, "text": case["marked"].replace("¶", ""), "boundaries": boundaries(case["marked"].split("¶"))}
        for case in cases
    ]


def boundaries(parts: list[str]) -> set[int]:
    """Where parts meet, as the number of visible characters before; the end of the text is not a boundary."""
    lengths = [sum(not c.isspace() and c != "|" for c in part) for part in parts]
    return {sum(lengths[:i]) for i in range(1, len(lengths))}


def score(split, cases: list[dict]) -> float:
    """The F1 of the boundaries."""
    found = [
        boundaries([part for part in split(case["text"], case["language"]) if part.strip()]) for case in cases
    ]
    right = sum(len(f & case["boundaries"]) for f, case in zip(found, cases, strict=True))
    precision, recall = right / sum(map(len, found)), right / sum(len(case["boundaries"]) for case in cases)
    return 2 * precision * recall / (precision + recall)


@pytest.mark.parametrize("held_out, least", [(False, 0.99), (True, 0.95)])
def test_golden_sentences(held_out, least):
    cases = [case for case in gold() if bool(case.get("held_out")) == held_out]
    assert score(lambda text, language: [piece for _, piece in pieces(text, language)], cases) >= least


def test_by_hand():
    text = "See No. 5, e.g. the fee of $2.75. [fees#p3] It closes at 5 p.m. on Fridays.\n- First item\n- Second. With two.\nA | B"
    assert sentences(text) == [
        "See No. 5, e.g. the fee of $2.75. [fees#p3]", "It closes at 5 p.m. on Fridays.", "First item", "Second.", "With two.", "A | B",
    ]  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(text=ANY, language=LANGUAGE)
def test_every_visible_character_is_kept_in_order(text, language):
    assert "".join("".join(piece.split()) for _, piece in pieces(text, language)) == "".join(
        clean(text).split()
    )
