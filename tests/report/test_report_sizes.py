"""The report keeps within what its readers have time for."""

import json
from pathlib import Path

from ragassay import report
from ragassay.report import sizes

STORED = Path(__file__).parents[2] / "bench" / "report_size.json"


def test_the_examples_report_is_within_its_bounds():
    assert sizes.beyond(json.loads(STORED.read_text())) == []


def test_pages_words_and_figures_are_counted(built, run_dir):
    found = sizes.sizes(report.assemble(run_dir), built["pdf"].read_bytes())
    assert set(sizes.BOUNDS) <= set(found)
    assert found["figures"] == 1 and found["pages"] > 5 and found["pages of annexes"] > 1
    assert 10 < found["words of the summary"] < found["words"]


def test_what_passes_a_bound_is_named():
    fit = {name: high for name, (_, high) in sizes.BOUNDS.items()}
    assert sizes.beyond(fit) == []
    assert sizes.beyond(fit | {"pages": 26}) == ["pages: 26, from 1 to 25"]
