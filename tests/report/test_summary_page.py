"""The summary's main findings: every Critical and High one, and at least five lines."""

from types import SimpleNamespace

import pandas as pd
import pytest

from ragassay.report import summary


@pytest.mark.parametrize(
    "grave, rest, shown, note",
    [(8, 4, 8, "… and 4 more"), (2, 6, 5, "… and 3 more"), (2, 1, 3, ""), (9, 0, 9, "")],
)
def test_every_critical_and_high_finding_stands_in_the_summary(grave, rest, shown, note):
    rows = [
        {"severity": severity, "finding_id": f"F{i}", "title": "t", "owner": "o", "due": "2027-01-31"}
        for i, severity in enumerate(["Critical", *["High"] * (grave - 1), *["Medium"] * rest], 1)
    ]
    table = summary._top_findings(SimpleNamespace(table=lambda name: pd.DataFrame(rows)))
    assert len(table.rows) == shown and bool(table.note) == bool(note) and table.note.startswith(note)
