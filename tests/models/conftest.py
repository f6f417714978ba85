"""What the tests of the models share."""

import json

import pytest


@pytest.fixture
def usage(tmp_path, monkeypatch):
    """usage(instrument): what the trace says was asked of it so far, in this test."""
    trace = tmp_path / "trace.jsonl"
    monkeypatch.setenv("RAGASSAY_TRACE", str(trace))

    def total(instrument: str) -> dict[str, int]:
        lines = trace.read_text().splitlines() if trace.exists() else []
        events = [one for one in map(json.loads, lines) if one.get("instrument") == instrument]
        return {name: sum(one[name] for one in events) for name in ("seen", "unique", "encoded", "cached")}

    return total
