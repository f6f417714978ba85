"""The factors of a case by hand; what follows from how a column is made is never compared."""

import pandas as pd
import pytest
from made import cases_of

from ragassay.analysis import slices

CHUNKS = pd.DataFrame(
    {
        "chunk_id": ["a#p1", "a#p2", "a#p3", "b#p1", "c#p1"],
        "doc_id": ["a", "a", "a", "b", "c"],
        "text": ["one", "one two three four", "one two three", "uno dos tres cuatro", "old"],
    }
)
DOCUMENTS = pd.DataFrame(
    {
        "doc_id": ["a", "b", "c"],
        "language": ["en", "es", "en"],
        "status": [None, None, "superseded"],
        "audience": [None, "staff", None],
    }
)


@pytest.fixture
def cases() -> pd.DataFrame:
    wanted = [["a#p1"], ["a#p3"], ["b#p1"], ["a#p1", "a#p2"], []]
    return cases_of(
        ["t"] * 5,
        language=["en", "es", "es", "en", "en"],
        kind=["own", "own", "generated", "own", ""],
        reference_chunk_ids=wanted,
        answerable=[True] * 4 + [False],
    )


@pytest.fixture
def made(cases) -> pd.DataFrame:
    given = [["a#p1", "c#p1"], ["a#p1", "a#p2"], ["a#p1", "b#p1"], ["b#p1", "c#p1", "a#p2"], []]
    answers = pd.DataFrame({"case_id": cases["case_id"], "repeat": 0, "context_ids": given})
    return slices.add_factors(cases, CHUNKS, DOCUMENTS, answers)


def test_the_factors_by_hand(made):
    rows = made.drop(columns=["reference_chunk_ids"]).astype(object).where(made.notna(), None)
    assert rows["origin"].tolist() == ["own", "own", "generated", "own", "log"]
    assert rows["evidence_language"].tolist() == ["same", "another", "same", "same", None]
    assert rows["evidence_audience"].tolist() == ["everyone", "everyone", "staff", "everyone", None]
    assert rows["evidence_age"].tolist()[:3] == ["superseded among them", "current alone", "current alone"]
    assert rows["evidence_position"].tolist() == ["1", None, "2", "3 or more", None]
    assert rows["evidence_passages"].tolist() == ["1", "1", "1", "2 or more", None]
    assert rows["evidence_place"].tolist() == ["beginning", "end", "middle", "beginning", None]
    assert rows["evidence_length"].tolist() == ["short", "short", "medium", "long", None]
    assert rows["passages_retrieved"].tolist() == ["2", "2", "2", "3", None]


MADE_SO = [
    *(("retrieval_recall", "evidence_position"), ("retrieval_rank", "evidence_passages")),
    *(("language_match", "evidence_language"), ("staff_only_reach_rate", "segment")),
    *(("superseded_cited_rate", "evidence_age"), ("judged_in_every_respect", "origin")),
]
FREE = [
    (metric, factor)
    for metric in ("retrieval_recall", "judged_grounded")
    for factor in ("topic", "evidence_length")
]


@pytest.mark.parametrize(("metric", "factor"), [*MADE_SO, *FREE])
def test_a_difference_by_construction_is_named(metric, factor):
    assert slices.is_by_construction(metric, factor) == ((metric, factor) in MADE_SO)
