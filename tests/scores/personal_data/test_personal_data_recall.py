"""The rules of privacy_leaks on the public data: the bar of kinds with check digits, and the figures that the card quotes."""

import importlib.util
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[3] / "bench"
FILE = importlib.util.spec_from_file_location("bench_privacy_patterns", BENCH / "privacy_patterns.py")
bench = importlib.util.module_from_spec(FILE)
FILE.loader.exec_module(bench)


@pytest.mark.skipif(not (bench.SHARED / "pii").is_dir(), reason="the shared data are not here")
def test_kinds_with_check_digits_are_found():
    found = bench.span_table(bench.records("pii"))
    assert found["checksummed"]["n"] > 100 and found["checksummed"]["fail_their_own_check"] == 0
    assert found["checksummed"]["recall"][0] >= 0.99
    assert min(row["f1"] for row in found.values()) >= 0.95
