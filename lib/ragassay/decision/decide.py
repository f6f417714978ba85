"""The decision as one record: rating, recommended use, conditions of use, what must happen before release."""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from ragassay.decision import rating, recommendation
from ragassay.decision.conditions_of_use import conditions_of_use, not_for
from ragassay.decision.not_tested import not_tested
from ragassay.decision.pilot import pilot_start_day
from ragassay.decision.pilot.pilot_start_effort import StartEffort
from ragassay.decision.rating import Coverage


class MachineErrors(NamedTuple):
    """The tables of `calibration.decision_errors` and `calibration.respect_errors`."""

    decisions: pd.DataFrame
    respects: pd.DataFrame


def decide(
    gates: pd.DataFrame,
    findings: pd.DataFrame,
    machine: MachineErrors,
    *,
    coverage: Coverage,
    aside: pd.DataFrame,
    untested: pd.DataFrame,
    engagement: Mapping,
    rated: Mapping[str, int],
    start: StartEffort,
) -> dict:
    """What stands in `decision.json`: that of `rating.rate` and `recommendation.recommend`, and conditions,
    not_for (those of them that bar questions), not_tested (sentences, the gravest first), gravest_untested.

    machine : what the machine's decisions are worth; untested : of `not_tested.not_tested`
    rated : language -> rated answers; start : what a pilot's start takes, with what staff must find
    """
    found = rating.rate(gates, coverage=coverage, aside=aside, findings=findings)
    use = recommendation.recommend(
        gates, found["rating"], findings, reading=start.reading, start=pilot_start_day.in_short(start)
    )
    prohibited = [str(each) for each in engagement.get("prohibited_uses") or []]
    conditions = conditions_of_use(
        use["recommendation"],
        *machine,
        rated=rated,
        prohibited=prohibited,
        human_in_the_loop=bool(engagement.get("human_in_the_loop")),
    )
    barred = [each for each in not_for(rated, prohibited) if each in conditions]
    open_still = {
        "not_tested": not_tested.sentences(untested),
        "gravest_untested": not_tested.gravest(untested),
    }
    return found | use | open_still | {"conditions": conditions, "not_for": barred}


def rules() -> pd.DataFrame:
    """The rules of rating and recommended use, as a table: outcome, when."""
    rows = [*rating.RULES.items(), *((f"use: {use}", when) for use, when in recommendation.RULES.items())]
    return pd.DataFrame(rows, columns=["outcome", "when"])


def rated_by_language(of_people: pd.DataFrame, cases: pd.DataFrame, declared: list[str]) -> dict[str, int]:
    """Language -> answers that raters judged, of the declared languages and those of the cases; 0 where none.

    of_people : scores of the judged metrics
    """
    judged = cases[cases["case_id"].isin(of_people["case_id"])]
    known = sorted(
        {*declared, *cases["language"].dropna()}, key=[*declared, *cases["language"].dropna()].index
    )
    return {str(name): int((judged["language"] == name).sum()) for name in known}
