"""GroUSE's faithfulness where nobody cites, and its numbers; rules stand in for the models."""

import fake_tools
import pytest
from number_tables import LAYOUTS, MARKDOWN
from word_tools import WordTools

from ragassay.scores import METRICS
from ragassay.scores.prepared_answer import Sample

TOOLS = WordTools()
REFERENCE = "Tea sales were £4,310 thousand in 2023."


def faithful(answer: str, reference: str | None = REFERENCE, passage: str = MARKDOWN) -> float:
    sample = Sample(
        "c1", "s", question="What were tea sales in 2023?", answer=answer, contexts=(passage,),
        reference_answer=reference, answerable=True,
    )  # fmt: skip
    return METRICS["grouse_faithfulness"].measure(sample, TOOLS)[0]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "answer, value",
    [
        ("Tea sales were £4.31 million in 2023.", 1),
        ("Tea sales were £4.31 billion in 2023.", 0),
        ("Tea sales were £4.13 million in 2023.", 0),
        ("Tea sales rose by £390 thousand.", 1),
    ],
)
def test_where_neither_answer_nor_reference_cites_numbers_decide(layout, answer, value):
    assert faithful(answer, passage=LAYOUTS[layout]) == value


CITED = "Tea sales were £4,310 thousand in 2023 [1]."


@pytest.mark.parametrize("reference", [None, CITED])
def test_a_missing_citation_is_a_failure_where_citing_is_asked_for_or_nothing_is_known(reference):
    assert faithful("Tea sales were £4.31 million in 2023.", reference) == 0
    assert faithful("Tea sales were £4.31 million in 2023 [1].", CITED) == 1


def test_an_answer_that_cites_once_must_cite_always():
    assert faithful("Tea sales were £4.31 million in 2023 [1]. They rose by £390 thousand.") == 0


@pytest.mark.parametrize(
    "answer, reference, is_read",
    [
        ("Tea sales were £4,310 thousand in 2023.", REFERENCE, False),  # cites nothing
        ("Tea sales were £4,310 thousand in 2023 [1].", CITED, False),  # as the reference answer does
        ("Tea sales were £4,310 thousand in 2023 [1].", None, True),
    ],
)
def test_the_passages_are_encoded_only_where_a_citation_is_in_doubt(answer, reference, is_read):
    encoded = set[str]()

    def encode(texts):
        encoded.update(texts)
        return fake_tools.encode(texts)

    passages = ("Tea is grown.", "Coffee is roasted.")
    sample = Sample("c1", "s", answer=answer, contexts=passages, reference_answer=reference, answerable=True)
    METRICS["grouse_faithfulness"].measure(sample, fake_tools.FakeTools(encode=encode))
    assert encoded.isdisjoint(passages) != is_read
