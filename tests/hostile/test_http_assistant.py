"""Three replies in ten fail, the run is resumed: every case is answered exactly once or marked with its reason."""

import pytest

from assistants.loopback import Loopback
from assistants.random_faults import RandomFaults
from hostile.http_assistant import THESE, ask, flaws, good


@pytest.mark.slow
def test_every_case_is_answered_once_or_marked(tmp_path):
    """The short one, not killed: what failed is asked again, what was answered is not."""
    assistant = RandomFaults(good, THESE, seed=1)
    with Loopback(assistant) as server:
        first = ask(server.url, tmp_path, 24, 2.0)
        assert flaws(first, tmp_path) == [] and 0 < (first.error == "").sum() < 24
        assistant.share = 0.0
        whole = ask(server.url, tmp_path, 24, 2.0)
    assert (whole.error == "").all() and flaws(whole, tmp_path) == []
    assert set(assistant.answered.values()) == {1}
