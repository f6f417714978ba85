"""The chance that one candidate meets all that closes the findings."""

import numpy as np
import pandas as pd
import pytest

from ragassay.decision.closing import closure_chance


def proofs(*why: str) -> pd.DataFrame:
    return pd.DataFrame({"why": list(why)}, dtype=object)


def test_twenty_tests_of_four_fifths_are_hardly_ever_passed_together():
    least, product = closure_chance.chances(20)
    assert least == 0 and product == pytest.approx(0.0115, abs=0.0001)


@pytest.mark.parametrize("shared", [0.0, 0.5, 1.0])
def test_the_least_holds_whatever_the_dependence(shared):
    rng = np.random.default_rng(0)
    common, own = rng.random((20_000, 1)), rng.random((20_000, 3))
    drawn = np.where(rng.random((20_000, 3)) < shared, common, own)
    met = (drawn < 0.8).all(axis=1).mean()
    least, product = closure_chance.chances(3)
    assert least == pytest.approx(0.4) and least < met <= 0.82
    assert met == pytest.approx(product, abs=0.015) or shared


def test_the_note_counts_planned_rows_and_limits_candidates():
    """Formerly only the chance of a single row was printed, and nothing limited the attempts."""
    told = closure_chance.in_words(proofs("plan, for a system at 5 %", "bound: 5.0 %", "plan, for a slice"))
    assert "2 rows are planned" in told and "about 64.0 %" in told and "at least 60.0 %" in told
    assert "At most 2 candidates" in told and "new questions" in told and "with 5 % at most" in told
    alone = closure_chance.in_words(proofs("bound: 5.0 %"))
    assert "Jointly" not in alone and "At most 2 candidates" in alone
    assert closure_chance.in_words(proofs()) == ""
