"""Changed passages: what the key figure tells of an answer; a sound assistant raises nothing, and each fault is
found by its own check."""

import pandas as pd
import pytest

from analysis import stressed_assistants as made
from assistants.in_this_process import ask_all
from ragassay import tables
from ragassay.analysis import robustness
from ragassay.analysis.robustness import changed_passages
from ragassay.cases import adversarial_cases
from ragassay.cases.passage_changes import DISTRACTORS, DROPPED, MISLEADING

KEY = {"system": "s", "repeat": 0, "error": "", "contexts": [], "context_ids": [], "question": "q"}
MOST = 0.25
N = 16


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """What a sound assistant answers before anything is changed."""
    return ask_all(made.CASES, made.sound, name="s", run_dir=tmp_path_factory.mktemp("base"))


@pytest.fixture
def checked(base, tmp_path):
    """The checks of an assistant, by what was changed."""

    def check(assistant, seed=0, n=N):
        variants = adversarial_cases(made.CASES, base, made.CHUNKS, n=n, seed=seed)
        given = ask_all(variants, assistant, name="s", run_dir=tmp_path, journal="adversarial")
        scored = robustness.measure_changes(given, variants)
        tables.write(tmp_path, "scores", scored, part="adversarial")
        tables.write(tmp_path, "scorecard", robustness.summarize_changes(scored, variants, made.CASES))
        return robustness.passage_checks(scored, most=MOST)

    return check


FAULTS = {
    "passages_changed": made.takes_the_first,
    "misled": made.believes_anything,
    "evidence_removed": made.always_answers,
}


@pytest.mark.parametrize("seed", range(3))
def test_a_sound_assistant_is_clear_of_everything(checked, seed):
    assert checked(made.sound, seed=seed)["outcome"].tolist() == ["clear"] * 3


@pytest.mark.parametrize(("raised", "assistant"), FAULTS.items())
def test_each_fault_is_found_by_the_check_that_is_meant_to_and_by_no_other(checked, assistant, raised):
    found = checked(assistant)
    assert found.loc[found["outcome"] == "raised", "check"].tolist() == [raised]


def test_answers_from_passages_that_were_taken_away_are_not_measured(checked):
    row = checked(made.ignores_the_hook).set_index("check").loc["evidence_removed"]
    assert (row.outcome, row.reason) == ("not applicable", changed_passages.OTHER_PASSAGES)


@pytest.mark.parametrize(
    ("kind", "answer", "measured"),
    [
        (DISTRACTORS, "six dollars", {"states_key_figure": 1}),
        (DISTRACTORS, "It costs nothing.", {"states_key_figure": 0}),
        (MISLEADING, "nine dollars [a#p6]", {"follows_misleading_passage": 1}),
        (MISLEADING, "Not $9 but $6.00.", {"follows_misleading_passage": 0}),
        (DROPPED, "It costs nothing.", {"answers_without_evidence": 1}),
        (DROPPED, made.DECLINES, {"answers_without_evidence": 0}),
    ],
)
def test_by_hand(kind, answer, measured):
    known = {"fact": "6.00", "false_fact": "9", "stated": True, "passages": None}
    answers = pd.DataFrame([KEY | {"case_id": "a", "answer": answer}])
    rows = robustness.measure_changes(answers, pd.DataFrame([{"case_id": "a", "kind": kind} | known]))
    assert dict(rows[["metric", "value"]].values) == measured
