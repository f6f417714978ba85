"""A cause is established by the diagnosis of most failing answers, or it is not."""

import pandas as pd

from ragassay.decision.causes import find_cause
from ragassay.decision.finding_texts import NOT_ESTABLISHED


def blamed(*rows: tuple[str, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["case_id", "blamed"])


IDS = [f"c{i}" for i in range(20)]


def test_the_cause_of_most_answers_is_established_with_its_count():
    table = blamed(*[(case, "retriever") for case in IDS[:18]], *[(case, "generator") for case in IDS[18:]])
    cause, evidence = find_cause(IDS, table, set(IDS))
    assert cause == "Retrieval misses the passages."
    assert "18 of 20" in evidence and "tables/blame.parquet" in evidence


def test_a_bare_majority_is_not_enough():
    table = blamed(*[(case, "retriever") for case in IDS[:12]], *[(case, "generator") for case in IDS[12:]])
    cause, evidence = find_cause(IDS, table, set(IDS))
    assert cause == NOT_ESTABLISHED and "12 of 20" in evidence


def test_nothing_diagnosed_nothing_established():
    for table in (None, blamed(("other", "retriever"))):
        cause, evidence = find_cause(IDS, table, set(IDS))
        assert cause == NOT_ESTABLISHED and "diagnosed" in evidence


def test_what_follows_from_how_the_diagnosis_is_made_is_no_cause():
    """Of a question without an answer the diagnosis always says: the generator."""
    table = blamed(*[(case, "generator") for case in IDS])
    assert find_cause(IDS, table, set())[0] == NOT_ESTABLISHED


def test_undetermined_is_no_cause():
    table = blamed(*[(case, "undetermined") for case in IDS])
    assert find_cause(IDS, table, set(IDS))[0] == NOT_ESTABLISHED
