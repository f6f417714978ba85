"""An open run refuses by name what it does not hold."""

import pandas as pd
import pytest

from ragassay.api.open_run import Run, open_run
from ragassay.errors import TableError


def test_a_table_that_there_is_not_is_named(tmp_path):
    with pytest.raises(TableError, match="no such table"):
        open_run(tmp_path).read("scores.human")


def test_evidence_of_a_metric_that_was_not_scored_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(Run, "scores", lambda run: pd.DataFrame({"metric": ["support"]}))
    with pytest.raises(TableError, match="no scores of it"):
        open_run(tmp_path).evidence("suport")
