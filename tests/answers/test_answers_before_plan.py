"""What was known when the plan was fixed: by the journal of then and of now."""

import json

import pandas as pd
import pytest

from ragassay import provenance
from ragassay.answers import ask_all, asked_so_far, known_before
from ragassay.answers.answers_before_plan import FILE, count_before_plan

CASES = pd.DataFrame({"case_id": ["a", "b", "c"], "question": ["a", "b", "c"]})


def _plan_then_ask(folder, known, assistant=str.upper):
    """What the chapter of the plan says, and what the chapter of the decision says."""
    if len(known):
        ask_all(known, str.upper, name="s", run_dir=folder)
    provenance.save(folder, FILE, asked_so_far(folder, CASES))
    at_plan = known_before(folder, CASES["case_id"])
    ask_all(CASES, assistant, name="s", run_dir=folder)
    return at_plan, known_before(folder, CASES["case_id"])


@pytest.mark.parametrize("n", [0, 2])
def test_answers_of_an_earlier_run_were_known_and_new_ones_were_not(tmp_path, n):
    then, now = _plan_then_ask(tmp_path, CASES.head(n))
    assert then.known == now.known == n and now.is_first == (n == 0)


def test_what_was_known_stays_known_when_all_is_asked_again_of_another_version(tmp_path):
    then, now = _plan_then_ask(tmp_path, CASES, assistant=str.lower)
    assert then.known == now.known == 3


@pytest.mark.parametrize(
    "kept, known", [({"a": "1"}, 1), ({"a": "0"}, 1), ({}, 0), ({"z": "1"}, 0), (None, None), ([], None)]
)
def test_a_case_that_was_asked_again_was_known_all_the_same(kept, known):
    kept = json.dumps(kept).encode()
    assert count_before_plan(["a", "b"], kept, is_log=False).known == known


def test_the_answers_of_a_log_were_there_before_any_plan():
    assert count_before_plan(["a"], b"{}", is_log=True).known == 1
    assert count_before_plan(["a"], b"{", is_log=False).known is None
