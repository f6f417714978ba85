"""How a threshold is chosen: by hand, the criterion spelled out, every set alike, the set left out unseen."""

import numpy as np

import thresholds
from threshold_pairs import Item


def items(positive, negative):
    return [Item(f"p{i}", 1, one) for i, one in enumerate(positive)] + [
        Item(f"n{i}", 0, one) for i, one in enumerate(negative)
    ]


EASY = {"a": items([0.8, 0.9], [0.1, 0.3]), "b": items([0.7, 0.9], [0.2, 0.5])}


def test_rates_by_hand():
    found, alarms = thresholds.rates(EASY, np.array([0.1, 0.5, 0.8, 0.95]))
    assert found.tolist() == [1, 1, 0.75, 0] and alarms.tolist() == [1, 0.25, 0, 0]


def test_few_alarms_is_the_least_that_keeps_the_bound():
    sets = {"a": items([0.9], np.linspace(0.01, 0.99, 99))}
    at = thresholds.few_alarms(sets)
    assert thresholds.measure(sets, at)["false_positive_rate"] <= 0.05
    assert thresholds.measure(sets, at - 0.02)["false_positive_rate"] > 0.05


def test_the_set_left_out_has_no_say_in_the_threshold_it_is_measured_at():
    strange = {"a": items([0.2, 0.25], [0.05, 0.06]), "b": EASY["b"]}
    found = thresholds.left_out("a", strange, thresholds.balanced)
    assert found["threshold"] == thresholds.balanced({"b": EASY["b"]})
    assert found["recall"][0] == 0.0 and found["balanced_accuracy"][0] == 0.5


def test_what_is_written_holds_interval_figures_and_curve():
    use = thresholds.Use("claims", ("a", "b"), thresholds.BALANCED, "a reason")
    found = thresholds.chosen(use, EASY)
    low, high = found["interval"]
    assert low <= found["threshold"] <= high and found["sets"] == {"a": 4, "b": 4}
    assert set(found["left_out"]) == {"a", "b"} and len(found["curve"]) >= 9
    stored = {"uses": {"claims": found}}
    assert f"| claims | {found['threshold']:.2f} [" in thresholds.page(stored)
