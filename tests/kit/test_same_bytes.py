"""When nothing changed, the same bytes; the manifest holds; nothing over the network. What was killed is compared in test_in_use.py, with what
was not."""

import json

import pytest

from kit.conftest import files, run
from ragassay.run import notebooks
from ragassay.run.verification import verify

pytestmark = pytest.mark.slow


def test_an_unchanged_run_executes_nothing(killed):
    before = files(killed / "reports/small")
    done = run(killed, killed / "cache")
    assert done.stderr.count("unchanged (skipped)") == len(notebooks())
    assert files(killed / "reports/small") == before


def test_the_manifest_holds(killed, monkeypatch):
    monkeypatch.chdir("/")
    verdict = verify(killed / "reports" / "small")
    assert (verdict.flaws, verdict.notes) == ([], []) and len(verdict.unchecked) == 2


def test_nothing_was_tried_over_the_network(killed):
    content = json.loads((killed / "reports/small/manifest.json").read_text())
    assert content["network"]["attempts"] == [] and content["network"]["policy"].startswith("sealed")
