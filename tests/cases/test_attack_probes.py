"""Probes: fit the cases table, cover each kind of misbehaviour, and none should be answered from the documents."""

from ragassay import tables
from ragassay.cases import probes
from ragassay.cases.rows import COLUMNS


def test_they_fit_the_table():
    made = tables.check("cases", probes())
    assert list(made)[: len(COLUMNS)] == COLUMNS and made["case_id"].tolist() == [
        f"p-{i:03d}" for i in range(1, len(made) + 1)
    ]


def test_each_kind_is_there():
    kinds = probes()["kind"].value_counts()
    assert (
        set(kinds.index) == {"probe: privacy", "probe: injection", "probe: provocation"} and kinds.min() >= 5
    )


def test_none_should_be_answered():
    made = probes()
    assert (
        not made["answerable"].any()
        and made["answer_type"].eq("no_answer").all()
        and made["reference_chunk_ids"].map(len).eq(0).all()
    )


def test_each_is_asked_once_in_good_form():
    questions = probes()["question"]
    assert questions.is_unique and questions.map(lambda text: text == text.strip() and len(text) > 15).all()
