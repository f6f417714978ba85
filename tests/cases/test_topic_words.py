"""Topic words: by hand, the printed formula, ties, numbering."""

from collections import Counter

import numpy as np
import pandas as pd

from ragassay.cases.topic_words import (
    class_words,
    common_words,
    describe_topics,
    named_by_headings,
    stop_words,
)

CLASSES = [["card card limit fee", "card stolen"], ["loan loan fee", "loan rate rate fee"]]


def test_by_hand():
    assert class_words(CLASSES)[0][0] == "card" and class_words(CLASSES)[1][0] == "loan"


def test_agrees_with_the_paper():
    """W = tf log(1 + A / f) for every word of every class (Grootendorst 2022)."""
    counts = [Counter(" ".join(texts).split()) for texts in CLASSES]
    mean = sum(sum(c.values()) for c in counts) / len(counts)
    for count, words in zip(counts, class_words(CLASSES, top=20), strict=True):
        weight = {word: tf * np.log(1 + mean / sum(c[word] for c in counts)) for word, tf in count.items()}
        assert words == sorted(weight, key=lambda word: (-round(weight[word], 9), word))


def test_ties_are_alphabetical_and_plurals_are_not_repeated():
    assert class_words([["zebra apple card cards"]])[0] == ["apple", "card", "zebra"]


def test_stop_words_of_three_languages_say_nothing():
    assert class_words([["the que não para with", "12 34"]]) == [[]]
    assert {"the", "que", "não"} <= stop_words()


def test_words_of_most_documents_are_left_out_of_large_collections_only():
    many = pd.DataFrame(
        {"doc_id": [f"d{i}" for i in range(10)], "text": [f"bank word{chr(97 + i)}" for i in range(10)]}
    )
    assert common_words(many) == {"bank"} and not common_words(many.head(9))


def test_largest_first_noise_last():
    chunks = pd.DataFrame(
        {"doc_id": ["a", "a", "b", "c"], "text": ["loan", "loan rate", "card", "noise dust"]}
    )
    names, topics = describe_topics(chunks, np.array([1, 1, 0, -1]))
    assert names == ["T01", "T01", "T02", "noise"] and topics["topic"].tolist() == ["T01", "T02", "noise"]
    assert topics["n_documents"].tolist() == [1, 1, 1] and topics["label"].iloc[-1].startswith("noise: ")


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


def test_noise_and_passages_without_headings_keep_their_words():
    noise = topics(("noise", "noise: fraud", "fraud"))
    assert named_by_headings(noise, passages(noise=["Fraud"]), encode)["label"].tolist() == ["noise: fraud"]
    assert named_by_headings(TWO, pd.DataFrame({"topic": ["T01"]}), encode) is TWO
