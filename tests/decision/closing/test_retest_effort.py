"""What the retest of a release asks in all, by hand."""

import json

import pandas as pd

from decision.registered import finding
from ragassay.decision.closing import retest_effort
from ragassay.decision.closing.criteria import Criterion

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
    told = retest_effort.in_words(both, 4)
    assert "at least 990 new questions" in told and "66 hours a rater (4 minutes each" in told
    assert told.endswith("78 trials that a machine judges, where one serves several rows fewer.")
    assert retest_effort.in_words(both.tail(1), 4) == ""
