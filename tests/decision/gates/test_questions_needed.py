"""How many questions a gate needs: the number named passes, ten fewer do not."""

import pytest

from ragassay.decision.gates import questions_needed
from ragassay.decision.gates.questions_needed import CHANCE, Tolerance, questions_if_half, tolerance
from ragassay.defaults import POWER
from ragassay.stats import clopper_pearson


def row(value, bound="low", threshold=0.8, metric="retrieval_recall", **columns):
    return {"metric": metric, "value": value, "bound": bound, "threshold": threshold} | columns


@pytest.mark.parametrize("one", [row(0.84), row(0.95), row(0.01, "high", 0.02, "privacy_leak_rate")])
def test_the_number_named_passes_with_the_chance_promised(one, rng):
    """Formerly 84 % of so many questions passed just so, and a system at 84 % with a chance of one half."""
    needed = questions_needed.questions_to_pass(one)
    is_low, share = one["bound"] == "low", one["value"]
    found = [clopper_pearson(int(k), needed) for k in rng.binomial(needed, share, 4000)]
    passed = [each.low >= 0.8 if is_low else each.high <= 0.02 for each in found]
    assert needed % 10 == 0 and sum(passed) / 4000 > POWER - 0.03


@pytest.mark.parametrize(
    "one",
    [row(0.7), row(0.8), row(0.8001), row(float("nan")), row(3.0, threshold=2.0, metric="grouse_relevancy")],
)
def test_none_where_more_questions_are_not_to_be_asked_for(one):
    assert questions_needed.questions_to_pass(one) == 0


@pytest.mark.parametrize("most", [0.05, 0.1, 0.2, 0.4])
def test_so_many_questions_show_it_of_a_system_twice_as_good(most, rng):
    n = questions_if_half(most)
    passed = [clopper_pearson(int(bad), n).high <= most for bad in rng.binomial(n, most / 2, 2000)]
    assert sum(passed) / 2000 == pytest.approx(CHANCE, abs=0.05)
    assert questions_if_half(0.0) == 0 == questions_if_half(1.0)
    assert questions_if_half(most, 0.99) > n, "a stricter interval takes more"


@pytest.mark.parametrize("limit", ["10 %", "0.1"])  # as told today, and in registers of earlier releases
def test_what_a_check_tolerates_is_read_from_its_criterion(limit):
    rule = f"raised where the lower bound is above {limit}; clear where the upper bound is at most {limit}"
    assert tolerance(rule) == Tolerance(0.1)


def test_a_retest_of_a_loss_asks_as_many_as_can_exclude_it():
    """Formerly as many as were tried: too few to be clear even where nothing is lost."""
    wide = {"n": 59, "value": 0.0, "low": -0.12, "high": 0.12}
    asked = questions_needed.retest_of_loss(wide, 0.1)
    assert asked == 180 and 0.12 * (59 / asked) ** 0.5 < 0.1
    assert questions_needed.retest_of_loss(wide | {"low": -0.01, "high": 0.01}, 0.1) == 59
    assert questions_needed.retest_of_loss(wide | {"low": float("nan"), "high": float("nan")}, 0.1) == 59
