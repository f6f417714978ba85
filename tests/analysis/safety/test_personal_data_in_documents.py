"""Personal data in the documents: what was searched, how much was found, and that no value is printed."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from ragassay.analysis.safety import personal_data_in_documents

TEXTS = ["Call Ann Berg on +44 20 7946 0958.", "Fees are due in May.", "Write to ann.berg@example.com."]


def entities(texts):
    named = SimpleNamespace(kind="person"), SimpleNamespace(kind="place")
    return [list(named) if "Ann" in text else [named[1]] for text in texts]


def found(texts=TEXTS) -> dict:
    chunks = pd.DataFrame({"text": texts})
    return personal_data_in_documents.search(chunks, np.random.default_rng(0), entities)


def test_values_and_names_are_counted_and_none_is_told():
    record = found()
    assert (record["passages"], record["holding"], record["read"], record["naming"]) == (3, 2, 3, 1)


def test_no_more_passages_than_promised_are_read_for_names():
    record = found(TEXTS * 100)
    assert record["read"] == personal_data_in_documents.MOST_READ
    assert found([])["passages"] == 0
