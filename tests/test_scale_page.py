"""The page on scale says what bench/scale.json holds, and nothing of sizes that were not measured."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
FOUND = json.loads((ROOT / "bench" / "scale.json").read_text(encoding="utf-8"))


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "bench"), *sys.path])
    import scale

    return scale


def test_its_tables_are_those_of_the_bench(bench):
    rows = [*bench.measured_rows(FOUND), *bench.cost_rows(FOUND)]
    assert [line for line in PAGE.splitlines() if line.startswith(("| rules", "| encoder"))] == rows
    assert f"at {bench.PRICE:g} an hour" in PAGE


def test_what_a_start_takes():
    most = max(seconds for one in FOUND.values() for seconds in one["ray"]["workers_start_cpu"])
    assert f"{most:.1f} seconds of a core are left out" in " ".join(PAGE.split())


def test_a_target_counts_as_met_only_where_it_was_measured():
    """At least 0.9 of the local speed of a core, at 100,000 answers."""
    is_measured = max(one["answers"] for one in FOUND.values()) >= 100_000
    assert is_measured != ("is unmeasured" in " ".join(PAGE.split()))
