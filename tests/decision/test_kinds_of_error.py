"""How often answers are of a kind of error: what each is counted among, who judged, by hand and by simulation."""

import numpy as np
import pandas as pd
import pytest

from ragassay.decision.error_rates import ENOUGH, TOLERATED, error_rates
from ragassay.errors import ParameterError


def made(*kinds: tuple[str, bool, int], judged_by: str = "raters") -> tuple[pd.DataFrame, pd.DataFrame]:
    """Taxonomy and cases: (category, answerable, how many)."""
    rows = [(category, answerable) for category, answerable, count in kinds for _ in range(count)]
    ids = [f"c{judged_by}{i:03d}" for i in range(len(rows))]
    taxonomy = pd.DataFrame({"case_id": ids, "category": [row[0] for row in rows], "judged_by": judged_by})
    return taxonomy, pd.DataFrame({"case_id": ids, "answerable": [row[1] for row in rows]})


def together(*parts: tuple[pd.DataFrame, pd.DataFrame]) -> tuple[pd.DataFrame, pd.DataFrame]:
    return pd.concat([part[0] for part in parts]), pd.concat([part[1] for part in parts])


def exceeded(taxonomy: pd.DataFrame, cases: pd.DataFrame, rng) -> dict[str, tuple[int, int]]:
    found = error_rates(taxonomy, cases, {}, rng=rng)
    return {row["kind"]: (row["cases"], row["n"]) for row in found[found["exceeded"]].to_dict("records")}


def test_each_kind_is_counted_among_what_it_can_happen_to(rng):
    answers = made(
        ("good", True, 50), ("misleading", True, 30), ("needless refusal", True, 40),
        ("should have declined", False, 30), ("good", False, 10),
    )  # fmt: skip
    assert exceeded(*answers, rng) == {
        "should have declined": (30, 40), "misleading": (30, 80), "needless refusal": (40, 120),
    }  # fmt: skip
    found = error_rates(*answers, {}, rng=rng).set_index("kind")
    assert found.loc["misleading", "low"] == pytest.approx(0.269, abs=0.001)  # Clopper-Pearson of 30 in 80
    assert not found.loc["unsafe", "exceeded"] and found.loc["unsafe", "n"] == 160


def test_one_unsafe_answer_exceeds_and_a_share_that_may_be_tolerated_does_not(rng):
    assert exceeded(*made(("good", True, 199), ("unsafe", True, 1)), rng) == {"unsafe": (1, 200)}
    assert exceeded(*made(("good", True, 90), ("needless refusal", True, 14)), rng) == {}


def test_where_nobody_read_them_no_origin_dilutes_another(rng):
    own, easy = (made(("misleading", True, n), ("good", True, 20), judged_by=f"{n}") for n in (6, 0))
    taxonomy, cases = together(own, easy)
    cases, judged = (
        cases.assign(origin=["own"] * 26 + ["generated"] * 20),
        taxonomy.assign(judged_by="machine"),
    )
    assert exceeded(judged, cases, rng) == {"misleading": (6, 26)}


def test_easy_cases_that_a_machine_judged_never_dilute_what_raters_saw(rng):
    read = made(("good", True, 60), ("needless refusal", True, 30))
    easy = made(("good", True, 5000), judged_by="machine")
    assert exceeded(*read, rng) == exceeded(*together(read, easy), rng) == {"needless refusal": (30, 90)}


def test_few_rated_answers_erase_nothing_that_instruments_found_and_enough_decide(rng):
    found = made(
        ("unsafe", True, 30), ("misleading", True, 30), ("should have declined", False, 40),
        judged_by="machine",
    )  # fmt: skip
    few = exceeded(*together(found, made(("good", True, 1))), rng)
    assert list(few) == ["unsafe", "should have declined", "misleading"]
    enough = exceeded(*together(found, made(("good", True, ENOUGH))), rng)
    assert list(enough) == ["unsafe", "should have declined"], "what instruments find unsafe always counts"


def test_what_no_rater_confirmed_is_marked(rng):
    taxonomy, cases = made(("misleading", True, 14), ("good", True, 20), judged_by="machine")
    found = error_rates(taxonomy, cases, {}, rng=rng).set_index("kind").loc["misleading"]
    assert found["exceeded"] and not found["confirmed"] and found["rated"] == 0
    taxonomy.loc[0, "judged_by"] = "raters"
    assert error_rates(taxonomy, cases, {}, rng=rng).set_index("kind").loc["misleading", "confirmed"]


def test_what_is_not_judged_counts_among_what_came_and_nothing_gives_nothing(rng):
    answers = made(("needless refusal", True, 2), ("not judged", True, 32), judged_by="machine")
    found = error_rates(*answers, {}, rng=rng).set_index("kind").loc["needless refusal"]
    assert (found["n"], found["value"]) == (34, pytest.approx(2 / 34))
    assert error_rates(None, pd.DataFrame(), {}, rng=rng).empty


def test_refusals(rng):
    with pytest.raises(ParameterError, match="no such kind of error"):
        error_rates(None, pd.DataFrame(), {"misleading answers": 0.1}, rng=rng)
    with pytest.raises(ParameterError):
        error_rates(None, pd.DataFrame(), {"misleading": 1.5}, rng=rng)


@pytest.mark.simulation
def test_a_system_at_what_is_tolerated_rarely_exceeds_it(simulations):
    """One-sided error of a two-sided 95 % interval: at most 2.5 % of runs, within three standard errors."""
    runs, rng = simulations(1000, 10), np.random.default_rng(7)
    most = TOLERATED["needless refusal"]
    raised = 0
    for _ in range(runs):
        k = int(rng.binomial(120, most))
        raised += bool(exceeded(*made(("good", True, 120 - k), ("needless refusal", True, k)), rng))
    assert raised / runs <= 0.025 + 3 * np.sqrt(0.025 * 0.975 / runs)


def test_where_nobody_says_what_is_answerable_no_refusal_is_needless(rng):
    taxonomy, cases = made(("good", True, 50), ("not judged", True, 40), ("misleading", True, 30))
    found = error_rates(taxonomy, cases.assign(answerable_assumed=True), {}, rng=rng).set_index("kind")
    assert found["n"].to_dict() == {"unsafe": 120, "misleading": 80}
