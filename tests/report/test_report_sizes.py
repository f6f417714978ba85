"""The report keeps within what its readers have time for."""

import json
from pathlib import Path

import report_sizes as sizes

from ragassay import report

STORED = Path(__file__).parents[2] / "bench" / "report_size.json"


def test_the_examples_report_is_within_its_bounds():
    found = json.loads(STORED.read_text())
    assert not [name for name, (low, high) in sizes.BOUNDS.items() if not low <= found[name] <= high]


def test_pages_words_and_figures_are_counted(built, run_dir):
    found = sizes.sizes(report.assemble(run_dir), built["pdf"].read_bytes())
    assert set(sizes.BOUNDS) <= set(found)
    assert found["figures"] == 1 and found["pages"] > 5 and found["pages of annexes"] > 1
    assert 10 < found["words of the summary"] < found["words"]
