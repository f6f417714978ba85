"""Passages into sentences, rows and steps; a list the chunker cut in two is one again."""

import pandas as pd

from ragassay.cases.rule_questions.askable_units import read, titles

CHUNKS = pd.DataFrame(
    [
        ("a#p1", "a", "The fee is $6. It is due monthly.\nA new line.", "Access Policy > Scope"),
        ("a#p2", "a", "Do so:\n- Tell us.\n- Agree on it.", "How to ask"),
        ("a#p3", "a", "- Receive a letter.\nDone.", "How to ask"),
        ("a#p4", "a", "Item | Rule\nFee | $6", "Fees"),
        ("b-x#p1", "b-x", "1. Ring.\n2. Wait.", ""),
    ],
    columns=["chunk_id", "doc_id", "text", "heading"],
).assign(language="en", topic="T01")


def test_titles():
    assert titles(CHUNKS) == {"a": "Access Policy", "b-x": "b x"}
    assert titles(CHUNKS.assign(title="BRANCH RULES FOR ALL")) == {
        "a": "Branch Rules for All",
        "b-x": "Branch Rules for All",
    }


def test_sentences_know_what_stands_before_them():
    sentences, _ = read(CHUNKS)
    assert [(unit.text, unit.before) for unit in sentences[:2]] == [
        ("The fee is $6.", ""),
        ("It is due monthly.", "The fee is $6."),
    ]
    assert sentences[0].heading == "Scope"


def test_blocks():
    _, blocks = read(CHUNKS)
    assert [(b.kind, b.lines, b.chunk_ids) for b in blocks] == [
        ("step", ["Tell us.", "Agree on it.", "Receive a letter."], ["a#p2", "a#p2", "a#p3"]),
        ("row", ["Item | Rule", "Fee | $6"], ["a#p4", "a#p4"]),
        ("step", ["Ring.", "Wait."], ["b-x#p1", "b-x#p1"]),
    ]
