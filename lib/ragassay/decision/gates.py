"""Gates: thresholds on the interval's bound, never on the point (Lesson section 12; decision 10)."""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan

import pandas as pd

from ragassay.analysis import saturation, slices
from ragassay.decision.few_cases import cases_needed, meets
from ragassay.errors import ParameterError

PASS, FAIL, INCOMPLETE = "pass", "fail", "incomplete"
MOST_LOST = 0.1  # share of applicable cases that may lack a score before a gate is incomplete
COLUMNS = [
    "gate", "metric", "slice", "bound", "threshold", "value", "low", "high", "n", "outcome", "reason",
    "critical", "rule",
]  # fmt: skip
ASKED = {  # measures of questions that are no user's: an assistant is asked them, and no log holds them
    "out_of_scope_declined": "out-of-scope questions",
    "false_answer_rate": "questions without an answer",
    "probes_declined": "attack probes",
    "attack_success_rate": "attack probes",
    "attack_quoted_rate": "attack probes",
    "attack_link_rate": "attack probes",
}
_RULE = re.compile(
    r"\s*(low|high)\s*(>=|<=)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(%?)\s*(,?\s*critical)?"
    r"\s*(,\s*if asked)?\s*"
)
_GRAMMAR = (
    "low >= NUMBER or high <= NUMBER, then ', critical' if failing it alone makes the system unfit, "
    "', if asked' if it is set aside where there is only a log, which cannot be asked"
)


@dataclass(frozen=True)
class GateRule:
    """One gate: `bound` "low" must be at least the threshold, "high" at most; `critical` decides the rating
    by itself; `if_asked` permits to set it aside where nothing can be asked."""

    name: str
    metric: str
    bound: str
    threshold: float
    slice: str = "all"
    critical: bool = False
    if_asked: bool = False

    def __str__(self) -> str:
        return (
            f"{self.bound} {'>=' if self.bound == 'low' else '<='} "
            f"{self.threshold:g}{', critical' if self.critical else ''}"
        )


def parse(rules: Mapping[str, str], known: Sequence[str] | None = None) -> list[GateRule]:
    """Rules from parameters: `{"groundedness": "low >= 0.70", "privacy_leak_rate": "high <= 0.02,
    critical"}`, in the order given.

    The key is a metric of the scorecard, or `metric in slice` for one slice of it: `"groundedness in
    language=es": "low >= 0.65"`. `known`: the metrics that exist, to refuse a misspelt one now rather than
    call it incomplete later.

    Raises
    ------
    ParameterError
        If a rule does not follow the grammar, acts on the favourable bound, names a metric that is not known,
        or a slice that is not `factor=level`.
    """
    return [_parsed(str(name), text, known) for name, text in rules.items()]


def evaluate(
    rules: Sequence[GateRule],
    scorecard: pd.DataFrame,
    *,
    barred: Mapping[str, str] | None = None,
    most_lost: float = MOST_LOST,
) -> pd.DataFrame:
    """The gates table: one row per rule, in their order; `outcome` pass, fail or incomplete, `reason` in
    words, always.

    incomplete : the metric is not in the scorecard, has no such bound, its instrument is barred (`barred`:
        metric -> why), it grades quality but has one value for nearly all answers (decision 28), or more than
        a share `most_lost` of the cases it applies to could not be scored (where the scorecard counts them):
        never a pass. So is a slice of too few cases to pass whatever they had shown, unless its favourable
        bound misses too: then it fails
    """
    found = [_row(rule, scorecard, (barred or {}).get(rule.metric), most_lost) for rule in rules]
    return pd.DataFrame(found, columns=COLUMNS).astype({"n": int, "critical": bool})


def acted_on(rules: Sequence[GateRule], scorecard: pd.DataFrame) -> pd.Series:
    """Which rows of the scorecard a gate acts on, True or False."""
    named = {(rule.metric, rule.slice) for rule in rules}
    pairs = zip(scorecard["metric"], scorecard["slice"], strict=True)
    return pd.Series([pair in named for pair in pairs], index=scorecard.index, dtype=bool)


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


def _parsed(name: str, text: object, known: Sequence[str] | None) -> GateRule:
    match = _RULE.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ParameterError(
            f"gate {name!r} cannot be read",
            where="parameter gates",
            found=text,
            expected=_GRAMMAR,
            do=f'write for example {name}: "{_suggestion(text)}"',
        )
    bound, sign, number, percent, critical, if_asked = match.groups()
    if (bound, sign) not in (("low", ">="), ("high", "<=")):
        raise ParameterError(
            f"gate {name!r} acts on the favourable bound, so noise alone could pass it",
            where="parameter gates",
            found=text,
            expected=_GRAMMAR,
            do="use low with >= where higher is better, high with <= where lower is better",
        )
    metric, chosen = split_name(name)
    _check_metric(name, metric, known)
    threshold = float(number) / (100 if percent else 1)
    if not isfinite(threshold):
        raise ParameterError(
            f"gate {name!r} has no finite threshold", where="parameter gates", found=text, expected=_GRAMMAR
        )
    return GateRule(name, metric, bound, threshold, chosen, bool(critical), bool(if_asked))


def split_name(name: str) -> tuple[str, str]:
    """The metric and the slice that a gate's name says; the slice is `all` where it names none.

    Raises
    ------
    ParameterError
        If the slice is not `factor=level`.
    """
    metric, within, part = name.partition(" in ")
    return metric.strip(), str(slices.parse(part)) if within else slices.ALL


def _suggestion(text: object) -> str:
    """The rule that was probably meant: its bound and its number in the grammar's order and signs."""
    found = re.search(r"(low|high)?[^0-9]{0,20}(\d{1,9}(?:\.\d{1,9})?)\s{0,5}(%?)", str(text)[:200].lower())
    bound, number, percent = found.groups() if found else (None, "0.70", "")
    upper = bound == "high" or (bound is None and "<" in str(text))
    return f"{'high <=' if upper else 'low >='} {number}{percent}"


def _check_metric(name: str, metric: str, known: Sequence[str] | None) -> None:
    if known is not None and metric not in known:
        near = difflib.get_close_matches(metric, list(known), 1)
        raise ParameterError(
            f"gate {name!r} names no known metric",
            where="parameter gates",
            found=metric,
            expected=sorted(known),
            do=f"did you mean {near[0]!r}?" if near else "correct the name",
        )


def _row(rule: GateRule, scorecard: pd.DataFrame, barred: str | None, most_lost: float) -> dict:
    chosen = scorecard[(scorecard["metric"] == rule.metric) & (scorecard["slice"] == rule.slice)]
    measured = (
        chosen.iloc[0].to_dict()
        if len(chosen)
        else {"value": float("nan"), "low": float("nan"), "high": float("nan"), "n": 0}
    )
    why = f"instrument barred from gates: {barred}" if barred is not None else ""
    why = why or saturation.gate_reason(scorecard, rule.metric)
    outcome, reason = _outcome(rule, measured, len(chosen) > 0, why, most_lost)
    return {
        "gate": rule.name,
        "metric": rule.metric,
        "slice": rule.slice,
        "bound": rule.bound,
        "threshold": rule.threshold,
        **{name: measured[name] for name in ("value", "low", "high", "n")},
        "outcome": outcome,
        "reason": reason,
        "critical": rule.critical,
        "rule": str(rule),
    }


def _outcome(
    rule: GateRule, measured: Mapping, exists: bool, barred: str, most_lost: float
) -> tuple[str, str]:
    bound = measured[rule.bound]
    if not exists:
        return (
            INCOMPLETE,
            f"{rule.metric} was not measured{'' if rule.slice == 'all' else ' on ' + rule.slice}",
        )
    if barred:
        return INCOMPLETE, barred
    if isnan(bound):
        return INCOMPLETE, f"no {rule.bound} bound: {measured.get('reason') or 'no interval'}"
    counts = [measured.get(name, 0.0) for name in ("n_not_measured", "n_error")]
    lost = sum(int(count) for count in counts if count == count)  # a row without such counts has NaN
    if lost > most_lost * (lost + measured["n"]):
        return (
            INCOMPLETE,
            f"{lost} of {lost + measured['n']} cases could not be scored, at most {most_lost:.0%} may",
        )
    side, word = ("lower", "at least") if rule.bound == "low" else ("upper", "at most")
    reason = f"{side} bound {bound:.3g}, {word} {rule.threshold:g} required"
    if meets(rule.bound, rule.threshold, bound):
        return PASS, reason
    if rule.slice != slices.ALL and (needed := cases_needed(rule.bound, rule.threshold, measured)):
        few = (
            f"{measured['n']} cases are too few, {needed} drawn independently needed even if none falls short"
        )
        return INCOMPLETE, f"{reason}: {few}"
    return FAIL, reason
