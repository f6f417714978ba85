"""Where a pilot rests on marks of documents, marking each is a condition before any use."""

import json

import pandas as pd
import pytest

from ragassay.report import crosswalk_mark_facts
from ragassay.report.crosswalk_criteria import CONDITION, LIMIT
from ragassay.report.crosswalk_criteria import tests as criteria_of
from ragassay.report.run_folder import Run

OLD = "check:access|superseded documents: ordinary answers|superseded_cited_rate"
OTHER = "check:misuse|all families|misuse_answered_rate"


def a_run(folder, use="pilot", status="open", source=OLD, also=()):
    (folder / "tables").mkdir()
    (folder / "decision.json").write_text(json.dumps({"recommendation": use}), encoding="utf-8")
    row = {"finding_id": "F1", "status": status, "source": source, "also": [*also]}
    pd.DataFrame([row]).to_parquet(folder / "tables/findings.parquet")
    return Run(folder)


@pytest.mark.parametrize(
    "given, rests",
    [
        ({}, True),
        ({"source": OTHER, "also": [OLD]}, True),
        ({"source": OTHER}, False),
        ({"use": "none"}, False),
        ({"status": "closed"}, False),
    ],
)
def test_a_mark_on_each_document_is_a_condition_where_a_pilot_rests_on_it(tmp_path, given, rests):
    """Formerly a limit alone: a document without a mark counted as open to all, in the pilot's controls too."""
    run = a_run(tmp_path, **given)
    assert crosswalk_mark_facts.pilot_rests_on_marks(run) == rests
    [bound] = [test.of(run) for test in criteria_of("documents")]
    assert (bound.becomes, bound.before) == ((CONDITION, "any use") if rests else (LIMIT, ""))
    assert not bound.holds(run) and "in force" in bound.criterion


def test_a_run_without_findings_rests_on_nothing(tmp_path):
    assert not crosswalk_mark_facts.pilot_rests_on_marks(Run(tmp_path))
