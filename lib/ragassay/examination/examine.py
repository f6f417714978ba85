"""Every test of a suite, every mark: passed, failed or unparsed;
pass rates with intervals, beside what rules alone would pass.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ragassay.examination.scorers import Marks, Scorer, rules_alone
from ragassay.examination.unit_test_suite import (
    ALL_MARKS,
    DERIVED,
    TYPES,
    UnitTest,
    derived_marks,
    is_readable,
    meets,
)
from ragassay.stats import Interval, clopper_pearson, mean_interval

PASSED, FAILED, UNPARSED = "passed", "failed", "unparsed"
COLUMNS = ["test", "question", "type", "metric", "mark", "condition", "outcome"]
SEED = 0


def share_passed(checks: pd.DataFrame) -> Interval:
    """The share of these marks that are right, in [0, 1]; interval over questions, whose tests share
    references (over tests where there is one question); NaN of none.

    checks : of an `Examination`
    """
    shared = "question" if checks.question.nunique() > 1 else "test"
    clusters = checks[shared].to_numpy() if checks[shared].duplicated().any() else None
    return mean_interval(
        (checks.outcome == PASSED).astype(float),
        clusters=clusters,
        span=(0.0, 1.0),
        rng=np.random.default_rng(SEED),
    )


@dataclass(frozen=True)
class Examination:
    """What a scorer did with a suite.

    name : of the scorer; checks : one row per test and mark, COLUMNS; mark is NaN for null and for what could
        not be read
    A mark that could not be read passes nothing, and is counted apart.
    """

    name: str
    checks: pd.DataFrame

    def to_pandas(self) -> pd.DataFrame:
        """One row per test and mark, a copy."""
        return self.checks.copy()

    @cached_property
    def total(self) -> Interval:
        """Mean of the six pass rates, in [0, 1];
        interval over questions, whose tests share references (over tests where there is one question).
        """
        return share_passed(self.checks)

    @cached_property
    def by_metric(self) -> dict[str, Interval]:
        """Pass rate of each mark; interval over questions."""
        return {mark: share_passed(self.checks[self.checks.metric == mark]) for mark in ALL_MARKS}

    @cached_property
    def by_type(self) -> dict[int, Interval]:
        """Share of the tests of each type with all six marks right (Clopper-Pearson)."""
        right = self._right
        known = sorted(int(each) for each in right.type.dropna().unique())
        return {
            each: clopper_pearson(int(right[right.type == each].right.sum()), int((right.type == each).sum()))
            for each in known
        }

    @cached_property
    def parse_failures(self) -> int:
        """Marks that could not be read."""
        return int((self.checks.outcome == UNPARSED).sum())

    @property
    def _right(self) -> pd.DataFrame:
        return (
            self.checks.assign(right=self.checks.outcome == PASSED)
            .groupby("test", as_index=False)
            .agg({"type": "first", "right": "all"})
        )

    def summary(self) -> pd.DataFrame:
        """Pass rates: what (total, a mark, a type), name, value, low, high, n, method of the interval."""
        rows = [("total", "all six marks", self.total)]
        rows += [("metric", mark, each) for mark, each in self.by_metric.items()]
        rows += [("type", f"{number} {TYPES[number]}", each) for number, each in self.by_type.items()]
        return pd.DataFrame(
            [(what, name, each.value, each.low, each.high, each.n, each.method) for what, name, each in rows],
            columns=["what", "name", "value", "low", "high", "n", "method"],
        )

    def to_dict(self) -> dict[str, Any]:
        """total, by_metric and by_type, each value, low, high, n; what is undefined is null."""
        return {
            "total": _numbers(self.total),
            "by_metric": {mark: _numbers(each) for mark, each in self.by_metric.items()},
            "by_type": {str(number): _numbers(each) for number, each in self.by_type.items()},
        }


def examine(tests: Sequence[UnitTest], scorer: Scorer, *, name: str = "scorer") -> Examination:
    """Mark every test by the scorer and compare with what is expected.

    Raises ValueError if the scorer does not give one set of marks per test.
    """
    given = scorer([test.row for test in tests])
    if len(given) != len(tests):
        raise ValueError(
            f"the scorer must mark every test once; found {len(given)} marks for {len(tests)} tests"
        )
    rows = [row for test, marks in zip(tests, given, strict=True) for row in _checks(test, marks)]
    return Examination(name, pd.DataFrame(rows, columns=COLUMNS))


def with_baseline(tests: Sequence[UnitTest], found: Examination) -> dict[str, Any]:
    """The examination and, beside it, the same for rules alone (`baseline`), as JSON can hold it."""
    baseline = examine(tests, rules_alone, name="rules alone")
    return {
        "scorer": found.name,
        "tests": len(tests),
        **found.to_dict(),
        "parse_failures": found.parse_failures,
        "baseline": baseline.to_dict(),
    }


def as_json(tests: Sequence[UnitTest], found: Examination) -> str:
    """`with_baseline` as JSON text."""
    return json.dumps(with_baseline(tests, found), indent=2, ensure_ascii=False, allow_nan=False)


def _checks(test: UnitTest, marks: Marks) -> list[tuple]:
    every = every_mark(marks)
    of_test = (test.place, test.question, test.type)
    return [
        (*of_test, mark, _shown(every.get(mark)), test.conditions[mark], _outcome(test, mark, every))
        for mark in ALL_MARKS
    ]


def every_mark(marks: Marks) -> Marks:
    """The marks that can be read; the two derived ones by which of the others are null where the scorer gives
    neither."""
    read = {mark: marks[mark] for mark in ALL_MARKS if mark in marks and is_readable(mark, marks[mark])}
    if marks.keys() & set(DERIVED) or not {"answer_relevancy", "completeness"} <= read.keys():
        return read
    return {**read, **derived_marks(read["answer_relevancy"] is None, read["completeness"] is None)}


def _outcome(test: UnitTest, mark: str, marks: Marks) -> str:
    if mark not in marks:
        return UNPARSED
    return PASSED if meets(marks[mark], test.conditions[mark]) else FAILED


def _shown(mark: float | None) -> float:
    return float("nan") if mark is None else float(mark)


def _numbers(found: Interval) -> dict[str, float | int | None]:
    values = {name: getattr(found, name) for name in ("value", "low", "high")}
    return {
        **{name: None if np.isnan(value) else float(value) for name, value in values.items()},
        "n": int(found.n),
    }
