"""What a test expects of a mark, and whether a mark meets it (GroUSE 4.2, table 6)."""

import re
from collections.abc import Mapping

MARKS = ("answer_relevancy", "completeness", "usefulness", "faithfulness")
DERIVED = ("positive_acceptance", "negative_rejection")
ALL = (*MARKS, *DERIVED)
_CONDITION = re.compile(r"\s*(==|<=|>=|<|>)\s*(None|null|[-+]?\d+(?:\.\d+)?)\s*")
_COMPARED = {"==": float.__eq__, "<=": float.__le__, ">=": float.__ge__, "<": float.__lt__, ">": float.__gt__}


def read(condition: str) -> tuple[str, float | None]:
    """A condition as its sign and number; None for null. ValueError if it is none."""
    match = _CONDITION.fullmatch(condition) if isinstance(condition, str) else None
    if match is None or (match[2] in ("None", "null") and match[1] != "=="):
        raise ValueError(f"a condition reads ==5, <5 or ==None; found {condition!r}")
    return match[1], None if match[2] in ("None", "null") else float(match[2])


def holds(mark: float | None, condition: str) -> bool:
    """Whether a mark, None for null, meets a condition; null meets only ==None."""
    sign, number = read(condition)
    if mark is None or number is None:
        return mark is None and number is None
    return bool(_COMPARED[sign](float(mark), number))


def readable(mark: str, given: object) -> bool:
    """Whether a mark is one its criterion knows: null, 1 to 5 (answer relevancy, completeness), or 0 or 1;
    no text, no NaN.
    """
    grades = range(1, 6) if mark in ("answer_relevancy", "completeness") else range(2)
    return given is None or (isinstance(given, (int, float)) and given in grades)


def derived(relevancy_null: bool, completeness_null: bool) -> dict[str, float | None]:
    """Positive acceptance and negative rejection from what is null, as table 6 has them.

    Both null: an unanswerable question refused, 1 and 1. Relevancy only: an answerable one refused, 0 and
    null. Completeness only: an unanswerable one answered, null and 0. Neither: null and null. (Section 4.1
    defines them otherwise, and our metrics of these names follow that; a suite is marked by its own table.)
    """
    accepted = None if not relevancy_null else float(completeness_null)
    rejected = None if not completeness_null else float(relevancy_null)
    return {"positive_acceptance": accepted, "negative_rejection": rejected}


def expected(conditions: Mapping[str, str]) -> dict[str, str]:
    """The conditions of all six marks:
    four as the suite says, two derived from which of them ask for null.
    """
    null = {mark: read(conditions[mark])[1] is None for mark in ("answer_relevancy", "completeness")}
    found = derived(null["answer_relevancy"], null["completeness"])
    return {
        **{mark: conditions[mark] for mark in MARKS},
        **{mark: "==None" if value is None else f"=={value:g}" for mark, value in found.items()},
    }
