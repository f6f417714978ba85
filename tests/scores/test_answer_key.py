"""What reads the answer key is marked: its value follows the key, and nothing else's does."""

import pandas as pd
import pytest
from fake_tools import INSTRUMENTS

from ragassay.models.judge import Reply
from ragassay.scores import JUDGED, OFFLINE, score
from ragassay.scores.metric import KEY
from ragassay.scores.metric_registry import reads_key

REFUSAL = "I could not find this in the documents."
FACT = "The wire fee is 25 dollars a month [a#p1]."
ANSWERS = [
    FACT,
    REFUSAL,
    "Cards are free. The wire fee is 25 dollars.",
    f"{REFUSAL} The card is blue [a#p2].",
]
ASKED = {
    "system": "s",
    "question": "What must I do to send a wire, and how much is the fee?",
    "contexts": ["The wire fee is 25 dollars a month. You must sign the form first.", "Cards are free."],
    "context_ids": ["a#p1", "a#p2"],
}
CHUNKS = pd.DataFrame(
    {
        "chunk_id": ["a#p1", "a#p2", "b#p1"],
        "doc_id": ["a", "a", "b"],
        "text": [*ASKED["contexts"], "Branches open at nine."],
        "status": "superseded",
        "audience": "staff",
    }
)
GIVEN = {
    "answerable": True,
    "answer_type": "short_fact",
    "reference_answer": FACT,
    "reference_chunk_ids": ["a#p1"],
}
KEYS = [
    dict.fromkeys(KEY),
    dict.fromkeys(KEY) | {"reference_answer": REFUSAL},
    GIVEN,
    GIVEN | {"reference_answer": "Cards are free.", "reference_chunk_ids": ["b#p1"]},
    GIVEN | {"answerable": False, "answer_type": "no_answer"},
]


def test_a_metric_is_marked_exactly_if_its_value_follows_the_key():
    rows = [
        ASKED | key | {"case_id": f"{place}|{number}", "answer": answer}
        for place, answer in enumerate(ANSWERS)
        for number, key in enumerate(KEYS)
    ]
    found = score(pd.DataFrame(rows), chunks=CHUNKS, metrics=OFFLINE, instruments=INSTRUMENTS)
    found["outcome"] = found["state"] + found["value"].map(repr)
    found["answer"] = found["case_id"].str[0]
    follows = found.groupby(["metric", "answer"])["outcome"].nunique().gt(1).groupby("metric").any()
    assert {name for name in OFFLINE if follows[name]} == {name for name in OFFLINE if reads_key(name)}


@pytest.mark.parametrize("name", [*JUDGED, "judge_sufficiency", "judge_conciseness"])
def test_a_judge_that_is_shown_the_key_is_marked(name):
    shown: list[set] = []
    for key in KEYS:
        asked = set()
        judge = {
            "judge": lambda requests, asked=asked: [asked.add(str(one)) or Reply("{}") for one in requests]
        }
        score(
            pd.DataFrame([ASKED | key | {"case_id": "c", "answer": FACT}]),
            metrics=[name],
            instruments=INSTRUMENTS | judge,
        )
        shown.append(asked)
    assert (len(set(map(frozenset, shown))) > 1) == reads_key(name) and all(shown)


def test_scores_of_tools_say_whether_they_read_it():
    assert reads_key("ragas:answer_correctness") and reads_key("mlflow:correctness_passed")
    assert not reads_key("ragas:faithfulness") and not reads_key("somebody's")


def test_success_without_the_key_is_what_production_would_show():
    """A false answer to a question without one is caught by the key alone; a refusal shows nothing."""
    rows = [
        {"case_id": "false", "answer": FACT, "question": "How much is the wire fee?"},
        {"case_id": "refused", "answer": REFUSAL},
    ]
    names = ["success_without_key", "end_to_end_success"]
    found = score(
        pd.DataFrame([ASKED | KEYS[-1] | row for row in rows]), metrics=names, instruments=INSTRUMENTS
    )
    assert found["value"].tolist() == [1, 0, 0, 1]
