"""The rating, by rule: a table of truth, and laws."""

import pandas as pd
import pytest

from decision.judged_gates import judge
from ragassay.decision import rating

FIT, CONDITIONS, NOT_FIT, NOT_ASSESSABLE = "Fit for use", "Fit with conditions", "Not fit", "Not assessable"
GATES = {"judged_grounded": "low >= 0.8", "retrieval_recall": "low >= 0.8"}
GOOD, BAD, FEW = (99, 100), (10, 100), (5, 5)


def open_(*severities: str, status: str = "open") -> pd.DataFrame:
    rows = [(f"F{n}", severity, status) for n, severity in enumerate(severities, 1)]
    return pd.DataFrame(rows, columns=["finding_id", "severity", "status"])


def judged(grounded=GOOD, recall=GOOD) -> pd.DataFrame:
    return judge(GATES, {"judged_grounded": {"own": grounded}, "retrieval_recall": {"own": recall}})


@pytest.mark.parametrize(
    "gates, findings, coverage, expected, code",
    [
        (judged(), open_(), {}, FIT, 0),
        (judged(), open_("Medium", "Low"), {}, FIT, 0),
        (judged(), open_("High"), {}, CONDITIONS, 2),
        (judged(), open_("High", status="closed"), {}, FIT, 0),
        (judged(), open_("Critical"), {}, NOT_FIT, 2),
        (judged(), open_("Critical", status="waived: A: why; until 2027-01-01"), {}, FIT, 0),
        (judged(grounded=BAD), open_(), {}, NOT_FIT, 2),
        (judged(recall=BAD), open_(), {}, CONDITIONS, 2),
        (judged(recall=FEW), open_(), {}, CONDITIONS, 3),
        (judged(), open_(), {"topics": (0.7, 0.9)}, CONDITIONS, 3),
        (judged(), open_(), {"topics": (float("nan"), 0.9)}, CONDITIONS, 3),
        (judge({"retrieval_recall": "low >= 0.8"}, {"retrieval_recall": {"own": GOOD}}), open_(), {}, NOT_ASSESSABLE, 3),
        (judge(GATES, {"retrieval_recall": {"own": GOOD}}), open_(), {}, NOT_ASSESSABLE, 3),
        (judge({}, {}), open_(), {}, NOT_ASSESSABLE, 3),
        (judge(GATES, {"retrieval_recall": {"own": GOOD}}), open_("Critical"), {}, NOT_FIT, 2),
    ],
)  # fmt: skip
def test_table_of_truth(gates, findings, coverage, expected, code):
    found = rating.rate(gates, findings, coverage=coverage)
    assert (found["rating"], found["exit_code"]) == (expected, code)
    assert bool(found["reasons"]) == (expected != FIT)


def test_reasons_name_what_decides_the_gravest_first():
    found = rating.rate(judged(grounded=BAD, recall=BAD), open_("Critical", "High"))
    assert found["reasons"] == [
        ["critical gate failed", "judged_grounded"],
        ["Critical finding open", "F1"],
        ["gate failed", "retrieval_recall"],
        ["High finding open", "F2"],
    ]
