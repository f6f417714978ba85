"""Three replies in ten fail, the run is resumed: every case is answered exactly once or marked with its reason."""

import pytest

from assistants.loopback import Loopback
from hostile.http_assistant import Faulty, ask, flaws


@pytest.mark.slow
def test_every_case_is_answered_once_or_marked(tmp_path):
    """The short one, not killed: what failed is asked again, what was answered is not."""
    told = Faulty(seed=1)
    with Loopback(told) as server:
        first = ask(server.url, tmp_path, 24, 2.0)
        assert flaws(first, tmp_path) == [] and 0 < (first.error == "").sum() < 24
        told.share = 0.0
        whole = ask(server.url, tmp_path, 24, 2.0)
    assert (whole.error == "").all() and flaws(whole, tmp_path) == []
    assert set(told.answered.values()) == {1}
