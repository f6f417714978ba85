"""A suite of unit tests as its users download it:
JSON Lines with input, references, answers, conditions (GroUSE; illuin/grouse).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragassay.errors import InputError
from ragassay.examination import conditions, records

FOLDER = Path(__file__).parent / "suites"
BUNDLED, TRAINING = FOLDER / "suite.jsonl", FOLDER / "training.jsonl"
TEXTS = ("input", "actual_output", "expected_output")
TYPES = {
    **{number: f"Highest marks {number}" for number in range(1, 8)},
    8: "Low answer relevancy 1", 9: "Low answer relevancy 2", 10: "Low completeness 1", 11: "Low completeness 2", 12: "Low completeness 3",
    13: "Low usefulness 1", 14: "Low faithfulness 1", 15: "Low faithfulness 2", 16: "Low faithfulness 3",
}  # fmt: skip
_TELLING = {  # relevancy, completeness, usefulness, faithfulness -> the only type of table 6 that asks for these
    ("<5", "==5", "==None", "==1"): 8, ("==1", "==None", "==None", "==1"): 9, ("==5", "<5", "==None", "==1"): 10,
    ("==None", "==1", "==None", "==None"): 11, ("==None", "==1", "==1", "==1"): 12, ("==None", "==None", "==0", "==1"): 13,
}  # fmt: skip


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

    Raises
    ------
    InputError
        If the file is missing, not UTF-8 or holds no test, a line is not JSON, or a field or condition is
        absent or not what it should be.
    """
    found = records.read(path, "tests")
    blocks = len(found) % 16 == 0
    return [_test(place, row, where, blocks) for place, (where, row) in enumerate(found)]


def _test(place: int, row: dict[str, Any], where: str, blocks: bool) -> UnitTest:
    seen = {
        **{name: records.text(row, name, where) for name in TEXTS},
        "references": records.texts(row, "references", where),
    }
    wanted = _conditions(row, where)
    return UnitTest(
        place + 1, _type(row, wanted, place, blocks), row["input"], seen, conditions.expected(wanted)
    )


def _conditions(row: Mapping[str, Any], where: str) -> dict[str, str]:
    given = row["conditions"] if isinstance(row.get("conditions"), dict) else row
    found = {mark: given.get(f"{mark}_condition", given.get(mark)) for mark in conditions.MARKS}
    for mark, condition in found.items():
        try:
            conditions.read(condition)
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
    named, numbered = (
        {name.lower(): number for number, name in TYPES.items()},
        {str(number): number for number in TYPES},
    )
    for field in ("test_type", "type", "test_name"):
        text = str(about.get(field, "")).strip().lower()
        if text in named or text in numbered:
            return named.get(text) or numbered[text]
    told = _TELLING.get(tuple(wanted[mark] for mark in conditions.MARKS))  # type: ignore[arg-type]
    return told or (place % 16 + 1 if blocks else None)
