"""The short form of the fault campaign: a few questions, thirty in a hundred failing, three kills, another version in the middle."""

import pytest

from hostile import faults


@pytest.mark.slow
def test_every_answer_is_of_the_version_reported(tmp_path):
    figures = faults.campaign(tmp_path / "engagement", n=24, seed=3)
    assert figures["version"] == "v2" and figures["failed"] > 5 and figures["kills"] >= 1
