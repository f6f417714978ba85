"""What closes a weak slice: its own bound or its bounded shortfall, on as many questions as a fit one needs."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from decision.judged_gates import judge
from ragassay.analysis import group_differences
from ragassay.decision.closing import closure_requirements, criteria
from ragassay.decision.closing import slice_criteria as asked
from ragassay.decision.findings import finding_texts
from ragassay.stats import clopper_pearson

ROW = {
    **{"metric": "retrieval_recall", "dimension": "language", "level": "es", "n": 33, "flagged": True},
    **{"mean": 0.65, "low": 0.47, "high": 0.8, "rest": 0.9, "difference": -0.25, "q": 0.04},
    **{"difference_low": -0.43, "difference_high": -0.1, "margin": 0.1},
}
GATES = judge({"retrieval_recall": "low >= 0.8"}, {"retrieval_recall": {"own": (84, 100)}})
NO_GATES = GATES.head(0)


def test_with_a_gate_the_slice_reaches_its_threshold_else_its_shortfall_is_bounded():
    assert asked.asked_of_slice(ROW, GATES) == ("low", 0.8, 120)
    by, margin, fewest = asked.asked_of_slice(ROW, NO_GATES)
    assert (by, margin) == (asked.SHORTFALL, 0.1) and fewest == asked.questions_for_margin(ROW, 0.1) > 33
    assert asked.asked_of_slice({**ROW, "n": 5000}, GATES).fewest == 5000, "fewer than then are no proof"


def test_the_strictest_gate_counts_and_one_of_the_slice_before_those_of_all_cases():
    two = pd.concat([GATES, GATES.assign(threshold=0.9), GATES.assign(metric="other", threshold=0.99)])
    assert asked.asked_of_slice(ROW, two).threshold == 0.9
    own = pd.concat([two, GATES.assign(slice="language=es", threshold=0.7)])
    assert asked.asked_of_slice(ROW, own).threshold == 0.7
    lower = GATES.assign(metric="answerable_declined", bound="high", threshold=0.1)
    assert asked.asked_of_slice({**ROW, "metric": "answerable_declined"}, lower)[:2] == ("high", 0.1)


@pytest.mark.parametrize(
    "change, is_met",
    [
        ({"n": 30, "flagged": False, "low": 0.5, "high": 0.95}, False),  # not significant at a small n
        ({"n": 400, "flagged": False, "low": 0.79}, False),
        ({"n": 400, "flagged": True, "low": 0.85}, False),
        ({"n": 119, "flagged": False, "low": 0.85}, False),
        ({"n": 120, "flagged": False, "low": 0.85}, True),
        ({"n": 120, "flagged": False, "low": float("nan")}, False),
    ],
)
def test_absence_of_significance_closes_no_slice(change, is_met):
    """Formerly 30 cases without a significant difference closed it."""
    [then] = criteria.of_slices(pd.DataFrame([ROW]), GATES)
    [now] = criteria.of_slices(pd.DataFrame([{**ROW, **change}]), GATES)
    assert (then.unmet(now) == "") == is_met


@pytest.mark.parametrize("low, n, is_met", [(-0.09, 400, True), (-0.11, 400, False), (-0.09, 40, False)])
def test_without_a_gate_the_shortfall_is_bounded(low, n, is_met):
    [then] = criteria.of_slices(pd.DataFrame([ROW]), NO_GATES)
    now = {**ROW, "n": n, "flagged": False, "difference_low": low}
    [found] = criteria.of_slices(pd.DataFrame([now]), NO_GATES)
    assert (then.unmet(found) == "") == is_met
    assert then.unmet(criteria.of_slices(pd.DataFrame([now]), GATES)[0]) == then.unmet(found), "of then"


def test_of_a_measure_that_is_better_when_lower_the_other_end_is_its_shortfall():
    assert asked.shortfall(ROW) == 0.43
    assert asked.shortfall({**ROW, "metric": "answerable_declined", "difference_high": 0.2}) == 0.2
    assert "above the rest" in asked.in_words("answerable_declined", asked.SHORTFALL, 0.1)
    assert np.isnan(asked.shortfall({"metric": "retrieval_recall"}))


@pytest.mark.parametrize("rest", [0.6, 0.8, 0.95])
def test_a_slice_as_good_as_the_rest_passes_on_the_number_planned_in_four_of_five(rest):
    """Exact for both counts, by the wider of the intervals in use (Clopper-Pearson; Zou and Donner)."""
    n = asked.questions_for_margin({**ROW, "rest": rest}, 0.1)
    counts = np.arange(n + 1)
    of = [clopper_pearson(k, n) for k in counts]
    chance = binom.pmf(counts, n, rest)
    near = np.flatnonzero(chance > 1e-5)
    passed = sum(
        chance[k] * chance[m]
        for k in near
        for m in near
        if group_differences.difference_of_means(of[k], of[m]).low > -0.1
    )
    assert 0.78 <= passed <= 0.9


def test_what_has_no_spread_has_no_plan_and_asks_as_many_as_then():
    bare = {"metric": "retrieval_recall", "dimension": "d", "level": "l", "n": 12}
    assert asked.questions_for_margin(bare, 0.1) == 0
    assert asked.asked_of_slice(bare, None) == (asked.SHORTFALL, 0.1, asked.LEAST)


def test_report_register_and_diff_say_the_same_rule_and_number():
    gates = {"gate": GATES, "no gate": NO_GATES}
    for table in gates.values():
        [found] = criteria.of_slices(pd.DataFrame([ROW]), table)
        draft = finding_texts.weakness_finding(ROW, table, None, None)
        held = {
            "source": draft["source"],
            "also": [],
            "asked": criteria.criteria_as_json({found.source: found}, [found.source]),
        }
        row = {**held, "finding_id": "F1", "status": "open", "title": "", "strata": ["Spanish"]}
        [told] = closure_requirements.proofs(pd.DataFrame([row])).to_dict("records")
        words = asked.in_words("retrieval_recall", found.by, found.threshold)
        assert told["passes_if"] == words and told["fewest"] == found.fewest
        assert f"It closes with {words}." in draft["criterion"], "its number stands in the table alone"
