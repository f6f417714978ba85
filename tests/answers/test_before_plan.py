"""What was known when the plan was fixed: by the journal of then and of now."""

import json

import pandas as pd
import pytest

from ragassay import evidence
from ragassay.answers import BEFORE_PLAN, ask_all, asked_so_far, known_before
from ragassay.answers.before_plan import counted

CASES = pd.DataFrame({"case_id": ["a", "b", "c"], "question": ["a", "b", "c"]})


def test_answers_of_an_earlier_run_were_known_and_new_ones_were_not(tmp_path):
    ask_all(CASES.head(2), str.upper, name="s", run_dir=tmp_path)
    evidence.save(tmp_path, BEFORE_PLAN, asked_so_far(tmp_path))
    ask_all(CASES, str.upper, name="s", run_dir=tmp_path)
    said = str(known_before(tmp_path, CASES["case_id"]))
    assert said == "fixed before the new answers, 1 of 3; 2 answers of an earlier run were known"


def test_a_first_run_has_a_plan_before_its_answers(tmp_path):
    evidence.save(tmp_path, BEFORE_PLAN, asked_so_far(tmp_path))
    ask_all(CASES, str.upper, name="s", run_dir=tmp_path)
    assert str(known_before(tmp_path, CASES["case_id"])) == "fixed before any of the 3 answers"


@pytest.mark.parametrize(
    "kept, known", [({"a": "1"}, 1), ({"a": "0"}, 0), ({}, 0), ({"z": "1"}, 0), (None, None), ([], None)]
)
def test_a_case_that_was_asked_again_has_a_new_answer(kept, known):
    found = counted(["a", "b"], {"a": "1"}, json.dumps(kept).encode(), is_log=False)
    assert (found.planned, found.known) == (2, known)


def test_the_answers_of_a_log_were_there_before_any_plan():
    assert (
        str(counted(["a"], {}, b"{}", is_log=True))
        == "fixed when the answers were there: all 1 are those of a log"
    )
    assert "not on record" in str(counted(["a"], {}, b"{", is_log=False))
    assert "every answer was known" in str(counted(["a"], {"a": "1"}, b'{"a": "1"}', is_log=False))
