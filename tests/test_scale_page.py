"""The page on scale says what bench/scale.json holds, and nothing of sizes that were not measured."""

import copy
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
FOUND = json.loads((ROOT / "bench" / "scale.json").read_text(encoding="utf-8"))


@pytest.fixture
def page(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "bench"), *sys.path])
    import scale_page

    return scale_page


def test_it_is_as_the_bench_writes_it(page):
    """If not: python bench/scale_page.py."""
    assert page.renewed(PAGE, FOUND) == PAGE and page.renewed(page.renewed(PAGE, FOUND), FOUND) == PAGE


def test_speed_counts_every_process(page):
    local = [{"start": 1.0, "scoring": 9.0}, {"start": 1.0, "scoring": 9.0}]
    ray = {
        **{"start": 2.0, "scoring": 3.0, "rays_own": {"start": 7.0, "scoring": 1.0}},
        "workers": [{"start": 1.0, "scoring": 8.0}, {"start": 2.0, "scoring": 8.0}],
    }
    one = {"local": local, "ray": ray}
    assert page.speed(one, page.SCORING) == 18 / 20 and page.speed(one) == 20 / 32


def test_a_target_counts_as_met_only_where_it_was_measured(page):
    """At least 0.9 of the local speed of a core, at 100,000 answers, starts told apart."""
    few, many = copy.deepcopy(FOUND["rules"]), copy.deepcopy(FOUND["rules"])
    few["answers"], many["answers"] = 99_999, 100_000
    for one in (few, many):
        one["ray"] = one["ray"] | {
            "workers": [],
            "start": 3.0,
            "scoring": page.used(one["local"], page.SCORING),
        }
        one["ray"]["rays_own"] = {"start": 1e6, "scoring": 0.0}
    assert "is unmeasured" in page.target({"rules": few})
    assert "met by rules without starts (1.00), missed by rules with starts (0.00)" in page.target(
        {"rules": many}
    )
