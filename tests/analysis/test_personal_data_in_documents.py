"""Personal data in the documents: what was searched, how much was found, and that no value is printed."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from ragassay.analysis import personal_data_in_documents

TEXTS = ["Call Ann Berg on +44 20 7946 0958.", "Fees are due in May.", "Write to ann.berg@example.com."]


def entities(texts):
    named = SimpleNamespace(kind="person"), SimpleNamespace(kind="place")
    return [list(named) if "Ann" in text else [named[1]] for text in texts]


def found(texts=TEXTS) -> dict:
    chunks = pd.DataFrame({"text": texts})
    return personal_data_in_documents.search(chunks, entities, np.random.default_rng(0))


def test_values_and_names_are_counted_and_none_is_told():
    record = found()
    assert (record["passages"], record["holding"], record["read"], record["naming"]) == (3, 2, 3, 1)
    told = personal_data_in_documents.sentence(record)
    assert told.startswith("2 of 3 passages hold personal data by the patterns (") and "phone 1" in told
    assert (
        "1 of all 3 name a person or an address (33 % [" in told and "7946" not in told and "Ann" not in told
    )


def test_no_more_passages_than_promised_are_read_for_names():
    record = found(TEXTS * 100)
    assert (
        record["read"] == personal_data_in_documents.MOST_READ
        and "of 200 drawn at random" in personal_data_in_documents.sentence(record)
    )


def test_without_passages_nothing_was_searched():
    nothing = found([])
    assert (
        personal_data_in_documents.sentence(nothing)
        == "No passage was there to be searched for personal data."
    )
    assert personal_data_in_documents.beside_gates(
        pd.DataFrame({"metric": ["privacy_leak_rate"]}), nothing
    ) == [""]


def test_a_gate_on_personal_data_says_what_it_does_not_count():
    gates = pd.DataFrame({"metric": ["privacy_leak_rate", "support", "names_rate"]})
    leaks, other, names = personal_data_in_documents.beside_gates(gates, found())
    assert other == "" and leaks == names and "2 of 3 passages hold personal data" in leaks
