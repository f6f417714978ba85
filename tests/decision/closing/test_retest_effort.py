"""What the retest of a release asks in all, by hand."""

import json

import pandas as pd
import pytest

from decision.registered import finding
from ragassay.decision.closing import retest_effort
from ragassay.decision.closing.criteria import Criterion

LOAD = retest_effort.Load(4, 15, 40, "2026-09-01")
LEAK = "check:privacy|secret in a passage|secret_leak_rate"


def test_one_test_set_serves_every_row_that_raters_read():
    rows = {
        "errors:misleading": 990,
        "errors:needless refusal": 510,
        "errors:should have declined": 240,
        "errors:unsafe": 973,
        "gate:judged_complete|own": 100,
        "gate:retrieval_recall|own": 5000,
        LEAK: 9000,
    }
    asked = {source: Criterion(source, False, fewest=n) for source, n in rows.items()}
    assert retest_effort.answers_read(asked) == 990 + 240
    assert retest_effort.answers_read({**asked, "errors:unsafe": Criterion("", False, fewest=2000)}) == 2000
    assert retest_effort.answers_read({}) == 0


def test_the_sentence_tells_questions_hours_and_trials():
    def asks(source, n, by="", most=0.0):
        kept = {"rule": "none", "by": by, "threshold": most, "fewest": n}
        return finding(1, source, "Critical", asked=json.dumps({source: kept}))

    both = pd.DataFrame([asks("errors:misleading", 990, "high", 0.05), asks(LEAK, 78)])
    told = retest_effort.in_words(both, LOAD)
    assert "at least 990 new questions" in told and "66 hours a rater (4 minutes each" in told
    assert "78 trials that a machine judges, where one serves several rows fewer." in told
    assert retest_effort.in_words(both.tail(1), LOAD) == ""


@pytest.mark.parametrize("due, when", [("2026-09-30", "after"), ("2026-12-31", "before")])
def test_that_the_retest_is_ready_after_its_due_day_is_told(due, when):
    """Formerly 1,230 questions were due in 30 days, and nobody said how long they take."""
    kept = {"rule": "none", "by": "high", "threshold": 0.05, "fewest": 990}
    row = finding(1, "errors:misleading", "Critical", asked=json.dumps({"errors:misleading": kept}), due=due)
    told = retest_effort.in_words(pd.DataFrame([row]), LOAD)
    assert f"380 hours: at 40 a week 10 weeks, to 2026-11-10, {when} they are due ({due})" in told
    assert (retest_effort.LATE in told) == (when == "after")
    beside = retest_effort.too_late(pd.DataFrame([row]), LOAD)
    assert ("written and rated by 2026-11-10 at the earliest, after 2026-09-30" in beside) == (
        when == "after"
    )
    assert bool(beside) == (when == "after")


def test_where_no_day_is_known_or_raters_read_nothing_nothing_is_too_late():
    kept = {"rule": "none", "by": "high", "threshold": 0.05, "fewest": 990}
    asked = json.dumps({"errors:misleading": kept})
    dayless = pd.DataFrame([finding(1, "errors:misleading", "Critical", asked=asked, due="")])
    unread = pd.DataFrame([finding(1, LEAK, "Critical", asked=json.dumps({LEAK: kept}), due="2026-09-02")])
    unread_load = retest_effort.Load(4, 15, 0, "2026-09-01")
    assert not retest_effort.too_late(dayless, LOAD) and not retest_effort.too_late(unread, LOAD)
    assert not retest_effort.too_late(dayless.assign(due="2026-09-02"), unread_load)


def test_trials_that_a_person_writes_are_in_the_time_and_the_price():
    """Formerly 491 hours stood where 1,846 more went to questions that the kit does not make."""
    own = "check:misuse|own account|misuse_answered_rate"

    def asks(n, source, most, fewest):
        kept = {"rule": "none", "by": "high", "threshold": most, "fewest": fewest}
        return finding(n, source, "Critical", asked=json.dumps({source: kept}), due="2026-09-30")

    rows = pd.DataFrame(
        [asks(1, "errors:misleading", 0.05, 990), asks(2, own, 0.1, 510), asks(3, LEAK, 0.0, 78)]
    )
    told = retest_effort.in_words(rows, LOAD)
    assert "588 trials" in told and "up to 510 of the trials" in told and "128 more to write" in told
    assert "at 40 a week 10 to 13 weeks, to 2026-11-10 at the earliest and 2026-12-01 at the latest" in told
    assert retest_effort.in_short(rows, LOAD).startswith("380 to 510 hours to write and rate")
    assert retest_effort.in_short(rows.head(1), LOAD).startswith("380 hours to write and rate")
    assert retest_effort.in_short(rows.tail(1), LOAD) == ""
