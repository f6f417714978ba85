"""A topic is called by a heading of its own documents, near to its words, each once."""

import numpy as np
import pandas as pd
import pytest

from ragassay.cases.topic_words import LONGEST, named_by_headings

WORDS = ("fraud", "loan", "branch")


def encode(texts):
    """How often each word stands in a text, as unit vectors."""
    counts = np.array([[text.lower().count(word) + 0.01 for word in WORDS] for text in texts])
    return counts / np.linalg.norm(counts, axis=1, keepdims=True)


def topics(*rows):
    return pd.DataFrame(rows, columns=["topic", "label", "words"])


def passages(**headings):
    rows = [(topic, text) for topic, texts in headings.items() for text in texts]
    return pd.DataFrame(rows, columns=["topic", "heading"])


TWO = topics(("T01", "fraud, wire", "fraud, wire"), ("T02", "loan, home", "loan, home"))


def test_the_nearest_heading_names_the_topic():
    chunks = passages(T01=["Fees", "After a fraud > Steps"], T02=["Fees", "Personal loans"])
    assert named_by_headings(TWO, chunks, encode)["label"].tolist() == ["After a fraud", "Personal loans"]


def test_no_name_twice_whatever_its_letters():
    chunks = passages(T01=["Fraud"], T02=["FRAUD", "Loans"])
    assert named_by_headings(TWO, chunks, encode)["label"].tolist() == ["Fraud", "Loans"]
    alone = passages(T01=["Fraud"], T02=["FRAUD"])
    assert named_by_headings(TWO, alone, encode)["label"].tolist() == ["Fraud", "loan, home"]


@pytest.mark.parametrize("heading", [None, "", "  ", "3.1", "-- > Fraud", "fraud " * LONGEST])
def test_without_a_heading_that_can_be_a_name_the_words_stay(heading):
    found = named_by_headings(TWO, passages(T01=[heading], T02=[heading]), encode)
    assert found["label"].tolist() == TWO["label"].tolist()


def test_noise_and_passages_without_headings_keep_their_words():
    noise = topics(("noise", "noise: fraud", "fraud"))
    assert named_by_headings(noise, passages(noise=["Fraud"]), encode)["label"].tolist() == ["noise: fraud"]
    assert named_by_headings(TWO, pd.DataFrame({"topic": ["T01"]}), encode) is TWO


def test_a_hostile_heading_is_letters():
    chunks = passages(T01=["<script>fraud\u202e</script>"], T02=[])
    label = named_by_headings(TWO, chunks, encode)["label"][0]
    assert "\u202e" not in label and "<script>" in label
