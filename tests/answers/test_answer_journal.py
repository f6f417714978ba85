"""What was known when the plan was fixed: by the journal of then and of now."""

import json

import pandas as pd
import pytest

from assistants.in_this_process import ask_all
from ragassay import provenance
from ragassay.answers import asked_so_far, known_before
from ragassay.answers.asking import BEFORE_PLAN, count_before_plan

CASES = pd.DataFrame({"case_id": ["a", "b", "c"], "question": ["a", "b", "c"]})


def _plan_then_ask(folder, known, assistant=str.upper):
    """What the chapter of the plan says, and what the chapter of the decision says."""
    if len(known):
        ask_all(known, str.upper, name="s", run_dir=folder)
    provenance.save(folder, BEFORE_PLAN, asked_so_far(folder, CASES, "plan"))
    at_plan = known_before(folder, CASES["case_id"])
    ask_all(CASES, assistant, name="s", run_dir=folder)
    return at_plan, known_before(folder, CASES["case_id"])


def test_what_was_known_stays_known_when_all_is_asked_again_of_another_version(tmp_path):
    then, now = _plan_then_ask(tmp_path, CASES, assistant=str.lower)
    assert then == now == 3


def test_what_a_plan_knew_is_what_it_knew_when_it_was_first_fixed(tmp_path):
    assert asked_so_far(tmp_path, CASES, "plan") == {}
    ask_all(CASES, str.upper, name="s", run_dir=tmp_path)
    assert asked_so_far(tmp_path, CASES, "plan") == {} and len(asked_so_far(tmp_path, CASES, "other")) == 3


@pytest.mark.parametrize(
    "kept, known", [({"a": "1"}, 1), ({"a": "0"}, 1), ({}, 0), ({"z": "1"}, 0), (None, None), ([], None)]
)
def test_a_case_that_was_asked_again_was_known_all_the_same(kept, known):
    kept = json.dumps(kept).encode()
    assert count_before_plan(["a", "b"], kept, is_log=False) == known


def test_the_answers_of_a_log_were_there_before_any_plan():
    assert count_before_plan(["a"], b"{}", is_log=True) == 1
    assert count_before_plan(["a"], b"{", is_log=False) is None
