"""Which questions are kept."""

from math import log

import numpy as np
import pandas as pd
import pytest

from ragassay.cases.question_filter import Index, screen_questions

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


def row(question, name, expected, fact="f"):
    asked = {"stem": question, "reference_chunk_ids": [name], "expected": expected, "fact": fact}
    return asked | {"reason": "", "similarity": np.nan}


def judged(pool, encode):
    screen_questions(pool, CHUNKS, Index(TEXTS), encode)
    return [one["reason"] for one in pool]


def test_each_reason(encode):
    kept, far = row("What is the fee?", "a", "$6"), row("Who sails boats?", "b", "years", "g")
    unread = row("What is blocked at once, the card?", "c", "sixty years of sailing", "h")
    again = row("What is the fee?", "c", "$9", "i")
    reasons = judged([kept, far, unread, again], encode)
    assert [reason[:12] for reason in reasons] == ["", "is far from ", "does not lea", "is asked alr"]
    assert kept["similarity"] > far["similarity"]
