"""GroUSE's faithfulness where nobody cites, and its numbers; rules stand in for the models."""

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
