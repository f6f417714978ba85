"""GroUSE's 16 test types on three banking topics in our own words: how many cells come right with the real models, by metric and by type.

A cell is one criterion of one answer; it is right if the value is the expected one, lies below 5 where less than 5 is expected, or is null
where null is. RELEVANT, ANSWERS and COVERED were set on TUNED; HELD_OUT was scored only afterwards, and changed none of them; of refusals no topic
is held out. All topics were written by one hand: the figures guard against getting worse, and compare with nothing published. Positive acceptance and
negative rejection are expected by the definitions of section 4.1, the rest as in table 6.
"""

import json
from pathlib import Path

import pandas as pd
import pytest
from fake_tools import INSTRUMENTS
from number_tables import LAYOUTS, MARKDOWN
from word_tools import WordTools

from ragassay.scores import METRICS, score
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.text_reading.answer_state import read

TUNED, HELD_OUT = ("lost card", "mortgage repaid early"), "transfer abroad"
CRITERIA = {
    "answer_relevancy": "grouse_answer_relevancy",
    "completeness": "grouse_completeness",
    "usefulness": "grouse_usefulness",
    "faithfulness": "grouse_faithfulness",
    "positive_acceptance": "positive_acceptance",
    "negative_rejection": "negative_rejection",
}
SUITE = [
    json.loads(line)
    for line in (Path(__file__).parent / "grouse_suite.jsonl").read_text(encoding="utf-8").splitlines()
]


def right(state: str, value: float, expected: str | None) -> bool:
    """Whether a cell is as expected; an error is never right."""
    if expected is None or state != "scored":
        return expected is None and state == "not_applicable"
    return value < float(expected[1:]) if expected.startswith("<") else value == float(expected)


@pytest.mark.parametrize(
    ("answer", "passage"),
    [
        ("The branch is open on Sundays [1].", "The branch is no longer open on Sundays."),
        ("The fee is not refundable [1].", "The fee is refundable within thirty days."),
        ("Die Gebühr wird erstattet [1].", "Die Gebühr wird nicht erstattet."),
    ],
)
def test_a_negation_lost_or_added_is_unfaithful(answer, passage):
    for said, value in ((answer, 0.0), (f"{passage.removesuffix('.')} [1].", 1.0)):
        sample = Sample("c", "s", answer=said, question="What holds?", contexts=(passage,))
        assert METRICS["grouse_faithfulness"].measure(sample, WordTools())[0] == value


ANSWERS = {  # responds, adds -> an answer that does
    (True, False): "The wire fee is 25 dollars [1].",
    (False, False): "I could not find this in the documents.",
    (False, True): "I could not find this in the documents. The card fee is 3 dollars [2].",
}
DEFINED = {  # figure 2 and table 6: which criteria exist for (answerable, responds)
    (True, True): {
        "grouse_answer_relevancy",
        "grouse_completeness",
        "grouse_faithfulness",
        "positive_acceptance",
    },
    (True, False): {"grouse_completeness", "positive_acceptance"},
    (False, True): {"grouse_answer_relevancy", "grouse_faithfulness", "negative_rejection"},
    (False, False): {"negative_rejection"},
}


@pytest.mark.parametrize("answerable", [True, False])
@pytest.mark.parametrize("responds, adds", ANSWERS)
def test_each_criterion_exists_where_figure_2_says(answerable, responds, adds):
    row = {"case_id": "c", "system": "s", "question": "What is the wire fee?", "answerable": answerable}
    row |= {
        "answer": ANSWERS[responds, adds],
        "contexts": ["The wire fee is 25 dollars.", "The card fee is 3 dollars."],
    }
    found = score(pd.DataFrame([row]), metrics=list(CRITERIA.values()), instruments=INSTRUMENTS).set_index(
        "metric"
    )
    expected = DEFINED[answerable, responds] | (
        {"grouse_usefulness", "grouse_faithfulness"} if adds else set()
    )
    assert set(found.index[found.state == "scored"]) == expected
    assert set(found.index[found.state == "not_applicable"]) == set(CRITERIA.values()) - expected
    decided = found.value["positive_acceptance" if answerable else "negative_rejection"]
    assert decided == float(responds == answerable)
    if answerable and not responds:
        assert found.value["grouse_completeness"] == 1


@pytest.mark.slow
def test_most_types_come_right_whole():
    """All six cells at once, on the held-out topic with the label: 14 of 16, less the slack of faithfulness."""
    rows = [row for row in SUITE if row["topic"] == HELD_OUT]
    answers = pd.DataFrame(rows).drop(columns="expected").assign(case_id=range(len(rows)), system="s")
    scores = score(answers, metrics=list(CRITERIA.values())).set_index(["case_id", "metric"])
    whole = [
        all(
            right(*scores.loc[(place, metric), ["state", "value"]], row["expected"][criterion])
            for criterion, metric in CRITERIA.items()
        )
        for place, row in enumerate(rows)
    ]
    assert sum(whole) >= 13


def test_every_refusal_of_the_suite_is_recognised_and_no_response_is_taken_for_one():
    """Refusals are the types of which usefulness is asked or that are a bare refusal: 2, 3, 5, 7 and 11 to 13."""
    assert {(row["topic"], row["type"]) for row in SUITE if read(row["answer"]).refuses} == {
        (topic, kind) for topic in (*TUNED, HELD_OUT) for kind in (2, 3, 5, 7, 11, 12, 13)
    }


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
