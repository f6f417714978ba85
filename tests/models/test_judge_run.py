"""A whole judged run against a server that misbehaves: every row accounted for, resumable, nothing paid twice."""

import pandas as pd
import pytest
from misbehaving_server import MisbehavingServer, altered, body, breaks_off, good, hangs, says, status
from rule_judge import reply

from ragassay.models import judge_messages as messages
from ragassay.models.judge import Judge
from ragassay.scores import score
from ragassay.scores.metric_registry import JUDGED

NONE = "No document answers."
ANSWERS = [
    "The answer is 9 euros [d#p1].",
    NONE,
    f"{NONE} The branch is in Port Alder [d#p1].",
    "It is 10 euros.",
]
MISDEEDS = [
    *(status(429, Retry_After=0.01), status(500), hangs(3.0), breaks_off, body(b'{"choices": [{"mess')),
    altered(lambda text: text[: len(text) // 2]),
    altered(lambda text: f"Sure! Here is the JSON:\n{text}\nHope it helps."),
    says(None),
    says(5),
    altered(lambda text: text.replace("5", "6").replace("1", "true")),
]


def table(n: int) -> pd.DataFrame:
    found = pd.DataFrame(
        [row(case_id=f"c{i}", question=f"What is the fee of account {i}?") for i in range(n)]
    )
    found["answer"] = [f"{ANSWERS[i % 4]} {'' if i % 4 == 1 else i}".strip() for i in range(n)]
    found["contexts"] = [["The answer is 9 euros." if i % 3 else "Cards are blue."] for i in range(n)]
    return found


def row(**changes) -> dict:
    read = {"contexts": ["The answer is 9 euros."], "context_ids": ["d#p1"]}
    return {"system": "s", "question": "What is the fee?", "answer": "10 euros [d#p1]."} | read | changes


def judge_of(server, folder, **settings) -> Judge:
    ours = {"journal": folder / "judge.sqlite", "wait_s": 0.001, "timeout_s": 10.0, "retries": 3}
    return Judge(server.url, "rule", **(ours | settings))


def chaos(prompt: str, nth: int):
    """A prompt's first two requests meet misdeeds of its own, every third prompt the first one for ever; the rest is good."""
    place = sum(map(ord, prompt))
    if place % 3 == 0:
        return status(500)
    return MISDEEDS[(place + nth) % len(MISDEEDS)] if nth < 2 else good


@pytest.mark.slow
def test_every_row_is_accounted_for_and_nothing_is_paid_twice(tmp_path):
    answers = pd.concat([table(24), pd.DataFrame([row(case_id="empty", answer="")])], ignore_index=True)
    with MisbehavingServer(reply, chaos) as server:
        patient = judge_of(server, tmp_path, patience=10**6, timeout_s=1.0)
        first = score(answers, metrics=JUDGED, instruments={"judge": patient})
        broken = first[first["state"] == "error"]
        server.script = lambda prompt, nth: good
        judge = judge_of(server, tmp_path)
        second = score(answers, metrics=JUDGED, instruments={"judge": judge})
        third = score(answers, metrics=JUDGED, instruments={"judge": judge})
    assert len(first) == len(answers) * len(JUDGED)
    assert set(first["state"]) == {"scored", "not_applicable", "error"}
    assert (first["value"].notna() == (first["state"] == "scored")).all()
    kinds = broken["reason"].str.extract(f"^({messages.UNANSWERED}|{messages.UNPARSED}): .")[0].value_counts()
    assert kinds.sum() == len(broken) and (kinds > 10).all() and len(kinds) == 2
    assert max(server.whole.values()) == 1, "nothing paid twice"
    assert not second["reason"].str.startswith(messages.UNANSWERED).any(), "what failed was asked again"
    pd.testing.assert_frame_equal(second, third)
    fine = first["state"] != "error"
    pd.testing.assert_frame_equal(second[fine], first[fine])
