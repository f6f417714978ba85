"""Profiles: readable by a bank, pointing at things that exist, and honest about what is not there."""

import csv
import shutil

import pandas as pd
import pytest

from ragassay import report, tables
from ragassay.report import crosswalk
from ragassay.report.sources import Run
from ragassay.scope import PROFILES

KEYS = {*crosswalk.SHORT, *crosswalk.MADE_OF, "D", "E"}


def test_every_profile_that_can_be_asked_for_is_shipped():
    assert set(crosswalk.names()) == set(PROFILES)


@pytest.mark.parametrize("name", crosswalk.names())
def test_profiles_are_complete_and_point_at_real_sections(name):
    rows = crosswalk.read(crosswalk.PROFILES / f"{name}.csv")
    assert len(rows) >= 10 and len({row["clause"] for row in rows}) == len(rows)
    assert all(row["regime"] and row["clause"] and row["summary"] for row in rows)
    assert {key for row in rows for key in row["sections"].split()} <= KEYS


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


def test_a_bank_decides_what_is_out_of_scope(run_dir, tmp_path):
    copy = shutil.copytree(run_dir, tmp_path / "run")
    rows = crosswalk.read(crosswalk.PROFILES / "sr-26-2-by-analogy.csv")
    rows[0]["decision"] = "the Model Risk Committee"
    (copy / "profiles").mkdir()
    with (copy / "profiles" / "sr-26-2-by-analogy.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    annex = next(chapter for chapter in report.assemble(copy).chapters if chapter.number == "A")
    assert annex.blocks[-1].rows[0][-1][0].text == "out of scope by decision of the Model Risk Committee"


def test_an_unknown_profile_is_a_gap_and_no_path(run_dir):
    run = Run(run_dir)
    run.engagement["profile"] = "../../../../etc/passwd"
    assert "There is no profile" in str(crosswalk.annex(run, []).blocks)
