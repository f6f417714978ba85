"""Drift of questions and topics: what both asked cannot drift, what one alone asked is tested."""

import numpy as np
import pandas as pd
import pytest

from diff.runs import cases, make_run
from ragassay.diff import question_drift, run_facts
from ragassay.diff.runs import open_side, pair_cases


def encode(texts):
    """A vector of its own for each subject: whether the text holds it."""
    return np.array([[float(word in text) for word in ("card", "loan", "fee")] for text in texts]) + 0.01


@pytest.fixture
def drifting(tmp_path, monkeypatch):
    monkeypatch.setattr("ragassay.models.encode", encode)

    def compare(a, b, **tables):
        sides = [open_side(make_run(tmp_path / x, cases=t, **tables), x) for x, t in (("A", a), ("B", b))]
        found = question_drift.question_drift(*sides, pair_cases(*sides), rng=np.random.default_rng(0))
        return [table.set_index(table.columns[0]) for table in found]

    return compare


def asked(subject, n, language, start=0):
    ids = [f"{subject}{language}{number}" for number in range(start, start + n)]
    return cases([f"{subject} {case}?" for case in ids], ids, language=[language] * n)


CHUNKS = pd.DataFrame({"chunk_id": ["x", "y"], "text": ["the card", "the loan"], "topic": ["T01", "T02"]})


def test_the_same_questions_cannot_drift(drifting):
    table = asked("card", 30, "en")
    columns, levels = drifting(table, table)
    assert columns["p"].isna().all() and set(columns["reason"]) == {question_drift.ALL_SHARED}
    assert levels["share_a"].tolist() == levels["share_b"].tolist() == [1.0]


def test_other_questions_of_one_kind_do_not_differ(drifting):
    columns, _ = drifting(asked("card", 40, "en"), asked("card", 40, "en", 40), chunks__strata=CHUNKS)
    assert columns.loc["language", "p"] == 1.0 and columns.loc["topic", "p"] == 1.0
    assert (columns.loc["language", "tested_a"], columns.loc["language", "tested_b"]) == (40, 40)


def test_another_language_topic_and_wording_are_seen(drifting):
    columns, levels = drifting(asked("card", 40, "en"), asked("loan", 40, "es"), chunks__strata=CHUNKS)
    for name in ("language", "topic", "wording"):
        assert columns.loc[name, "q"] < 0.01
    assert columns.loc["topic", "distance"] == 1.0
    assert levels.loc["topic"].set_index("level").loc["T02", ["share_a", "share_b"]].tolist() == [0.0, 1.0]


def test_topics_are_those_of_b_so_that_other_numbers_are_no_drift(drifting):
    a = asked("card", 30, "en").assign(topic="T07")
    b = asked("card", 30, "en", 30).assign(topic="T01")
    columns, levels = drifting(a, b, chunks__strata=CHUNKS)
    assert columns.loc["topic", "distance"] == 0.0
    assert levels.loc[["topic"], "level"].tolist() == ["T01"]


def test_without_topics_there_is_no_row_of_them(drifting):
    columns, _ = drifting(asked("card", 10, "en"), asked("card", 10, "en", 10))
    assert "topic" not in columns.index


def test_questions_added_to_those_of_before_are_held_against_them(drifting):
    before = asked("card", 40, "en")
    columns, levels = drifting(before, pd.concat([before, asked("loan", 20, "es")]))
    assert (columns.loc["language", "tested_a"], columns.loc["language", "tested_b"]) == (40, 20)
    assert columns.loc["language", "p"] < 0.01
    spanish = levels.loc["language"].set_index("level").loc["es"]
    assert (spanish.n_a, spanish.n_b, spanish.share_b) == (0, 20, pytest.approx(1 / 3))


def test_a_missing_value_is_a_level_of_its_own(drifting):
    b = asked("card", 20, "en", 20).assign(language=None)
    _, levels = drifting(asked("card", 20, "en"), b)
    assert set(levels.loc["language", "level"]) == {"en", question_drift.NOT_GIVEN}


def test_documents_by_their_hashes(tmp_path):
    one = pd.DataFrame({"doc_id": ["same", "changed", "gone"], "sha256": ["1", "2", "3"]})
    other = pd.DataFrame({"doc_id": ["same", "changed", "new"], "sha256": ["1", "9", "4"]})
    sides = [open_side(make_run(tmp_path / x, documents=t), x) for x, t in (("A", one), ("B", other))]
    assert run_facts.document_changes(*sides).to_numpy().tolist() == [
        ["changed", "changed"],
        ["gone", "only in A"],
        ["new", "only in B"],
    ]
