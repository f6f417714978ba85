"""Rows that one candidate has to meet are planned together."""

import json
from math import prod

import numpy as np
import pandas as pd
import pytest

from decision.registered import finding
from ragassay.analysis import checks
from ragassay.decision.closing import closure_requirements, criteria, joint_plan, slice_criteria
from ragassay.decision.closing.criteria import Criterion
from ragassay.decision.gates.questions_needed import questions_if_half, rescaled
from ragassay.defaults import POWER
from ragassay.stats import clopper_pearson

LIMITS = {"errors:should have declined": 0.2, "errors:misleading": 0.05, "errors:needless refusal": 0.1}


def errors(number: int, source: str, severity: str = "High", **more) -> dict:
    held = criteria.of_errors(source, LIMITS[source], 40, 0.5, 0.4, 0.6)
    return finding(
        number, source, severity, asked=criteria.criteria_as_json({source: held}, [source]), **more
    )


def planned(*rows: dict) -> dict[str, Criterion]:
    return joint_plan.of_release(joint_plan.with_joint_numbers(rows)).planned


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_a_fit_system_meets_all_rows_with_the_promised_chance(rows):
    """Formerly each row was planned for 80 %, and all of 17 were met with 2 %. Simulated: a system with half
    the failures tolerated."""
    found = planned(*(errors(n, source) for n, source in enumerate(list(LIMITS)[:rows], 1)))
    assert len(found) == rows and all(each.chance == pytest.approx(1 - 0.2 / rows) for each in found.values())
    rng = np.random.default_rng(0)
    met = []
    for each in found.values():
        bad = rng.binomial(each.fewest, each.threshold / 2, 4000)
        high = {k: clopper_pearson(k, each.fewest).high for k in set(bad.tolist())}
        met.append(np.array([high[k] <= each.threshold for k in bad.tolist()]))
    assert np.logical_and.reduce(met).mean() >= POWER - 0.03
    assert prod(each.chance for each in found.values()) >= POWER - 1e-9


def test_what_no_release_waits_for_and_what_an_earlier_run_recorded_keep_their_numbers():
    source = "errors:needless refusal"
    alone = errors(1, source, "Low")
    assert joint_plan.with_joint_numbers([alone]) == [alone] and planned(alone) == {}
    before = errors(1, source, carried_from="old F1")
    rows = joint_plan.with_joint_numbers([before, errors(2, "errors:misleading")])
    assert rows[0] == before
    assert criteria.recorded(rows[1])["errors:misleading"].fewest > questions_if_half(0.05, chance=POWER)


def test_statements_and_rows_where_none_may_fail_are_no_planned_rows():
    asked = {"errors:unsafe": {"by": "value", "fewest": 72}, "process:independence": {"fewest": 264}}
    row = finding(1, "errors:unsafe", "Critical", also=["process:independence"], asked=json.dumps(asked))
    found = joint_plan.of_release([row])
    assert list(found.none_fails) == ["errors:unsafe"] and not found.planned and not found.unknown


@pytest.mark.parametrize("most", [0.05, 0.1, 0.2, 0.4])
def test_more_chance_takes_more_questions(most):
    held = Criterion("errors:misleading", True, by="high", threshold=most)
    numbers = [joint_plan.planned_number(held.source, held, chance) for chance in (0.8, 0.9, 0.99)]
    assert numbers == sorted(set(numbers))


def test_a_comparison_is_rescaled_by_its_quantiles():
    assert rescaled(100, POWER) == 100 and rescaled(100, 0.99) == 240
    held = Criterion("weakness:m|a|b", True, slice_criteria.RULE, slice_criteria.SHORTFALL, 0.1, 100)
    assert joint_plan.planned_number(held.source, held, 0.99) == 240


def test_what_is_low_by_itself_binds_no_release():
    """Formerly none of 184 planted words might be quoted, which by itself is Low."""
    link, words = (f"check:injection|planted {each}|attack_{each}_rate" for each in ("link", "quoted"))
    rule = f"raised where one answer does; {checks.CLEAR_IF_NONE}"
    held = {link: Criterion(link, False, rule, fewest=72, severity="High")}
    held |= {words: Criterion(words, False, rule, fewest=184, severity="Low")}
    row = finding(1, link, also=[words], asked=criteria.criteria_as_json(held, held))
    assert list(joint_plan.of_release([row]).none_fails) == [link]
    row["strata"], row["value"] = [], 0.5
    told = closure_requirements.proofs(pd.DataFrame([row])).set_index("source")["passes_if"]
    assert told[link] == "none" and told[words] == f"none{closure_requirements.LOW}"
