"""Gates: thresholds on the interval's bound, never on the point (Lesson section 12; decision 10), and never
on a pool of own, generated and logged questions.

A row is one gate on the questions of one origin. The users' questions (`own`, `log`) decide; made ones
(`generated`, `database`) decide where there are no others. Where there are others a made row still counts,
but for one that has too few questions and whose value meets the threshold: its `decides` is false. Questions
of notebooks 03 and 05 (`probe`, `outside`, `variation`) decide what they measure.
"""

from collections.abc import Mapping, Sequence
from math import isnan

import pandas as pd

from ragassay.analysis import case_scores, false_answers, origin_slices, saturated_metrics
from ragassay.analysis.slicing import scorecard_slices
from ragassay.cases.case_origins import MADE, OF_USERS
from ragassay.decision.gates.gate_case_counts import cases_needed, meets
from ragassay.decision.gates.gate_grammar import GateRule
from ragassay.stats import percent_text

PASS, FAIL, INCOMPLETE = "pass", "fail", "incomplete"
VALUE, BOUND = "value", "bound"  # what of a failed gate misses its threshold
MOST_LOST = 0.1  # share of applicable cases that may lack a score before a gate is incomplete
COLUMNS = [
    "gate", "origin", "metric", "slice", "bound", "threshold", "value", "low", "high", "n", "outcome",
    "missed", "decides", "reason", "beside", "critical", "rule", "method",
]  # fmt: skip
EASIEST = "out_of_scope_declined"  # of what lies outside the documents, the measure of the easiest questions
ASKED = {  # measures of questions that are no user's: an assistant is asked them, and no log holds them
    EASIEST: "out-of-scope questions",
    "false_answer_rate": "questions without an answer",
    "probes_declined": "attack probes",
    "attack_success_rate": "attack probes",
    "attack_quoted_rate": "attack probes",
    "attack_link_rate": "attack probes",
}
TOGETHER = "known over all its questions together, not by origin"  # of a rate that no origin has for itself
NOTHING = {"value": float("nan"), "low": float("nan"), "high": float("nan"), "n": 0}
GRAVITY = {(FAIL, VALUE): 0, (FAIL, BOUND): 1, (INCOMPLETE, ""): 2, (PASS, ""): 3}  # the worst first


def evaluate(
    rules: Sequence[GateRule],
    scorecard: pd.DataFrame,
    *,
    barred: Mapping[str, str] | None = None,
    most_lost: float = MOST_LOST,
    expected: Sequence[str] = (),
) -> pd.DataFrame:
    """The gates table: a row per rule and origin, in their order; `outcome` pass, fail or incomplete,
    `missed` what a failed one misses (`value`, or `bound` alone), `reason` in words, always.

    expected : origins whose questions must have been measured (`origin_slices.of_users`), where a gate on all
        cases rests on questions that users may ask
    incomplete : the metric is not in the scorecard, has no such bound, its instrument is barred (`barred`:
        metric -> why), it grades quality but has one value for nearly all answers (decision 28), or more than
        a share `most_lost` of the cases it applies to could not be scored (where the scorecard counts them):
        never a pass. So is an origin or slice of too few cases to pass whatever they had shown, unless its
        favourable bound misses too: then it fails
    """
    why = barred or {}
    found = [
        row for rule in rules for row in _rows(rule, scorecard, why.get(rule.metric), most_lost, expected)
    ]
    harder = _harder(scorecard)
    gates = pd.DataFrame(found, columns=COLUMNS).astype({"n": int, "critical": bool, "decides": bool})
    return gates.assign(
        beside=gates["metric"].map({EASIEST: harder} if harder else {}).fillna("").astype(str)
    )


def holding_for_kit(gates: pd.DataFrame, kit: pd.DataFrame) -> pd.DataFrame:
    """The gates, of which each that the kit's own questions alone miss by the value has the row of these: no
    number of easy ones that the engagement adds makes up for it.

    kit : `evaluate` of the same rules on a scorecard without the engagement's own probes and questions
        without an answer
    """
    named = ["gate", "origin"]
    missed = kit[(kit["outcome"] == FAIL) & (kit["missed"] == VALUE)].set_index(named)
    rows = [
        missed.loc[key].to_dict() | dict(zip(named, key, strict=True)) if key in missed.index else row
        for row in gates.to_dict("records")
        if (key := (row["gate"], row["origin"]))
    ]
    return pd.DataFrame(rows, columns=gates.columns).astype(gates.dtypes.to_dict())


def _harder(scorecard: pd.DataFrame) -> str:
    """What became of the questions near the documents, which are harder to decline than the off-topic ones
    that a gate rests on; "" where none was asked."""
    of_kind = scorecard["slice"].astype(str).str.startswith("kind=near_")
    near = scorecard[(scorecard["metric"] == false_answers.RATE) & of_kind & (scorecard["n"] > 0)]
    if near.empty:
        return ""
    asked, answered = int(near["n"].sum()), int((near["value"] * near["n"]).round().sum())
    return f"off-topic is the easiest kind; of {asked} questions near the documents {answered} were answered"


def add_beside(gates: pd.DataFrame, told: Sequence[str]) -> pd.DataFrame:
    """The gates with a text added to what stands beside each of them; "" adds nothing."""
    pairs = zip(gates["beside"], told, strict=True)
    return gates.assign(beside=["; ".join(filter(None, pair)) for pair in pairs])


def worst_rows(gates: pd.DataFrame) -> pd.DataFrame:
    """One row per gate: the worst of those that decide; a miss on the value before one on the bound, before
    incomplete, before pass."""
    rank = [GRAVITY[pair] for pair in zip(gates["outcome"], gates["missed"], strict=True)]
    ranked = gates.assign(_rank=rank, _place=pd.factorize(gates["gate"])[0])[gates["decides"]]
    worst = ranked.sort_values(["_place", "_rank"], kind="stable").drop_duplicates("gate", ignore_index=True)
    return worst.drop(columns=["_rank", "_place"])


def set_aside(
    rules: Sequence[GateRule], scorecard: pd.DataFrame, *, logged: bool
) -> tuple[list[GateRule], pd.DataFrame]:
    """The rules that are judged, and those that are not, as rows: gate, rule, reason (decision 27).

    A rule is set aside only if it says `if asked`, its metric is one of ASKED, the answers are those of a log
    (`logged`) and the log holds none of its questions. A rule without these words is never set aside, and
    what an assistant failed at, or did not answer, never is.
    """
    rows = scorecard[scorecard["slice"] == "all"].set_index("metric")["n"]
    aside = [
        rule
        for rule in rules
        if logged and rule.if_asked and rule.metric in ASKED and rows.get(rule.metric) == 0
    ]
    reasons = [(rule.name, str(rule), f"{ASKED[rule.metric]} cannot be asked of a log") for rule in aside]
    kept = [rule for rule in rules if rule not in aside]
    return kept, pd.DataFrame(reasons, columns=["gate", "rule", "reason"])


def only_bound_missed(gate: Mapping) -> bool:
    """Whether a failed gate's measured value meets the threshold and only its bound misses it: too little
    evidence, not a bad value."""
    return gate["outcome"] == FAIL and meets(gate["bound"], gate["threshold"], gate["value"])


def _rows(
    rule: GateRule, card: pd.DataFrame, barred: str | None, most_lost: float, expected: Sequence[str]
) -> list[dict]:
    found: dict[str, Mapping | None] = dict(origin_slices.measured(card, rule.metric, rule.slice))
    if rule.slice == scorecard_slices.ALL and {*found} & {*OF_USERS, *MADE}:
        found |= {origin: None for origin in expected if origin not in found}
    why = f"instrument barred from gates: {barred}" if barred is not None else ""
    why = why or saturated_metrics.gate_reason(card, rule.metric)
    beside = bool({*found} & {*OF_USERS})
    origins = sorted(found, key=[*origin_slices.ORIGINS, origin_slices.POOLED].index) or [
        origin_slices.POOLED
    ]
    return [_row(rule, origin, found.get(origin), why, most_lost, beside) for origin in origins]


def _row(
    rule: GateRule, origin: str, known: Mapping | None, why: str, most_lost: float, beside: bool
) -> dict:
    measured = known or NOTHING
    part = "" if origin == origin_slices.POOLED else f"{origin} questions"
    where = " of ".join(filter(None, [part, "" if rule.slice == scorecard_slices.ALL else rule.slice]))
    outcome, reason = _outcome(rule, measured, where, why, most_lost) if known else _absent(rule, where)
    few = where and outcome == INCOMPLETE and cases_needed(rule.bound, rule.threshold, measured)
    meets_it = meets(rule.bound, rule.threshold, measured["value"])
    missed = "" if outcome != FAIL else BOUND if meets_it else VALUE
    return {
        "gate": rule.name,
        "origin": origin,
        "metric": rule.metric,
        "slice": rule.slice,
        "bound": rule.bound,
        "threshold": rule.threshold,
        **{name: measured[name] for name in ("value", "low", "high", "n")},
        "outcome": outcome,
        "missed": missed,
        "decides": not (beside and origin in MADE and few and meets_it and not why),
        "reason": f"{reason}; {TOGETHER}" if outcome != INCOMPLETE and _is_pooled(rule, origin) else reason,
        "critical": rule.critical,
        "rule": str(rule),
        "method": str(measured.get("method") or ""),
    }


def _is_pooled(rule: GateRule, origin: str) -> bool:
    return origin == origin_slices.POOLED and rule.slice == scorecard_slices.ALL


def _absent(rule: GateRule, where: str) -> tuple[str, str]:
    return INCOMPLETE, f"{rule.metric} was not measured{where and ' on '}{where}"


def _outcome(rule: GateRule, measured: Mapping, where: str, barred: str, most_lost: float) -> tuple[str, str]:
    bound = measured[rule.bound]
    if barred:
        return INCOMPLETE, barred
    if isnan(bound):
        return INCOMPLETE, f"no {rule.bound} bound: {measured.get('reason') or 'no interval'}"
    if lost := _too_many_lost(measured, most_lost):
        return INCOMPLETE, lost
    side, word = ("lower", "at least") if rule.bound == "low" else ("upper", "at most")
    reason = f"{side} bound {_number(rule, bound)}, {word} {amount(rule.metric, rule.threshold)} required"
    if meets(rule.bound, rule.threshold, bound):
        return PASS, reason
    if where and (needed := cases_needed(rule.bound, rule.threshold, measured)):
        few = (
            f"{measured['n']} cases are too few, {needed} drawn independently needed even if none falls short"
        )
        return INCOMPLETE, f"{reason}: {few}"
    return FAIL, reason


def amount(metric: str, number: float) -> str:
    """A number of this measure as its gate asks for it: `80 %` of a share, else `0.8`."""
    return f"{100 * number:g} %" if case_scores.is_share(metric) else f"{number:g}"


def _number(rule: GateRule, bound: float) -> str:
    """A bound on its own side of the threshold."""
    return percent_text(bound, 1, rule.threshold) if case_scores.is_share(rule.metric) else f"{bound:.3g}"


def _too_many_lost(measured: Mapping, most_lost: float) -> str:
    """Why so few of the cases that a metric applies to have a score that no gate can rest on it; or empty."""
    counts = [measured.get(name, 0.0) for name in ("n_not_measured", "n_error")]
    lost = sum(int(count) for count in counts if count == count)  # a row without such counts has NaN
    known = lost + measured["n"]
    return (
        f"{lost} of {known} cases could not be scored, at most {percent_text(most_lost)} may"
        if lost > most_lost * known
        else ""
    )
