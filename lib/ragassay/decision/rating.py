"""The overall rating: the rule that leads from the gates to it, its rationale (the report's first sentences),
its conditions."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ragassay.decision.gates import FAIL, INCOMPLETE, PASS, only_bound_missed

FIT, CONDITIONS, NOT_FIT, NOT_ASSESSABLE = "Fit for use", "Fit with conditions", "Not fit", "Not assessable"
RATING_RULE = (
    "Not fit: the measured value of a critical gate misses its threshold, or those of more than half of all "
    "gates do. Not assessable: "
    "otherwise, if a gate is incomplete, only the bound of a critical gate misses (the evidence is too "
    "small), there is no gate, or the "
    "evidence covers less than was asked for. Fit with conditions: otherwise, if any gate failed. Fit for "
    "use: every gate passed. A gate that was set aside, because a log cannot be asked, counts for none of "
    "these, and the rating names it."
)
_REMEDY = {
    True: "enlarge the sample to a size fixed beforehand, then judge the gate once more",
    False: "improve the system, then run this validation again",
}


def rate(
    gates: pd.DataFrame,
    *,
    coverage: Mapping[str, tuple[float, float]] | None = None,
    aside: pd.DataFrame | None = None,
) -> dict:
    """The rating by `RATING_RULE`: dict of rating, rationale and conditions (lists of sentences), exit_code,
    and the gates set aside.

    coverage : what the evidence had to reach, name -> (found, least): {"topics with 6 cases or more": (0.7,
        0.8)}
    aside : the gates that `gates.set_aside` left unjudged
    exit_code : 0 fit, 2 a gate failed, 3 nothing failed but the evidence is incomplete (decision 22)
    """
    left = [] if aside is None else aside.to_dict("records")
    failed, open_ = gates[gates["outcome"] == FAIL], gates[gates["outcome"] == INCOMPLETE]
    short = [
        f"{name}: {found:g} found, at least {least:g} asked for"
        for name, (found, least) in (coverage or {}).items()
        if not found >= least
    ]
    missed = failed[np.array([not only_bound_missed(gate) for gate in failed.to_dict("records")], dtype=bool)]
    if missed["critical"].any() or len(missed) * 2 > len(gates) > 0:
        rating = NOT_FIT
    elif len(open_) or short or gates.empty or failed["critical"].any():
        rating = NOT_ASSESSABLE
    else:
        rating = CONDITIONS if len(failed) else FIT
    return {
        "rating": rating,
        "rationale": _rationale(gates, short, left),
        "conditions": _conditions(failed, open_, short, left),
        "exit_code": 2 if len(failed) else 3 if rating == NOT_ASSESSABLE else 0,
        "set_aside": left,
    }


def _rationale(gates: pd.DataFrame, short: Sequence[str], left: Sequence[Mapping]) -> list[str]:
    if gates.empty:
        return [f"No gate was {'judged' if left else 'set'}, so nothing was decided{_fewer(0, left)}."]
    counts = {name: int((gates["outcome"] == name).sum()) for name in (PASS, FAIL, INCOMPLETE)}
    sentences = [
        f"{counts[PASS]} of {len(gates)} gates passed, {counts[FAIL]} failed, {counts[INCOMPLETE]} "
        f"incomplete{_fewer(len(gates), left)}."
    ]
    said = {FAIL: "failed", INCOMPLETE: "is incomplete"}
    sentences += [
        f"{'Critical gate' if gate['critical'] else 'Gate'} {gate['gate']} {said[gate['outcome']]}: "
        f"{gate['reason']}."
        for gate in gates.to_dict("records")
        if gate["outcome"] != PASS
    ]
    return sentences + [f"Evidence short: {each}." for each in short]


def _fewer(n: int, left: Sequence[Mapping]) -> str:
    """That the rating rests on fewer gates than were set, and why, as the end of a sentence."""
    named = "; ".join(f"{gate['gate']}: {gate['reason']}" for gate in left)
    return (
        f"; the rating rests on {n} of {n + len(left)} gates, the others were set aside ({named})"
        if left
        else ""
    )


def _conditions(
    failed: pd.DataFrame, open_: pd.DataFrame, short: Sequence[str], left: Sequence[Mapping]
) -> list[str]:
    asked = [
        f"{gate['gate']}: {_REMEDY[only_bound_missed(gate)]} ({gate['rule'].removesuffix(', critical')})."
        for gate in failed.to_dict("records")
    ]
    asked += [
        f"{gate['gate']}: supply the missing evidence ({gate['reason']})."
        for gate in open_.to_dict("records")
    ]
    asked += [f"{gate['gate']}: ask the assistant itself ({gate['reason']})." for gate in left]
    return asked + [f"Extend the evidence ({each})." for each in short]
