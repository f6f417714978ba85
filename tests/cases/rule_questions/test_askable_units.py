"""Passages into sentences, rows and items; a list the chunker cut in two is one again."""

import pandas as pd

from ragassay.cases.rule_questions.askable_units import passages, read

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


def test_titles_and_headings():
    assert {one.doc_id: one.title for one in passages(CHUNKS)} == {"a": "Access Policy", "b-x": "b x"}
    assert passages(CHUNKS)[0].heading == "Scope"
    assert passages(CHUNKS.assign(title="BRANCH RULES"))[0].title == "Branch Rules"


def test_sentences_and_blocks():
    sentences, blocks = read(CHUNKS)
    assert [unit.text for unit in sentences[:3]] == ["The fee is $6.", "It is due monthly.", "A new line."]
    assert [(block.is_table, block.lines, block.chunk_ids) for block in blocks] == [
        (False, ["Tell us.", "Agree on it.", "Receive a letter."], ["a#p2", "a#p2", "a#p3"]),
        (True, ["Item | Rule", "Fee | $6"], ["a#p4", "a#p4"]),
        (False, ["Ring.", "Wait."], ["b-x#p1", "b-x#p1"]),
    ]
