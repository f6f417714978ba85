"""A suite of unit tests as its users download it:
JSON Lines with input, references, answers, conditions (GroUSE; illuin/grouse).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragassay.answers.log_files import Record
from ragassay.errors import InputError
from ragassay.labels import human_labels

MARKS = ("answer_relevancy", "completeness", "usefulness", "faithfulness")
DERIVED = ("positive_acceptance", "negative_rejection")
ALL_MARKS = (*MARKS, *DERIVED)
GRADES = ("answer_relevancy", "completeness")  # 1 to 5; the others are 0 or 1; each may be null
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

    A test's type comes from `metadata`: test_type as a number or a name, or test_name.

    Raises InputError if the file is missing, not UTF-8 or holds no test, a line is not JSON, or a field or
    condition is absent or not what it should be.
    """
    tests, numbers = [], {name.lower(): number for number, name in TYPES.items()}
    numbers |= {str(number): number for number in TYPES}
    for place, (record, where, *_) in enumerate(whole_records(path), start=1):
        row = shown(record, where)
        conditions = record["conditions"] if isinstance(record.get("conditions"), dict) else record
        wanted = {}
        for mark in MARKS:
            condition = conditions.get(f"{mark}_condition", conditions.get(mark))
            try:
                parse_condition(condition)
            except ValueError:
                what, expected = f"the condition of {mark} cannot be read", "==5, <5, ==None"
                raise InputError(what, where=where, found=condition, expected=expected) from None
            wanted[mark] = str(condition).replace(" ", "").replace("null", "None")
        about = record["metadata"] if isinstance(record.get("metadata"), dict) else record
        named = (str(about.get(field, "")).strip().lower() for field in ("test_type", "type", "test_name"))
        number = next((numbers[name] for name in named if name in numbers), None)
        tests.append(UnitTest(place, number, row["input"], row, all_conditions(wanted)))
    return tests


def whole_records(path: str | Path) -> list[Record]:
    """The records of a JSON Lines file. Raises InputError if it is missing, holds none, or a line cannot be
    read."""
    records = human_labels.whole_records(Path(path), InputError)
    if not records:
        raise InputError("the file holds no line", where=path, do="give a file with at least one line")
    return records


def shown(record: Mapping[str, Any], where: str) -> dict[str, Any]:
    """What a scorer may see of a record: input, references, actual_output, expected_output.

    Raises InputError if one is absent or of another type.
    """
    row = {name: record.get(name) for name in (*TEXTS, "references")}
    listed = isinstance(row["references"], list) and all(isinstance(each, str) for each in row["references"])
    wrong = [name for name in TEXTS if not isinstance(row[name], str)] + ([] if listed else ["references"])
    if wrong:
        what = f"{wrong[0]!r} is no {'list of texts' if wrong[0] == 'references' else 'text'}"
        raise InputError(what, where=where, found=repr(row[wrong[0]])[:80], do="repair the line")
    return row


def parse_condition(condition: Any) -> tuple[str, float | None]:
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


def is_readable(mark: str, value: object) -> bool:
    """Whether a mark is one its criterion knows: null, 1 to 5 (answer relevancy, completeness), or 0 or 1;
    no text, no truth value, no NaN.
    """
    known = range(1, 6) if mark in GRADES else range(2)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value is None or (is_number and value in known)


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
    relevancy, completeness = (parse_condition(conditions[mark])[1] for mark in GRADES)
    derived = derived_marks(relevancy is None, completeness is None)
    return dict(conditions) | {
        mark: "==None" if value is None else f"=={value:g}" for mark, value in derived.items()
    }
