"""A tiny encoder of our own: words hashed into 64 dimensions; texts that share words are near each other."""

import hashlib
import re

import numpy as np
import pandas as pd
import pytest


def bag_of_words(texts, model="fake"):
    vectors = np.full((len(texts), 64), 1e-3, dtype=np.float32)
    for i, text in enumerate(texts):
        for word in re.findall(r"\w{3,}", text.lower()):
            vectors[i, int(hashlib.sha256(word.encode()).hexdigest(), 16) % 64] += 1
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture
def encode():
    return bag_of_words


@pytest.fixture
def passages():
    """Thirty passages on three subjects, in three documents of ten."""
    subjects = {
        "cards": "card credit limit purchase merchant stolen replacement",
        "loans": "loan instalment borrower repayment rate collateral arrears",
        "branches": "branch counter opening Saturday street cashier holiday",
    }
    rng = np.random.default_rng(3)
    rows = [
        {
            "chunk_id": f"{doc}#p{i}",
            "doc_id": doc,
            "text": " ".join(rng.choice(words.split(), size=9)) + f" {doc}.",
            "language": "en",
        }
        for doc, words in subjects.items()
        for i in range(1, 11)
    ]
    return pd.DataFrame(rows)
