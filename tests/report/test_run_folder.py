"""What a run folder states, read leniently."""

import pandas as pd
import pytest

from ragassay.report.run_folder import Run


@pytest.mark.parametrize(
    "days, printed",
    [
        (["2026-11-21", None], "2026-11-21 (stated as 2026-09-01, before the last label)"),
        (["2026-08-30", "2026-09-01T10:00"], "2026-09-01"),
        (["yesterday", "9999"], "2026-09-01"),
        (None, "2026-09-01"),
    ],
)
def test_the_date_of_the_report_does_not_precede_its_last_label(tmp_path, days, printed):
    (tmp_path / "engagement.json").write_text('{"date": "2026-09-01"}')
    (tmp_path / "tables").mkdir()
    if days is not None:
        pd.DataFrame({"labelled_at": days}).to_parquet(tmp_path / "tables/labels.parquet")
    assert Run(tmp_path).stated("date") == printed
