"""Numeric groundedness: by hand, the mean and the lowest spelled out, its laws, its refusals, its evidence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from number_tables import LAYOUTS, MARKDOWN
from word_tools import WordTools

from ragassay.scores import METRICS
from ragassay.scores.metric import NotApplicable
from ragassay.scores.numbers.number_tracing import trace
from ragassay.scores.prepared_answer import Sample

TOOLS = WordTools()
SAID = [
    "Tea sales were £4.31 million in 2023.",
    "Coffee sales were £1.48 million in 2023.",
    "Tea sales rose by £390 thousand.",
    "Fern employs 77 people.",
]


def measured(name: str, answer: str, contexts=(MARKDOWN,), **more):
    sample = Sample("c1", "s", answer=answer, contexts=contexts, context_ids=("fern#p1",), **more)
    return METRICS[name].measure(sample, TOOLS)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_by_hand(layout):
    """Stated word for word; of the year before (0.25 of the item's agreement); one step away; nowhere."""
    values = [measured("numeric_groundedness", said, (LAYOUTS[layout],))[0] for said in SAID]
    assert values == pytest.approx([1.0, 0.25, 0.75, 0.0], abs=1e-6)


def test_the_mean_and_the_lowest_are_those_of_the_traces():
    scores = [one.score for said in SAID for one in trace(said, (MARKDOWN,))]
    answer = " ".join(SAID)
    assert measured("numeric_groundedness", answer)[0] == pytest.approx(np.mean(scores))
    assert measured("numeric_groundedness_min", answer)[0] == min(scores)


def test_the_evidence_says_which_number_and_where_it_stands_or_how_it_follows():
    detail = measured("numeric_groundedness", " ".join(SAID))[1]
    assert [(one["text"], one["verdict"]) for one in detail] == [
        ("77", "not found"),
        ("1.48 million", "stated for another period"),
        ("390 thousand", "derivable"),
        ("4.31 million", "stated"),
    ]
    assert detail[2]["derivation"] == "4,310 - 3,920 = 390,000"
    assert (detail[3]["found"], detail[3]["row"], detail[3]["column"], detail[3]["evidence_id"]) == (
        "4,310", "Tea sales", "2023", "fern#p1",
    )  # fmt: skip


@given(st.lists(st.sampled_from(SAID), min_size=1, max_size=5))
def test_between_0_and_1_and_the_lowest_is_no_more_than_the_mean(said):
    mean, lowest = (measured(f"numeric_groundedness{end}", " ".join(said))[0] for end in ("", "_min"))
    assert 0 <= lowest <= mean <= 1


@pytest.mark.parametrize(
    "answer", ["No number.", "It was in 2023, on 12 March 2024.", "For 77 cups it is free."]
)
def test_refuses_an_answer_without_numbers_of_its_own(answer):
    with pytest.raises(NotApplicable, match="no number"):
        measured("numeric_groundedness", answer, question="What do 77 cups cost?")
