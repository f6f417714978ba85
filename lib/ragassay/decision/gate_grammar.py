"""What a gate asks for, as it is written in the parameters: bound, threshold, and what failing it means."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from ragassay.analysis import case_scores
from ragassay.analysis.origin_slices import TRUE_SUCCESS
from ragassay.errors import ParameterError, did_you_mean
from ragassay.sanitized_text import count_letters
from ragassay.scores.metric_registry import OF_RATERS

FEWEST_LETTERS = 3  # of a reason

_RULE = re.compile(  # possessive, so that a line of spaces is refused at once
    r"\s*+(low|high)\s*+(>=|<=)\s*+([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*+(%?)\s*+(,?\s*+critical)?"
    r"\s*+(,\s*+if asked)?\s*+(?:,\s*+not critical:\s*+(\S[^\n]*))?"
)
_GRAMMAR = "(low >= | high <=) NUMBER[, critical][, if asked][, not critical: REASON]"


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


def parse(rules: Mapping[str, str], known: Sequence[str] | None = None) -> list[GateRule]:
    """Rules from parameters: `{"groundedness": "low >= 0.70", "privacy_leak_rate": "high <= 0.02,
    critical"}`, in the order given.

    The key is a metric of the scorecard, or `metric in slice` for one slice of it: `"groundedness in
    language=es": "low >= 0.65"`. A gate on what people rated is critical unless its rule says why not.
    `known`: the metrics that exist, to refuse a misspelt one now rather than call it incomplete later.

    Raises
    ------
    ParameterError
        If a rule does not follow the grammar, acts on the favourable bound, names a metric that is not known,
        or a slice that is not `factor=level`.
    """
    return [_parsed(str(name), text, known) for name, text in rules.items()]


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
    bound, sign, number, percent, critical, if_asked, why_not = match.groups()
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
    _check_reason(name, text, metric, critical, why_not)
    threshold = float(number) / (100 if percent else 1)
    if not isfinite(threshold):
        raise ParameterError(
            f"gate {name!r} has no finite threshold", where="parameter gates", found=text, expected=_GRAMMAR
        )
    decides = bool(critical) or (rated_by_people(metric) and not why_not)
    return GateRule(name, metric, bound, threshold, chosen, decides, bool(if_asked), (why_not or "").strip())


def _check_reason(name: str, text: object, metric: str, critical: str | None, why_not: str | None) -> None:
    if why_not and (critical or not rated_by_people(metric)):
        raise ParameterError(
            f"gate {name!r} says why it is not critical, and "
            f"{'is called critical' if critical else 'would not be'}",
            where="parameter gates",
            found=text,
            expected="'not critical: REASON' for a gate on what people rated (judged_..., true_success)",
            do="leave one of the two out",
        )
    if why_not and count_letters(why_not) < FEWEST_LETTERS:
        raise ParameterError(
            f"gate {name!r} gives no reason why it is not critical",
            where="parameter gates",
            found=text,
            expected="'not critical: REASON', the reason in words",
            do="say why what raters say of the answers is not to decide by itself",
        )


def _suggestion(text: object) -> str:
    """The rule that was probably meant: its bound and its number in the grammar's order and signs."""
    found = re.search(r"(low|high)?[^0-9]{0,20}(\d{1,9}(?:\.\d{1,9})?)\s{0,5}(%?)", str(text)[:200].lower())
    bound, number, percent = found.groups() if found else (None, "0.70", "")
    upper = bound == "high" or (bound is None and "<" in str(text))
    return f"{'high <=' if upper else 'low >='} {number}{percent}"


def _check_metric(name: str, metric: str, known: Sequence[str] | None) -> None:
    if known is not None and metric not in known:
        raise ParameterError(
            f"gate {name!r} names no known metric",
            where="parameter gates",
            found=metric,
            expected=sorted(known),
            do=did_you_mean(metric, known, "correct the name"),
        )
