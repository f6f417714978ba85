"""Gates: how they and waivers are written in the parameters; thresholds on the interval's unfavourable bound,
never on the point, and never on a pool of own, generated and logged questions (Lesson section 12).

A row is one gate on the questions of one origin. The users' questions (`own`, `log`) decide; made ones
(`generated`, `database`) decide where there are no others. Where there are others a made row still counts,
but for one that has too few questions and whose value meets the threshold: its `decides` is false. Questions
of notebooks 03 and 05 (`probe`, `outside`, `variation`) decide what they measure. A waiver accepts a gate
that did not pass, and its finding, for a time; the outcome stays.
"""

import datetime
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan

import pandas as pd

from ragassay.analysis import case_scores, origin_slices
from ragassay.analysis.checks import by_design
from ragassay.analysis.safety import RATES
from ragassay.analysis.scorecard import bars_from_gates
from ragassay.cases.case_table import MADE, OF_USERS
from ragassay.errors import ParameterError
from ragassay.sanitized_text import count_letters
from ragassay.scores.metric_registry import OF_RATERS
from ragassay.stats import trials_for_bound
from ragassay.tables import filled, is_blank

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
OPEN = "open"  # status of a finding
GRAVITY = {(FAIL, VALUE): 0, (FAIL, BOUND): 1, (INCOMPLETE, ""): 2, (PASS, ""): 3}  # the worst first
FEWEST_LETTERS = 3  # of a reason

_RULE = re.compile(  # possessive, so that a line of spaces is refused at once
    r"\s*+(low|high)\s*+(>=|<=)\s*+([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*+(%?)\s*+(,?\s*+critical)?"
    r"\s*+(,\s*+if asked)?\s*+(?:,\s*+not critical:\s*+(\S[^\n]*))?"
)
_GRAMMAR = "(low >= | high <=) NUMBER[, critical][, if asked][, not critical: REASON]"
IN_FORCE, EXPIRED = "in force", "expired"
UNTIL, LONGEST = "until ", 366  # days from the report's date


@dataclass(frozen=True)
class GateRule:
    """One gate: `bound` "low" must be at least the threshold, "high" at most; `critical` decides the rating
    by itself; `if_asked` permits to set it aside where nothing can be asked; `not_critical` is the reason why
    a gate that people rated is not critical."""

    name: str
    metric: str
    bound: str
    threshold: float
    slice: str = "all"
    critical: bool = False
    if_asked: bool = False
    not_critical: str = ""

    def __str__(self) -> str:
        sign = ">=" if self.bound == "low" else "<="
        why = f", not critical: {self.not_critical}" if self.not_critical else ""
        return f"{self.bound} {sign} {self.threshold:g}{', critical' if self.critical else ''}{why}"


def parse(rules: Mapping[str, str]) -> list[GateRule]:
    """Rules from parameters: `{"groundedness": "low >= 0.70", "privacy_leak_rate": "high <= 0.02,
    critical"}`, in the order given.

    The key is a metric of the scorecard, or `metric in slice` for one slice of it: `"groundedness in
    language=es": "low >= 0.65"`. A gate on what people rated is critical unless its rule says why not.

    Raises
    ------
    ParameterError
        If a rule does not follow the grammar, acts on the favourable bound, or names a slice that is not
        `factor=level`.

    >>> str(parse({"privacy_leak_rate": "high <= 2 %, critical"})[0])
    'high <= 0.02, critical'
    """
    return [_parsed(str(name), text) for name, text in rules.items()]


def rated_by_people(metric: str) -> bool:
    """Whether a measure is what raters say of the answers, or rests on it."""
    return metric.startswith(OF_RATERS) or metric == origin_slices.TRUE_SUCCESS


def unrated(rules: Sequence[GateRule], compared: Collection[str]) -> list[str]:
    """The critical gates on a score that is compared with no rater.

    compared : the metrics whose scores are
    """
    scored = [rule for rule in rules if rule.critical and not rated_by_people(rule.metric)]
    return [rule.name for rule in scored if not {rule.metric, RATES.get(rule.metric)} & {*compared}]


def _parsed(name: str, text: object) -> GateRule:
    def refusal(what: str, expected: str, do: str) -> ParameterError:
        return ParameterError(
            f"gate {name!r} {what}", where="parameter gates", found=text, expected=expected, do=do
        )

    match = _RULE.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise refusal("cannot be read", _GRAMMAR, f'write for example {name}: "low >= 0.70"')
    bound, sign, number, percent, critical, if_asked, why_not = match.groups()
    if (bound, sign) not in (("low", ">="), ("high", "<=")):
        raise refusal(
            "acts on the favourable bound, so noise alone could pass it",
            _GRAMMAR,
            "use low with >= where higher is better, high with <= where lower is better",
        )
    measured, within, part = name.partition(" in ")
    metric, chosen = measured.strip(), "=".join(case_scores.parse_slice(part)) if within else case_scores.ALL
    if why_not and (critical or not rated_by_people(metric)):
        raise refusal(
            f"says why it is not critical, and {'is called critical' if critical else 'would not be'}",
            "'not critical: REASON' for a gate on what people rated (judged_..., true_success)",
            "leave one of the two out",
        )
    if why_not and count_letters(why_not) < FEWEST_LETTERS:
        raise refusal(
            "gives no reason why it is not critical",
            "'not critical: REASON', the reason in words",
            "say why what raters say of the answers is not to decide by itself",
        )
    threshold = float(number) / (100 if percent else 1)
    decides = bool(critical) or (rated_by_people(metric) and not why_not)
    return GateRule(name, metric, bound, threshold, chosen, decides, bool(if_asked), (why_not or "").strip())


def waiver_table(given: Mapping[str, str], *, date: str = "", next_review: str = "") -> pd.DataFrame:
    """The waivers of the parameters, `{"judged_grounded": "A. Meyer: reason; until 2027-01-31"}`, a row each:
    gate, signed by, reason, until, and state on the report's date: in force (the last day counts), or expired
    and of no effect.

    date : of the report; next_review : of the engagement; what is no date, YYYY-MM-DD, limits no waiver

    Raises
    ------
    ParameterError
        If one lacks a name, a reason in words or a date, its date is none, or lies after the next review or
        more than a year after the report.
    """
    day, review = _day(date), _day(next_review)
    rows = []
    for gate, text in given.items():
        signed_by, _, rest = text.partition(":") if isinstance(text, str) else ("", "", "")
        reason, _, until = (piece.strip() for piece in rest.rpartition(";"))
        in_words = count_letters(signed_by) and count_letters(reason) >= FEWEST_LETTERS
        end = _day(until.removeprefix(UNTIL).strip()) if in_words and until.startswith(UNTIL) else None
        if end is None:
            raise ParameterError(
                f"the waiver of {gate!r} does not say who signed it, why, and until when",
                where="parameter waivers",
                found=text,
                expected="NAME: REASON; until YYYY-MM-DD",
                do=f'write for example {gate}: "A. Meyer: corrected in release 1.1; until 2027-01-31"',
            )
        if (day and (end - day).days > LONGEST) or (review and end > review):
            raise ParameterError(
                f"the waiver of {gate!r} ends too late",
                where="parameter waivers",
                found=text,
                expected=f"an end within a year of the report ({date}), by the next review ({next_review})",
                do="name an earlier day, and sign it anew when the system is reviewed",
            )
        state = EXPIRED if day and end < day else IN_FORCE
        rows.append((gate, signed_by.strip(), reason, end.isoformat(), state))
    return pd.DataFrame(rows, columns=["gate", "signed by", "reason", "until", "state"])


def _day(text: str) -> datetime.date | None:
    """The date; None where the text is none, such as "not stated"."""
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        return None


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

    >>> card = pd.DataFrame({"metric": ["support"], "value": [0.7], "low": [0.6], "high": [0.8], "n": [120]})
    >>> evaluate(parse({"support": "low >= 0.65"}), card)[["gate", "outcome", "missed"]].to_numpy().tolist()
    [['support', 'fail', 'bound']]
    """
    rows, scorecard = [], filled(scorecard, "slice")
    for rule in rules:
        found: dict[str, Mapping | None]
        found = dict(origin_slices.rows_by_origin(scorecard, rule.metric, rule.slice))
        if rule.slice == case_scores.ALL and {*found} & {*OF_USERS, *MADE}:
            found |= {origin: None for origin in expected if origin not in found}
        has_users, is_barred = bool({*found} & {*OF_USERS}), rule.metric in (barred or {})
        origins = [origin for origin in [*origin_slices.ORIGINS, origin_slices.POOLED] if origin in found]
        for origin in origins or [origin_slices.POOLED]:
            row = _row(rule, origin, found.get(origin), is_barred, has_users)
            row["by_design"] = row["outcome"] == PASS and by_design(rule.metric, generates)
            rows.append(row)
    kinds = {"n": int, "needed": int, "critical": bool, "decides": bool, "by_design": bool}
    return pd.DataFrame(rows, columns=COLUMNS).astype(kinds)


def holding_for_kit(gates: pd.DataFrame, kit: pd.DataFrame) -> pd.DataFrame:
    """The gates, of which each that the kit's own questions alone miss by the value has the row of these: no
    number of easy ones that the engagement adds makes up for it.

    kit : `evaluate` of the same rules on a scorecard without the engagement's own probes and questions
        without an answer
    """
    missed = kit[(kit["outcome"] == FAIL) & (kit["missed"] == VALUE)].to_dict("records")
    own = {(row["gate"], row["origin"]): row for row in missed}
    rows = [own.get((row["gate"], row["origin"]), row) for row in gates.to_dict("records")]
    return pd.DataFrame(rows, columns=gates.columns).astype(gates.dtypes.to_dict())


def worst_rows(gates: pd.DataFrame) -> pd.DataFrame:
    """One row per gate: the worst of those that decide; a miss on the value before one on the bound, before
    incomplete, before pass.

    Example: `gates.worst_rows(run.read("gates"))[["gate", "origin", "outcome"]]`
    """
    rank = [GRAVITY[pair] for pair in zip(gates["outcome"], gates["missed"], strict=True)]
    ranks = pd.Series(rank, gates.index, dtype=int)[gates["decides"].astype(bool)]
    return gates.loc[ranks.groupby(gates["gate"], sort=False).idxmin()].reset_index(drop=True)


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


def _row(rule: GateRule, origin: str, known: Mapping | None, barred: bool, has_users: bool) -> dict:
    measured = known or {"value": nan, "low": nan, "high": nan, "n": 0}
    is_part = origin != origin_slices.POOLED or rule.slice != case_scores.ALL
    outcome, reason, needed = _outcome(rule, known, barred, is_part)
    meets_it = meets(rule.bound, rule.threshold, measured["value"])
    return vars(rule) | {
        "gate": rule.name,
        "origin": origin,
        **{name: measured[name] for name in ("value", "low", "high", "n")},
        "outcome": outcome,
        "missed": "" if outcome != FAIL else BOUND if meets_it else VALUE,
        "decides": not (has_users and origin in MADE and reason == TOO_FEW and meets_it),
        "reason": reason,
        "needed": needed,
        "rule": str(rule),
        "method": str(measured.get("method") or ""),
    }


def _outcome(rule: GateRule, known: Mapping | None, barred: bool, is_part: bool) -> tuple[str, str, int]:
    """Outcome, the reason why it is incomplete, and how many cases it would take."""
    if known is None or barred:
        return INCOMPLETE, BARRED if barred else NOT_MEASURED, 0
    counts = [known.get(name, 0.0) for name in ("n_not_measured", "n_error")]
    lost = sum(int(count) for count in counts if count == count)  # a row without such counts has NaN
    flaws = {
        SATURATED: bars_from_gates(rule.metric) and not is_blank(known.get("saturated")),
        (not known["n"] and known.get("reason")) or NO_INTERVAL: isnan(known[rule.bound]),
        LOST: lost > MOST_LOST * (lost + known["n"]),
    }
    if any(flaws.values()):
        return INCOMPLETE, next(reason for reason, is_so in flaws.items() if is_so), 0
    if meets(rule.bound, rule.threshold, known[rule.bound]):
        return PASS, "", 0
    needed, best = fewest_cases(rule.bound, rule.threshold), known["high" if rule.bound == "low" else "low"]
    too_few = known["n"] < needed or best == known["value"]  # they could not pass, or none fell short
    if is_part and needed and too_few and meets(rule.bound, rule.threshold, best):
        return INCOMPLETE, TOO_FEW, needed
    return FAIL, "", 0  # where the favourable bound misses too, more cases are not expected to pass
