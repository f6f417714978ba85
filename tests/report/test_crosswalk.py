"""Profiles: readable by a bank, pointing at things that exist, and honest about what is not there."""

import json
import shutil

import pandas as pd
import pytest

from ragassay import profiles, report, tables
from ragassay.report import crosswalk
from ragassay.report.run_folder import Run


def test_a_profile_may_name_just_what_a_report_has():
    assert set(profiles.SECTIONS) == {*crosswalk.SHORT, *crosswalk.MADE_OF, "D", "E"}


@pytest.mark.parametrize(
    "sections, expected",
    [
        ("functionality", "evidenced"),
        ("functionality weakness", "partly"),
        ("weakness robustness", "not evidenced"),
        ("", "not evidenced"),
        ("gates D", "evidenced"),
        ("sign-off", "evidenced"),
        ("control independence", "partly"),
        ("challenge", "not evidenced"),
    ],
)
def test_status_by_hand(run_dir, sections, expected):
    assert crosswalk.status(Run(run_dir), {"sections": sections, "decision": ""}) == expected


@pytest.mark.parametrize("rows, expected", [(0, "not evidenced"), (1, "evidenced"), (None, "not evidenced")])
def test_a_challenger_counts_only_where_one_was_compared(run_dir, tmp_path, rows, expected):
    copy = shutil.copytree(run_dir, tmp_path / "run")
    if rows is not None:
        row = {
            "metric": "support",
            "challenger": "other",
            "n": 9,
            "difference": 0.1,
            "low": 0.0,
            "high": 0.2,
            "q": 0.5,
            "outcome": "not told apart",
        }
        tables.write(copy, "challengers", pd.DataFrame([row]).head(rows))
    run = Run(copy)
    assert crosswalk.status(run, {"sections": "challengers", "decision": ""}) == expected and not [
        gap for gap in run.gaps if "challengers" in gap
    ]


def test_a_bank_names_its_own_profile_and_decides_what_is_out_of_scope(run_dir, tmp_path):
    copy = shutil.copytree(run_dir, tmp_path / "run")
    rows = profiles.read("sr-26-2-by-analogy")
    rows[0] |= {"decision": "the Model Risk Committee", "regime": "Our policy <b>7</b>"}
    record = json.loads((copy / "engagement.json").read_text())
    (copy / "engagement.json").write_text(
        json.dumps(record | {"profile": "policies/own.csv", "crosswalk": rows})
    )
    annex = next(chapter for chapter in report.assemble(copy).chapters if chapter.number == "A")
    assert "Profile policies/own.csv: the engagement's own file." in str(annex.blocks[0])
    assert annex.blocks[-1].rows[0][-1][0].text == "out of scope by decision of the Model Risk Committee"
    assert "Our policy" in annex.blocks[-1].caption


def test_an_unknown_profile_is_a_gap_and_no_path(run_dir):
    run = Run(run_dir)
    run.engagement["profile"] = "../../../../etc/passwd"
    assert "There is no profile" in str(crosswalk.annex(run, []).blocks)
