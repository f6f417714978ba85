"""Which questions are kept."""

from math import log

import numpy as np
import pandas as pd
import pytest

from ragassay.cases.question_filter import Index, content_words, might_be_answered, screen_questions, share_of

TEXTS = [
    "The fee is $6.",
    "A loan is paid back in years.",
    "The lost card is blocked at once.\nThe fee for it is $9.",
]
CHUNKS = pd.DataFrame({"chunk_id": ["a", "b", "c"], "text": TEXTS})


def test_bm25_by_hand():
    index = Index(["fee fee card", "card"])
    mean, rarity = 2.0, {"fee": log(1 + 1.5 / 1.5), "card": log(1 + 0.5 / 2.5)}
    assert index.rarity("fee") == pytest.approx(rarity["fee"]) and index.rarity("card") == pytest.approx(
        rarity["card"]
    )
    first = rarity["fee"] * 2 * 2.5 / (2 + 1.5 * (0.25 + 0.75 * 3 / mean)) + rarity["card"] * 2.5 / (
        1 + 1.5 * (0.25 + 0.75 * 3 / mean)
    )
    second = rarity["card"] * 2.5 / (1 + 1.5 * (0.25 + 0.75 * 1 / mean))
    assert index.top("fee card") == ([0, 1] if first > second else [1, 0]) and index.top("nothing") == []


def test_shares():
    index = Index(TEXTS)
    assert index.share("What is the fee?", TEXTS[0]) == 1.0 and index.share("", TEXTS[0]) == 0.0
    assert 0 < index.share("Is the card fee $6?", TEXTS[0]) < 1
    assert (
        share_of("the lost cards", "a card was lost") == 1.0
        and share_of("", "x") == 1.0
        and content_words("The fees") == ["fee"]
    )


def row(question, name, expected, fact="f"):
    return {
        "stem": question,
        "reference_chunk_ids": [name],
        "expected": expected,
        "fact": fact,
        "reason": "",
        "similarity": np.nan,
    }


def judged(pool, encode):
    screen_questions(pool, CHUNKS, Index(TEXTS), encode)
    return [one["reason"] for one in pool]


def test_each_reason(encode):
    kept, far = row("What is the fee?", "a", "$6"), row("Who sails boats?", "b", "years", "g")
    unread = row("What is blocked at once, the card?", "b", "$9", "h")
    again = row("What is the fee?", "c", "$9", "i")
    reasons = judged(
        [kept, far, unread | {"reference_chunk_ids": ["c"], "expected": "sixty years of sailing"}, again],
        encode,
    )
    assert reasons == [
        "",
        "is far from its passage",
        "does not lead a reader to its answer",
        "is asked already in nearly the same words",
    ]
    assert kept["similarity"] > far["similarity"]


def test_a_passage_that_holds_the_question_might_answer_it():
    index = Index(TEXTS)
    assert might_be_answered("What is the fee?", TEXTS, index) and not might_be_answered(
        "What is the fee of a yacht club?", TEXTS, index
    )
