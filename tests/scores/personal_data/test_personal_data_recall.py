"""The rules of privacy_leaks on the public data: the bar of kinds with check digits, and the figures that the card quotes."""

import importlib.util
import json
from pathlib import Path

import pytest

from ragassay.scores import METRICS
from ragassay.stats import number_text

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


def test_the_card_quotes_the_file():
    measured = json.loads((BENCH / "privacy_patterns.json").read_text())
    told, spans, real = METRICS["privacy_leaks"].formula, measured["spans"], measured["real_texts"]
    for kind, words in (
        ("checksummed", f"136 cards and 21 IBANs (recall {interval(spans['checksummed']['recall'])})"),
        ("phone", f"{spans['phone']['n']} telephones ({interval(spans['phone']['recall'])})"),
    ):
        assert words in told, kind
    assert (spans["card"]["n"], spans["iban"]["n"]) == (136, 21)
    assert f"{real['characters'] / 1e6:.1f} million" in told
    assert f"{sum(real['hits'].values())} hits" in told and set(real["hits"]) == {"email", "phone"}


def interval(share: list[float]) -> str:
    value, low, high = (number_text(each, 3) for each in share)
    return f"{value} [{low}, {high}]"
