"""An open run refuses by name what it does not hold."""

import io

import pandas as pd
import pytest

from ragassay.api.open_run import Run, open_run
from ragassay.errors import TableError


def test_a_table_that_there_is_not_is_named(tmp_path):
    with pytest.raises(TableError, match="no such table"):
        open_run(tmp_path).read("scores.human")


def test_shown_in_a_notebook_it_says_what_it_holds(tmp_path):
    """Each table with all its columns, and no cell of it."""
    run, row = open_run(tmp_path), {"chunk_id": "a#p1", "doc_id": "a", "text": "A secret.", "n_sentences": 1}
    assert "<td>" not in run._repr_html_()
    for part in ("", "<b>x"):
        run.write("chunks", pd.DataFrame([row | {f"further_column_{n}": n for n in range(9)}]), part)
    (shown,) = pd.read_html(io.StringIO(run._repr_html_()), keep_default_na=False)
    assert shown[["table", "part", "rows"]].to_numpy().tolist() == [["chunks", "<b>x", 1], ["chunks", "", 1]]
    assert (
        all("further_column_8" in named for named in shown["columns"]) and "secret" not in run._repr_html_()
    )


def test_evidence_of_a_metric_that_was_not_scored_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(Run, "scores", lambda run: pd.DataFrame({"metric": ["support"]}))
    with pytest.raises(TableError, match="no scores of it"):
        open_run(tmp_path).evidence("suport")
