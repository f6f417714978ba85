"""Bad input: long, broken and hostile answers get a state and a reason and do not touch their neighbours."""

import time

import pandas as pd
import pytest
from fake_encoder import FakeEncoder
from fake_tools import INSTRUMENTS

from ragassay.scores import DEFAULT, METRICS, score

STATES = {"scored", "not_applicable", "not_measured", "error"}


def checked(rows: list[dict]) -> pd.DataFrame:
    found = score(pd.DataFrame(rows, dtype=object), metrics=DEFAULT, instruments=INSTRUMENTS, batch=3)
    assert found.case_id.tolist() == [row["case_id"] for row in rows for _ in DEFAULT]
    assert found.metric.tolist() == list(DEFAULT) * len(rows)
    assert set(found.state) <= STATES
    assert (found.value.notna() == (found.state == "scored")).all()
    assert ((found.reason != "") == (found.state != "scored")).all()
    for name, group in found[found.state == "scored"].groupby("metric"):
        assert group.value.between(METRICS[name].low - 1e-6, METRICS[name].high + 1e-6).all(), (
            name,
            group.value.tolist(),
        )
    return found


MEGABYTE = 1_000_000
LONG_TEXTS = ("word ", "x", "9", ".", "\n", "a.", "👋")


@pytest.mark.slow
@pytest.mark.parametrize("run", LONG_TEXTS, ids=ascii)
def test_an_answer_of_a_megabyte_is_an_error_with_a_reason(run):
    row = {"case_id": "a", "system": "s", "question": "What is the fee?", "latency_s": 1.0}
    row |= {"contexts": ["The fee is due."], "reference_answer": "A fee."}
    times = []
    for size in (1, MEGABYTE // 4, MEGABYTE):
        found = checked([row | {"answer": (run * size)[:size]}])
        times.append(time.process_time())
    assert (
        times[2] - times[1] < 8 * (times[1] - times[0]) + 1
    )  # it grows with the length, not with its square
    of_answer = found[["answer" in METRICS[name].needs for name in found.metric]]
    assert set(of_answer.state) <= {"error", "not_measured"}
    reasons = set(of_answer.reason[of_answer.state == "error"])
    assert reasons == {"answer too long to be scored: 1,000,000 characters, at most 50,000"}


def test_a_broken_answer_does_not_touch_its_neighbours():
    good = {
        "case_id": "g",
        "system": "s",
        "question": "What is due?",
        "answer": "The fee is due. [1]",
        "contexts": ["The fee is due in May."],
        "reference_answer": "The fee.",
    }
    alone = checked([good])
    among = checked(
        [
            {"case_id": "x", "system": "s", "answer": "\x00", "contexts": "none"},
            good,
            {"case_id": "y", "system": "s"},
        ]
    )
    plain = [name for name in DEFAULT if not METRICS[name].derived]
    kept = among[(among.case_id == "g") & among.metric.isin(plain)].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, alone[alone.metric.isin(plain)].reset_index(drop=True))


FEE = {"case_id": "c1", "system": "s", "question": "What is the fee?", "answer": "The fee is $5 [a#p1]."}
CASE = {"case_id": "c1", "answerable": True, "reference_chunk_ids": ["a#p1", "c#p3"], "language": "en"}
NASTY = [
    "",
    "\x00",
    "👋 Yes 👋",
    "[a#p1][b#p2]",
    "<script>alert(1)</script>",
    "a" * 50_000,
    "[" * 5_000,
    "\n" * 5_000,
]


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("place", ["answer", "question", "contexts"])
def test_nasty_texts_in_every_place(text, place):
    answer = {
        **FEE,
        "context_ids": ["a#p1"],
        "contexts": ["The fee."],
        place: [text] if place == "contexts" else text,
    }
    table = score(pd.DataFrame([answer], dtype=object), pd.DataFrame([CASE]), encode=FakeEncoder())
    assert len(table) == len(DEFAULT) and not (table["state"] == "error").any(), table[
        table["state"] == "error"
    ]
