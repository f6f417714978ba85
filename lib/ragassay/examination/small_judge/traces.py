"""A language model's marks of answers, to learn from: read, checked line by line, counted."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay.errors import LabelError
from ragassay.examination import jsonl_records
from ragassay.examination.unit_test_suite import MARKS

ALLOWED = {
    mark: (1.0, 2.0, 3.0, 4.0, 5.0) if mark in ("answer_relevancy", "completeness") else (0.0, 1.0)
    for mark in MARKS
}
TEXTS = ("input", "actual_output", "expected_output")
SHOWN = 5  # bad lines named before the rest is counted


@dataclass(frozen=True)
class Traces:
    """Answers and the marks a judge gave them.

    rows : input, references, actual_output, expected_output of each answer
    marks : of each answer; None is null, a mark left out is one that the judge gave no readable reply for
    """

    rows: tuple[dict[str, Any], ...]
    marks: tuple[dict[str, float | None], ...]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def parse_failures(self) -> dict[str, int]:
        """Answers without a readable mark, by mark."""
        return {mark: sum(mark not in each for each in self.marks) for mark in MARKS}

    @property
    def balance(self) -> pd.DataFrame:
        """How often each mark was given (GroUSE appendix H):
        mark, given ("1" to "5", "null", "unparsed"), n.
        """
        counts = [
            (mark, given, n) for mark in MARKS for given, n in sorted(_counted(self.given(mark)).items())
        ]
        counts += [(mark, "unparsed", n) for mark, n in self.parse_failures.items() if n]
        return pd.DataFrame(counts, columns=["mark", "given", "n"])

    def given(self, mark: str) -> NDArray:
        """(k,) of the answers that have this mark; NaN for null."""
        return np.array(
            [np.nan if each[mark] is None else each[mark] for each in self.marks if mark in each], dtype=float
        )

    def part(self, places: Iterable[int]) -> "Traces":
        """The answers of these places."""
        chosen = list(places)
        return Traces(tuple(self.rows[i] for i in chosen), tuple(self.marks[i] for i in chosen))


def read(path: str | Path) -> Traces:
    """The traces of a JSON Lines file, one answer per line.

    A line has input, references, actual_output, expected_output (absent or null: none is known) and the marks
    answer_relevancy, completeness (1 to 5 or null), usefulness, faithfulness (0, 1 or null), by these names
    or as judge_grouse_*, beside the texts or under `marks`. A mark left out is a reply that could not be
    read: counted, and not learned from.

    Raises
    ------
    InputError
        If the file is missing or holds no line.
    LabelError
        If a line is not such an object, or a mark lies outside its range; the first five are named with their
        lines.
    """
    return _checked([(where, _parse(line)) for where, line in jsonl_records.lines(path, "traces")])


def _parse(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return line


def _checked(records: Sequence[tuple[str, Any]]) -> Traces:
    bad = [(where, problem) for where, record in records if (problem := _problem(record))]
    if bad:
        more = f", and {len(bad) - SHOWN} more" if len(bad) > SHOWN else ""
        named = "; ".join(f"{where}: {problem}" for where, problem in bad[:SHOWN])
        raise LabelError(
            "a trace cannot be learned from",
            where=bad[0][0],
            found=named + more,
            do="correct these lines or leave them out",
        )
    rows = tuple(_row(record) for _, record in records)
    return Traces(rows, tuple(_marks(record) for _, record in records))


def _problem(record: Any) -> str:
    """What is wrong with a line, in words; empty where nothing is."""
    if not isinstance(record, dict):
        return f"no JSON object ({str(record)[:60]!r})"
    wrong = [name for name in TEXTS if not isinstance(_row(record)[name], str)]
    if wrong:
        return f"{wrong[0]!r} is no text"
    references = record.get("references")
    if not isinstance(references, list) or not all(isinstance(each, str) for each in references):
        return "'references' is no list of texts"
    found = _marks(record)
    outside = [mark for mark, value in found.items() if not is_allowed(mark, value)]
    if not outside:
        return "" if found else "no mark of a judge"
    mark = outside[0]
    allowed = ", ".join(f"{each:g}" for each in ALLOWED[mark])
    return f"{mark} is {str(found[mark])[:60]!r}, expected {allowed} or null"


def is_allowed(mark: str, value: Any) -> bool:
    return value is None or (
        isinstance(value, (int, float)) and not isinstance(value, bool) and value in ALLOWED[mark]
    )


def _row(record: Mapping[str, Any]) -> dict[str, Any]:
    expected = record.get("expected_output")
    return {
        **{name: record.get(name) for name in ("input", "references", "actual_output")},
        "expected_output": "" if expected is None else expected,
    }


def _marks(record: Mapping[str, Any]) -> dict[str, Any]:
    given = record["marks"] if isinstance(record.get("marks"), dict) else record
    named = {
        mark: next((name for name in (mark, f"judge_grouse_{mark}") if name in given), None) for mark in MARKS
    }
    return {mark: given[name] for mark, name in named.items() if name is not None}


def _counted(given: NDArray) -> dict[str, int]:
    values, counts = np.unique(np.where(np.isnan(given), -1.0, given), return_counts=True)
    return {"null" if value < 0 else f"{value:g}": int(n) for value, n in zip(values, counts, strict=True)}
