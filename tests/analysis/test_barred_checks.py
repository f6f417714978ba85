"""Checks of a metric that failed its examination decide nothing."""

import pandas as pd

from ragassay import provenance
from ragassay.analysis import barred_checks
from ragassay.analysis.barred_verdict_parts import BARRED
from ragassay.analysis.checks import CLEAR, RAISED, UNDECIDED

ROWS = pd.DataFrame(
    {
        "metric": ["supported_claims_rate", "key_figure_stated"],
        "outcome": [CLEAR, RAISED],
        "reason": ["", ""],
        "n": [47, 60],
    }
)


def test_a_barred_metric_decides_nothing_and_says_so(tmp_path):
    """Formerly supported claims were called clear, beside an examination that they failed."""
    assert barred_checks.undecided(ROWS, tmp_path)["outcome"].tolist() == [CLEAR, RAISED], "not yet examined"
    provenance.save(tmp_path, BARRED, {"supported_claims_rate": "tells 62 % of the pairs apart"})
    found = barred_checks.undecided(ROWS, tmp_path)
    assert found["outcome"].tolist() == [UNDECIDED, RAISED]
    assert barred_checks.note(found).startswith("Of supported claims: the metric failed its examination")
    assert barred_checks.note(ROWS) == ""
