"""How gates and waivers are written in the parameters: of a gate bound, threshold, and what failing it means;
of a waiver who signed, why, and until when. A waiver accepts a gate that did not pass, and its finding, for a
time; the outcome stays."""

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

import pandas as pd

from ragassay.analysis import case_scores
from ragassay.analysis.origin_slices import TRUE_SUCCESS
from ragassay.errors import ParameterError
from ragassay.sanitized_text import count_letters
from ragassay.scores.metric_registry import OF_RATERS

FEWEST_LETTERS = 3  # of a reason

_RULE = re.compile(  # possessive, so that a line of spaces is refused at once
    r"\s*+(low|high)\s*+(>=|<=)\s*+([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*+(%?)\s*+(,?\s*+critical)?"
    r"\s*+(,\s*+if asked)?\s*+(?:,\s*+not critical:\s*+(\S[^\n]*))?"
)
_GRAMMAR = "(low >= | high <=) NUMBER[, critical][, if asked][, not critical: REASON]"
WAIVERS = ["gate", "signed by", "reason", "until", "state"]
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
    """
    return [_parsed(str(name), text) for name, text in rules.items()]


def rated_by_people(metric: str) -> bool:
    """Whether a measure is what raters say of the answers, or rests on it."""
    return metric.startswith(OF_RATERS) or metric == TRUE_SUCCESS


def split_name(name: str) -> tuple[str, str]:
    """The metric and the slice that a gate's name says; the slice is `all` where it names none.

    Raises
    ------
    ParameterError
        If the slice is not `factor=level`.
    """
    metric, within, part = name.partition(" in ")
    return metric.strip(), "=".join(case_scores.parse_slice(part)) if within else case_scores.ALL


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
    metric, chosen = split_name(name)
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
    if not isfinite(threshold):
        raise refusal("has no finite threshold", _GRAMMAR, "name a share or a score")
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
    return pd.DataFrame(rows, columns=WAIVERS)


def _day(text: str) -> datetime.date | None:
    """The date; None where the text is none, such as "not stated"."""
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        return None
