"""A suite of unit tests as its users download it:
JSON Lines with input, references, answers, conditions (GroUSE; illuin/grouse).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragassay.errors import InputError
from ragassay.examination import jsonl_records

MARKS = ("answer_relevancy", "completeness", "usefulness", "faithfulness")
DERIVED = ("positive_acceptance", "negative_rejection")
ALL_MARKS = (*MARKS, *DERIVED)
METRIC_OF = {mark: mark if mark in DERIVED else f"grouse_{mark}" for mark in ALL_MARKS}  # what a gate acts on
_CONDITION = re.compile(r"\s*(==|<=|>=|<|>)\s*(None|null|[-+]?\d+(?:\.\d+)?)\s*")
_COMPARED = {"==": float.__eq__, "<=": float.__le__, ">=": float.__ge__, "<": float.__lt__, ">": float.__gt__}
FOLDER = Path(__file__).parent / "suites"
BUNDLED = FOLDER / "suite.jsonl"  # beside it training.jsonl: sixteen tests to tune a judge on
TEXTS = ("input", "actual_output", "expected_output")
MODES = {
    "Highest marks": 7,
    "Low answer relevancy": 2,
    "Low completeness": 3,
    "Low usefulness": 1,
    "Low faithfulness": 3,
}
TYPES = dict(enumerate((f"{mode} {place}" for mode, n in MODES.items() for place in range(1, n + 1)), 1))
_TYPE_OF = {  # relevancy, completeness, usefulness, faithfulness -> the only type of table 6 with these
    ("<5", "==5", "==None", "==1"): 8,
    ("==1", "==None", "==None", "==1"): 9,
    ("==5", "<5", "==None", "==1"): 10,
    ("==None", "==1", "==None", "==None"): 11,
    ("==None", "==1", "==1", "==1"): 12,
    ("==None", "==None", "==0", "==1"): 13,
}


@dataclass(frozen=True)
class UnitTest:
    """An answer whose marks are known.

    place : its line; type : 1 to 16 of table 6, None where it is not known; question : what its references
        and answers share
    row : input, references, actual_output, expected_output, what a scorer may see
    conditions : of all six marks
    """

    place: int
    type: int | None
    question: str
    row: dict[str, Any]
    conditions: dict[str, str]


def read(path: str | Path = BUNDLED) -> list[UnitTest]:
    """The tests of a file, in its order.

    A test's type comes from `metadata` (test_type as a number or a name, test_name), else from its conditions
    where only one type has them, else from its place where the file is blocks of sixteen.

    Raises InputError if the file is missing, not UTF-8 or holds no test, a line is not JSON, or a field or
    condition is absent or not what it should be.
    """
    found = jsonl_records.read(path, "tests")
    blocks = len(found) % 16 == 0
    return [_test(place, row, where, blocks) for place, (where, row) in enumerate(found)]


def _test(place: int, row: dict[str, Any], where: str, blocks: bool) -> UnitTest:
    seen = {
        **{name: jsonl_records.text(row, name, where) for name in TEXTS},
        "references": jsonl_records.texts(row, "references", where),
    }
    wanted = _conditions(row, where)
    return UnitTest(place + 1, _type(row, wanted, place, blocks), row["input"], seen, all_conditions(wanted))


def _conditions(row: Mapping[str, Any], where: str) -> dict[str, str]:
    given = row["conditions"] if isinstance(row.get("conditions"), dict) else row
    found = {mark: given.get(f"{mark}_condition", given.get(mark)) for mark in MARKS}
    for mark, condition in found.items():
        try:
            parse_condition(condition)
        except ValueError as problem:
            raise InputError(
                f"the condition of {mark} cannot be read",
                where=where,
                found=condition,
                expected="==5, <5, ==None",
                do=str(problem),
            ) from None
    return {
        mark: str(condition).replace(" ", "").replace("null", "None") for mark, condition in found.items()
    }


def _type(row: Mapping[str, Any], wanted: Mapping[str, str], place: int, blocks: bool) -> int | None:
    about = row["metadata"] if isinstance(row.get("metadata"), dict) else row
    known = {name.lower(): number for number, name in TYPES.items()} | {
        str(number): number for number in TYPES
    }
    for field in ("test_type", "type", "test_name"):
        text = str(about.get(field, "")).strip().lower()
        if text in known:
            return known[text]
    telling = _TYPE_OF.get(tuple(wanted[mark] for mark in MARKS))  # type: ignore[arg-type]
    return telling or (place % 16 + 1 if blocks else None)


def parse_condition(condition: str) -> tuple[str, float | None]:
    """A condition as its sign and number; None for null. ValueError if it is none."""
    match = _CONDITION.fullmatch(condition) if isinstance(condition, str) else None
    if match is None or (match[2] in ("None", "null") and match[1] != "=="):
        raise ValueError(f"a condition reads ==5, <5 or ==None; found {condition!r}")
    return match[1], None if match[2] in ("None", "null") else float(match[2])


def meets(mark: float | None, condition: str) -> bool:
    """Whether a mark, None for null, meets a condition; null meets only ==None."""
    sign, number = parse_condition(condition)
    if mark is None or number is None:
        return mark is None and number is None
    return bool(_COMPARED[sign](float(mark), number))


def is_readable(mark: str, given: object) -> bool:
    """Whether a mark is one its criterion knows: null, 1 to 5 (answer relevancy, completeness), or 0 or 1;
    no text, no NaN.
    """
    grades = range(1, 6) if mark in ("answer_relevancy", "completeness") else range(2)
    return given is None or (isinstance(given, (int, float)) and given in grades)


def derived_marks(relevancy_null: bool, completeness_null: bool) -> dict[str, float | None]:
    """Positive acceptance and negative rejection from what is null, as section 4.1 defines them.

    Relevancy is null for a refusal, completeness where the references hold no answer (figure 2). Neither: an
    answerable question answered, 1 and null. Relevancy only: refused, 0 and null. Completeness only: an
    unanswerable one answered, null and 0. Both: refused, null and 1. Table 6 prints null and null for the
    first and 1 and 1 for the last (decision 18); GroUSE's published pass rates of these two are by its table.
    """
    accepted = None if completeness_null else float(not relevancy_null)
    rejected = float(relevancy_null) if completeness_null else None
    return {"positive_acceptance": accepted, "negative_rejection": rejected}


def all_conditions(conditions: Mapping[str, str]) -> dict[str, str]:
    """The conditions of all six marks:
    four as the suite says, two derived from which of them ask for null.
    """
    null = {
        mark: parse_condition(conditions[mark])[1] is None for mark in ("answer_relevancy", "completeness")
    }
    found = derived_marks(null["answer_relevancy"], null["completeness"])
    return {
        **{mark: conditions[mark] for mark in MARKS},
        **{mark: "==None" if value is None else f"=={value:g}" for mark, value in found.items()},
    }
