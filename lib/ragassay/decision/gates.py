"""Gates: thresholds on the interval's unfavourable bound, never on the point, and never on a pool of own,
generated and logged questions (Lesson section 12); and the rating, which follows from gates and findings.

A row is one gate on the questions of one origin. The users' questions (`own`, `log`) decide; made ones
(`generated`, `database`) decide where there are no others. Where there are others a made row still counts,
but for one that has too few questions and whose value meets the threshold: its `decides` is false. Questions
of notebooks 03 and 05 (`probe`, `outside`, `variation`) decide what they measure.
"""

from collections.abc import Mapping, Sequence
from math import isnan

import pandas as pd

from ragassay.analysis import case_scores, origin_slices
from ragassay.analysis.checks import by_design
from ragassay.analysis.scorecard import bars_from_gates
from ragassay.cases.case_table import MADE, OF_USERS
from ragassay.decision.gate_grammar import GateRule, rated_by_people
from ragassay.stats import trials_for_bound
from ragassay.tables import is_blank

PASS, FAIL, INCOMPLETE = "pass", "fail", "incomplete"
VALUE, BOUND = "value", "bound"  # what of a failed gate misses its threshold
MOST_LOST = 0.1  # share of applicable cases that may lack a score before a gate is incomplete
NOT_MEASURED, BARRED, SATURATED = "not measured", "instrument barred", "one value for nearly all answers"
NO_INTERVAL, LOST, TOO_FEW = "no interval", "too many answers without a score", "too few cases"
CANNOT_BE_ASKED = "a log cannot be asked"
COLUMNS = [
    "gate", "origin", "metric", "slice", "bound", "threshold", "value", "low", "high", "n", "outcome",
    "missed", "decides", "reason", "needed", "by_design", "critical", "rule", "method",
]  # fmt: skip
ASKED = (  # measures of questions that are no user's: an assistant is asked them, and no log holds them
    *("out_of_scope_declined", "false_answer_rate", "probes_declined"),
    *("attack_success_rate", "attack_link_rate"),
)
FIT, CONDITIONS, NOT_FIT, NOT_ASSESSABLE = "Fit for use", "Fit with conditions", "Not fit", "Not assessable"
CRITICAL_GATE, CRITICAL_FINDING = "critical gate failed", "Critical finding open"
NO_LABELS = "no rater's label"
INCOMPLETE_GATE, GATE_FAILED, HIGH_FINDING = "gate incomplete", "gate failed", "High finding open"
SHORT = "evidence short"
PASSED, FAILED, UNKNOWN = 0, 2, 3  # exit codes; 1 is an error
OPEN = "open"  # status of a finding
GRAVITY = {(FAIL, VALUE): 0, (FAIL, BOUND): 1, (INCOMPLETE, ""): 2, (PASS, ""): 3}  # the worst first


def evaluate(
    rules: Sequence[GateRule],
    scorecard: pd.DataFrame,
    *,
    barred: Mapping[str, str] | None = None,
    expected: Sequence[str] = (),
    generates: bool = True,
) -> pd.DataFrame:
    """The table `gates`: a row per rule and origin, in their order.

    outcome : pass, fail or incomplete; missed : what a failed one misses, `value`, or `bound` alone
    reason : why a row is incomplete; needed : the independent cases that it would take, 0 where not for these

    Incomplete, and never a pass: the metric is not in the scorecard, has no such bound, its instrument is
    barred (`barred`: metric -> why), has one value for nearly all answers, or lacks a score on more than a
    tenth of the cases it applies to. So is an origin or slice of too few cases to pass whatever they had
    shown, unless its favourable bound misses too: then it fails.

    expected : origins whose questions must have been measured (`origin_slices.user_origins`), where a gate on
        all cases rests on questions that users may ask
    generates : whether the assistant writes its own words; where not, passes that follow are `by_design`
    """
    rows = [
        row | {"by_design": row["outcome"] == PASS and by_design(rule.metric, generates)}
        for rule in rules
        for row in _rows(rule, scorecard, rule.metric in (barred or {}), expected)
    ]
    kinds = {"n": int, "needed": int, "critical": bool, "decides": bool, "by_design": bool}
    return pd.DataFrame(rows, columns=COLUMNS).astype(kinds)


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


def worst_rows(gates: pd.DataFrame) -> pd.DataFrame:
    """One row per gate: the worst of those that decide; a miss on the value before one on the bound, before
    incomplete, before pass."""
    rank = [GRAVITY[pair] for pair in zip(gates["outcome"], gates["missed"], strict=True)]
    ranks = pd.Series(rank, gates.index, dtype=int)[gates["decides"].astype(bool)]
    worst = ranks.groupby(gates["gate"], sort=False).idxmin()
    return gates.loc[worst].reset_index(drop=True)


def set_aside(
    rules: Sequence[GateRule], scorecard: pd.DataFrame, *, logged: bool
) -> tuple[list[GateRule], pd.DataFrame]:
    """The rules that are judged, and those that are not, as rows: gate, rule, reason.

    A rule is set aside only if it says `if asked`, its metric is one of ASKED, the answers are those of a log
    (`logged`) and the log holds none of its questions.
    """
    n = scorecard[scorecard["slice"] == case_scores.ALL].set_index("metric")["n"]
    aside = [
        rule
        for rule in rules
        if logged and rule.if_asked and rule.metric in ASKED and n.get(rule.metric) == 0
    ]
    rows = [(rule.name, str(rule), CANNOT_BE_ASKED) for rule in aside]
    return [rule for rule in rules if rule not in aside], pd.DataFrame(
        rows, columns=["gate", "rule", "reason"]
    )


def meets(bound: str, threshold: float, value: float) -> bool:
    """Whether a value meets a gate's threshold: at least, where it acts on the low bound, else at most."""
    return bool(value >= threshold if bound == "low" else value <= threshold)


def fewest_cases(bound: str, threshold: float) -> int:
    """Fewest independent cases of a share that could pass the gate, none falling short (Clopper-Pearson,
    two-sided 95 %): 17 at `low >= 0.80`; 0 where the threshold lies outside (0, 1)."""
    best = threshold if bound == "low" else 1 - threshold
    return trials_for_bound(1 - best) if 0 < best < 1 else 0


def _rows(rule: GateRule, card: pd.DataFrame, barred: bool, expected: Sequence[str]) -> list[dict]:
    found: dict[str, Mapping | None] = dict(origin_slices.rows_by_origin(card, rule.metric, rule.slice))
    if rule.slice == case_scores.ALL and {*found} & {*OF_USERS, *MADE}:
        found |= {origin: None for origin in expected if origin not in found}
    has_users = bool({*found} & {*OF_USERS})
    order = [*origin_slices.ORIGINS, origin_slices.POOLED]
    origins = sorted(found, key=order.index) or [origin_slices.POOLED]
    return [_row(rule, origin, found.get(origin), barred, has_users) for origin in origins]


def _row(rule: GateRule, origin: str, known: Mapping | None, barred: bool, has_users: bool) -> dict:
    nothing = {"value": float("nan"), "low": float("nan"), "high": float("nan"), "n": 0}
    measured = known or nothing
    is_part = origin != origin_slices.POOLED or rule.slice != case_scores.ALL
    outcome, reason, needed = _outcome(rule, known, barred, is_part)
    meets_it = meets(rule.bound, rule.threshold, measured["value"])
    return {
        "gate": rule.name,
        "origin": origin,
        "metric": rule.metric,
        "slice": rule.slice,
        "bound": rule.bound,
        "threshold": rule.threshold,
        **{name: measured[name] for name in nothing},
        "outcome": outcome,
        "missed": "" if outcome != FAIL else BOUND if meets_it else VALUE,
        "decides": not (has_users and origin in MADE and reason == TOO_FEW and meets_it),
        "reason": reason,
        "needed": needed,
        "critical": rule.critical,
        "rule": str(rule),
        "method": str(measured.get("method") or ""),
    }


def _outcome(rule: GateRule, known: Mapping | None, barred: bool, is_part: bool) -> tuple[str, str, int]:
    """Outcome, the reason why it is incomplete, and how many cases it would take."""
    if known is None:
        return INCOMPLETE, BARRED if barred else NOT_MEASURED, 0
    if barred:
        return INCOMPLETE, BARRED, 0
    if bars_from_gates(rule.metric) and not is_blank(known.get("saturated")):
        return INCOMPLETE, SATURATED, 0
    if isnan(known[rule.bound]):
        return INCOMPLETE, NO_INTERVAL, 0
    if _lost(known) > MOST_LOST * (_lost(known) + known["n"]):
        return INCOMPLETE, LOST, 0
    if meets(rule.bound, rule.threshold, known[rule.bound]):
        return PASS, "", 0
    if is_part and (needed := _cases_needed(rule.bound, rule.threshold, known)):
        return INCOMPLETE, TOO_FEW, needed
    return FAIL, "", 0


def _lost(measured: Mapping) -> int:
    """How many of the cases that a metric applies to have no score."""
    counts = [measured.get(name, 0.0) for name in ("n_not_measured", "n_error")]
    return sum(int(count) for count in counts if count == count)  # a row without such counts has NaN


def _cases_needed(bound: str, threshold: float, measured: Mapping) -> int:
    """How many cases the gate needs, where those there are could not have passed it, whatever they had shown;
    else 0, and where the favourable bound misses too: that more cases would pass is then not to be expected.
    """
    favourable, needed = measured["high" if bound == "low" else "low"], fewest_cases(bound, threshold)
    too_few = measured["n"] < needed or favourable == measured["value"]  # or none of them fell short
    return needed if too_few and meets(bound, threshold, favourable) else 0


def rate(
    gates: pd.DataFrame, findings: pd.DataFrame, *, coverage: Mapping[str, tuple[float, float]] | None = None
) -> dict:
    """The record of the decision: rating, exit_code, and `reasons`, pairs of what and name, gravest first.

    Not fit : a critical gate failed, or a Critical finding is open
    Not assessable : otherwise, if no gate rests on what raters say of the answers
    Fit with conditions : otherwise, if any gate failed or is incomplete, a High finding is open, or the
        evidence covers less than was asked for
    Fit for use : otherwise
    exit_code : 0 fit, 2 a gate failed or a Critical or High finding is open, 3 neither, but the evidence is
        incomplete

    gates : of `gates.evaluate`; findings : of `findings.raise_findings`
    coverage : what the evidence had to reach, name -> (found, least)
    """
    worst = worst_rows(gates)
    failed = worst[worst["outcome"] == FAIL]
    short = [name for name, (found, least) in (coverage or {}).items() if not found >= least]
    rated = worst[worst["metric"].map(rated_by_people).astype(bool) & (worst["n"] > 0)]
    reasons = {
        NOT_FIT: [
            *((CRITICAL_GATE, name) for name in failed.loc[failed["critical"].astype(bool), "gate"]),
            *((CRITICAL_FINDING, name) for name in open_findings(findings, "Critical")["finding_id"]),
        ],
        NOT_ASSESSABLE: [(NO_LABELS, "")] if rated.empty else [],
        CONDITIONS: [
            *((GATE_FAILED, name) for name in failed.loc[~failed["critical"].astype(bool), "gate"]),
            *((INCOMPLETE_GATE, name) for name in worst.loc[worst["outcome"] == INCOMPLETE, "gate"]),
            *((HIGH_FINDING, name) for name in open_findings(findings, "High")["finding_id"]),
            *((SHORT, name) for name in short),
        ],
    }
    rating = next((name for name, held in reasons.items() if held), FIT)
    told = [reason for held in reasons.values() for reason in held]
    kinds = {what for what, _ in told}
    is_failed = bool(kinds & {CRITICAL_GATE, CRITICAL_FINDING, GATE_FAILED, HIGH_FINDING})
    exit_code = FAILED if is_failed else UNKNOWN if told else PASSED
    return {"rating": rating, "exit_code": exit_code, "reasons": [list(reason) for reason in told]}


def open_findings(findings: pd.DataFrame, severity: str) -> pd.DataFrame:
    """The open findings of this severity; a waived gate's is not open."""
    return findings[(findings["severity"] == severity) & (findings["status"] == OPEN)]
