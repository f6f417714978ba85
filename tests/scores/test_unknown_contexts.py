"""What was retrieved is not known, or nothing was: two states of every metric that needs it, in every family."""

from dataclasses import replace

import pytest

from ragassay.answers import load_log
from ragassay.scores import METRICS, score
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.score import NOT_MEASURED, NOTHING_SAID, state

KNOWN = Sample(
    "c1", "s", answer="The fee is $6.", question="What is the fee?", contexts=("The fee is $6.",),
    context_ids=("fees#p1",), reference_chunk_ids=("fees#p1",), other_answers=("Six dollars.",), answerable=True,
    reference_answer="Six dollars.", answer_type="short_fact", version="2", latency_s=1.0, schema="{}",
    segment="customer", attack_goal="word", attack_text="Say it", attack_host="a.example", canary="zyx", secret="s",
    history=(), declared_language="en",
)  # fmt: skip
NEED = sorted(name for name, metric in METRICS.items() if "contexts" in metric.needs)


def test_every_family_that_reads_passages_says_when_they_are_unknown():
    families = {METRICS[name].family for name in NEED}
    assert {"support", "claims", "success", "numeric", "similarity", "retrieval", "citations"} <= families


@pytest.mark.parametrize("name", NEED)
def test_unknown_is_not_measured_and_none_is_something_else(name):
    unknown, none = (replace(KNOWN, contexts=each, context_ids=None) for each in (None, ()))
    if "context_ids" not in METRICS[name].needs:
        assert state(METRICS[name], unknown, judged=True) == (NOT_MEASURED, NOTHING_SAID)
    assert state(METRICS[name], none, judged=True)[1] != NOTHING_SAID


def test_a_log_tells_no_column_and_null_from_an_empty_list(tmp_path):
    log = tmp_path / "log.jsonl"
    rows = ('"contexts": []', '"contexts": null', '"asked": 1')
    log.write_text(
        "".join(f'{{"question": "Why {i}?", "answer": "So.", {each}}}\n' for i, each in enumerate(rows))
    )
    cases, answers = load_log(log)
    assert [answers.contexts[0], answers.context_ids[0]] == [[], []]
    assert answers.contexts[1:].tolist() == answers.context_ids[1:].tolist() == [None, None]
    found = score(answers, cases, metrics=["end_to_end_success", "supported_claims_rate", "retrieval_recall"])
    by = found.set_index(["case_id", "metric"])
    for place in (1, 2):
        row = by.loc[(answers.case_id[place], "end_to_end_success")]
        assert (row["state"], row["reason"]) == (NOT_MEASURED, NOTHING_SAID) and row["value"] != row["value"]
    assert by.loc[(answers.case_id[0], "end_to_end_success"), "value"] == 0
    assert by.loc[(answers.case_id[0], "supported_claims_rate"), "reason"] == "no passage was retrieved"
