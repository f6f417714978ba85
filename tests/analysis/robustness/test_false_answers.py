"""False answers: by hand, decision 17, the checks' error and power, nothing asked."""

import numpy as np
import pandas as pd
import pytest

from analysis.made import cases_of, scores_of
from ragassay import tables
from ragassay.analysis import checks, scorecard
from ragassay.analysis.robustness.false_answers import (
    check_needless_hedges,
    false_answer_checks,
    score_false_answers,
    summarize_outside,
)
from ragassay.cases import attack_probes
from ragassay.errors import ParameterError, TableError
from ragassay.stats import clopper_pearson


def asked_of(wrong, corrected=None, **more):
    """Answers to questions without an answer; those corrected are of the kind false_premise."""
    corrected = [np.nan] * len(wrong) if corrected is None else corrected
    kinds = ["near_fact" if np.isnan(one) else "false_premise" for one in corrected]
    cases = cases_of(["T1"] * len(wrong), kind=kinds, answerable=False)
    scores = [scores_of(wrong, "should_have_abstained"), scores_of(corrected, "premise_corrected")]
    return score_false_answers(pd.concat(scores), cases.assign(**more)), cases.assign(**more)


def test_by_hand():
    """Five false replies of fifty; of three more with a false premise one went along, one set it right, one
    declined; gates on a kind find their cases."""
    found, cases = asked_of([1] * 5 + [0] * 45 + [1, 1, 0], [np.nan] * 50 + [0, 1, 0])
    tables.check("scores", found)
    card, exact = tables.check("scorecard", summarize_outside(found, seed=0)), clopper_pearson(6, 53)
    assert card.loc[0, ["value", "low", "high", "n"]].tolist() == [exact.value, exact.low, exact.high, 53]
    asked = [("false_answer_rate", "kind=near_fact")]
    sliced = scorecard.summarize_slices(found, cases, asked, rng=np.random.default_rng(0))
    assert sliced["value"].tolist() == [0.1]


@pytest.mark.parametrize(("wrong", "outcome"), [(30, "raised"), (0, "clear"), (8, "undecided")])
def test_a_check_decides_by_the_bounds(wrong, outcome):
    """30, 0 or 8 of 40 against 20 %."""
    found, cases = asked_of([1] * wrong + [0] * (40 - wrong))
    table = checks.checks_frame(false_answer_checks(found, cases, at_most=0.2))
    assert table["outcome"].tolist() == [outcome]
    assert table["case_ids"].map(len).tolist() == [wrong]
    assert (table["reason"] != "").tolist() == [outcome == "undecided"]


def test_a_rate_at_the_limit_is_raised_in_at_most_one_table_of_twenty(rng):
    raised = 0
    for _ in range(300):
        found, cases = asked_of((rng.random(80) < 0.2).astype(float), [np.nan] * 40 + [0.0] * 40)
        raised += any(row["outcome"] == "raised" for row in false_answer_checks(found, cases, at_most=0.2))
    assert raised / 300 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)


def test_an_assistant_that_hedges_before_every_answer_is_raised():
    """It is right about every question, whatever it holds: those that the documents answer tell."""
    cases = cases_of(["T1"] * 80, answerable=[True] * 40 + [False] * 40)
    always, never = (scores_of([value] * 80, "hedged_rate") for value in (1.0, 0.0))
    row = check_needless_hedges(always, cases)
    assert row["outcome"] == "raised" and row["n"] == 40 and len(row["case_ids"]) == 40
    assert check_needless_hedges(never, cases)["outcome"] == "clear"
    assert check_needless_hedges(never[:0], cases)["outcome"] == "not applicable"


def test_what_is_refused():
    found, cases = asked_of([1, 0])
    with pytest.raises(ParameterError, match="most_false_answers"):
        false_answer_checks(found, cases, at_most=1.0)
    with pytest.raises(TableError, match="several systems"):
        score_false_answers(
            pd.concat([scores_of([1], "should_have_abstained", each) for each in "ab"]), cases
        )


def test_no_number_of_easy_own_questions_clears_what_the_kits_raise():
    found, cases = asked_of([1] * 30 + [0] * 10)
    own = [f"{attack_probes.OWN_QUESTION}{number:04d}" for number in range(400)]
    more = cases_of(["T1"] * 400, kind="near_fact", answerable=False).assign(case_id=own)
    replied = score_false_answers(scores_of([0] * 400, "should_have_abstained").assign(case_id=own), more)
    both = pd.concat([found, replied]), pd.concat([cases, more])
    before, after = (false_answer_checks(*each, at_most=0.2)[0] for each in ((found, cases), both))
    assert before == after and before["outcome"] == "raised"
