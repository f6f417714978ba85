"""Unit tests of a scorer (GroUSE; illuin/grouse): a suite as its users download it, JSON Lines with input,
references, answers, conditions; every test, every mark: passed, failed or unparsed; who gives the marks (our
offline metrics, a language model, rules alone); pass rates beside what rules alone would pass; which failures
are found (GroUSE 4.1, table 6).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from ragassay.documents.record_files import whole_records
from ragassay.errors import InputError
from ragassay.scores.score import NOT_APPLICABLE, SCORED, score
from ragassay.scores.text_reading import citation_grammar
from ragassay.scores.text_reading.answer_state import declines, read, read_ahead
from ragassay.stats import Interval, clopper_pearson, mean_interval
from ragassay.tables import Whole

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
Marks: TypeAlias = dict[str, float | None]
Scorer: TypeAlias = Callable[[Sequence[Mapping[str, Any]]], list[Marks]]
# Rows of a suite (input, references, actual_output, expected_output) to their marks. None is null; a mark
# left out could not be read. A scorer that gives only four has the two derived ones by which of these are
# null.
PASSED, FAILED, UNPARSED = "passed", "failed", "unparsed"
COLUMNS = ["test", "question", "type", "metric", "mark", "condition", "outcome"]
SEED = 0
FAILURES = {  # GroUSE 4.1: what fails, the mark that shows it, the types of table 6 that have it
    "FM1": ("irrelevant information in a response", "answer_relevancy", (8, 9)),
    "FM2": ("an unanswerable question is not refused", "negative_rejection", (9,)),
    "FM3": ("relevant information is missing", "completeness", (10, 11, 12)),
    "FM4": ("an answerable question is refused", "positive_acceptance", (11, 12)),
    "FM5": ("a refusal adds unrelated information", "usefulness", (13,)),
    "FM6": ("a citation is missing or wrong", "faithfulness", (14, 15)),  # 15 is printed FM7 there
    "FM7": ("a fact is distorted or unsupported", "faithfulness", (16,)),
}
BEST = ("==5", "==1")  # conditions of marks that have nothing to find fault with


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


def read_suite(path: str | Path = BUNDLED) -> list[UnitTest]:
    """The tests of a file, in its order.

    A test's type comes from `metadata`: test_type as a number or a name, or test_name.

    Raises InputError if the file is missing, not UTF-8 or holds no test, a line is not JSON, or a field or
    condition is absent or not what it should be.
    """
    numbers = {key: number for number, name in TYPES.items() for key in (name.lower(), str(number))}
    tests, records = [], whole_records(Path(path))
    if not records:
        raise InputError("the file holds no line", where=path, do="give a file with at least one line")
    for place, (record, where, *_) in enumerate(records, start=1):
        row = shown(record, where)
        conditions = record["conditions"] if isinstance(record.get("conditions"), dict) else record
        wanted = {}
        for mark in MARKS:
            condition = conditions.get(f"{mark}_condition", conditions.get(mark))
            try:
                parse_condition(condition)
            except ValueError:
                raise InputError(
                    f"the condition of {mark} cannot be read",
                    where=where,
                    found=condition,
                    expected="==5, <5, ==None",
                ) from None
            wanted[mark] = str(condition).replace(" ", "").replace("null", "None")
        about = record["metadata"] if isinstance(record.get("metadata"), dict) else record
        named = (str(about.get(field, "")).strip().lower() for field in ("test_type", "type", "test_name"))
        number = next((numbers[name] for name in named if name in numbers), None)
        relevancy, completeness = (parse_condition(wanted[mark])[1] for mark in GRADES)
        for mark, value in derived_marks(relevancy is None, completeness is None).items():
            wanted[mark] = "==None" if value is None else f"=={value:g}"
        tests.append(UnitTest(place, number, row["input"], row, wanted))
    return tests


def shown(record: Mapping[str, Any], where: str) -> dict[str, Any]:
    """What a scorer may see of a record: input, references, actual_output, expected_output.

    Raises InputError if one is absent or of another type.
    """
    row = {name: record.get(name) for name in (*TEXTS, "references")}
    listed = isinstance(row["references"], list) and all(isinstance(each, str) for each in row["references"])
    wrong = [name for name in TEXTS if not isinstance(row[name], str)] + ([] if listed else ["references"])
    if wrong:
        raise InputError(
            f"{wrong[0]!r} is no {'list of texts' if wrong[0] == 'references' else 'text'}",
            where=where,
            found=repr(row[wrong[0]])[:80],
            do="repair the line",
        )
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


def offline(rows: Sequence[Mapping[str, Any]]) -> list[Marks]:
    """The metrics of `METRIC_OF`, each as a gate may act on it: no language model.

    As the source shows a judge the true answer, they see it too (`reference_answer`).
    """
    return _of_metrics(rows, METRIC_OF, {})


def judged_by(judge: Any) -> Scorer:
    """The same metrics asked of a language model (`grouse_completeness:judge`; `models.judge.Judge`); a reply
    that cannot be read is a mark left out.
    """
    names = {mark: f"{metric}:judge" for mark, metric in METRIC_OF.items()}
    return lambda rows: _of_metrics(rows, names, {"instruments": {"judge": judge}})


def rules_alone(rows: Sequence[Mapping[str, Any]]) -> list[Marks]:
    """What two rules know, "is it a refusal?" and "does every sentence cite?";
    everything else is taken for granted.

    The baseline of every examination: most checks of a suite are about form, and a rule for form passes them.
    """
    from ragassay.documents import sentences

    read_ahead((row["actual_output"], "en") for row in rows)
    found: list[Marks] = []
    for row in rows:
        cited = citation_grammar.parse(row["actual_output"], sentences, frozenset())
        informing = [ids for text, ids in cited if not declines(text)]
        cites = float(all(bool(ids) for ids in informing))
        refuses = read(row["actual_output"]).refuses
        adds: Marks = {"usefulness": 1.0 if refuses else None, "faithfulness": cites}
        adds = dict.fromkeys(adds) if refuses and not informing else adds
        found.append({**dict.fromkeys(GRADES, None if refuses else 5.0), **adds})
    return found


def _of_metrics(
    rows: Sequence[Mapping[str, Any]], names: Mapping[str, str], settings: Mapping[str, Any]
) -> list[Marks]:
    mark_of = {name: mark for mark, name in names.items()}
    marks: dict[str, Marks] = {}
    answers = pd.DataFrame(
        {
            "case_id": [f"test-{number:04d}" for number in range(1, len(rows) + 1)],
            "system": "suite",
            "repeat": 0,
            "question": [row["input"] for row in rows],
            "answer": [row["actual_output"] for row in rows],
            "contexts": [list(row["references"]) for row in rows],
            "reference_answer": [row["expected_output"] for row in rows],
        }
    )
    for row in score(answers, metrics=list(mark_of), **settings).itertuples():
        of_row = marks.setdefault(row.case_id, {})
        if row.state in (SCORED, NOT_APPLICABLE):
            of_row[mark_of[row.metric]] = float(row.value) if row.state == SCORED else None
    return list(marks.values())


def share_passed(checks: pd.DataFrame) -> Interval:
    """The share of these marks that are right, in [0, 1]; interval over questions, whose tests share
    references (over tests where there is one question); NaN of none.

    checks : of an `Examination`
    """
    shared = "question" if checks["question"].nunique() > 1 else "test"
    clusters = checks[shared].to_numpy() if checks[shared].duplicated().any() else None
    right, rng = (checks["outcome"] == PASSED).astype(float), np.random.default_rng(SEED)
    return mean_interval(right, clusters=clusters, span=(0.0, 1.0), rng=rng)


@dataclass(frozen=True)
class Examination:
    """What a scorer did with a suite.

    checks : one row per test and mark, COLUMNS; mark is NaN for null and for what could not be read, which
        passes nothing and is counted apart
    """

    name: str
    checks: pd.DataFrame

    def to_pandas(self) -> pd.DataFrame:
        """One row per test and mark, a copy."""
        return self.checks.copy()

    @property
    def parse_failures(self) -> int:
        """Marks that could not be read."""
        return int((self.checks["outcome"] == UNPARSED).sum())

    def summary(self) -> pd.DataFrame:
        """Pass rates: what (total, a mark, a type), name, value, low, high, n, method of the interval: over
        questions (`share_passed`); of a type, its tests with all six marks right (Clopper-Pearson)."""
        by_mark = {mark: share_passed(self.checks[self.checks["metric"] == mark]) for mark in ALL_MARKS}
        right = self.checks.assign(right=self.checks["outcome"] == PASSED)
        tests = right.groupby("test").agg({"type": "first", "right": "all"})
        total = ("total", "all six marks", share_passed(self.checks))
        rows = [total, *(("metric", mark, each) for mark, each in by_mark.items())]
        for number, part in tests.groupby("type")["right"]:
            name = f"{number:.0f} {TYPES[int(number)]}"
            rows.append(("type", name, clopper_pearson(int(part.sum()), len(part))))
        return Whole(
            [(what, name, each.value, each.low, each.high, each.n, each.method) for what, name, each in rows],
            columns=["what", "name", "value", "low", "high", "n", "method"],
        )

    def to_dict(self) -> dict[str, Any]:
        """total, by_metric and by_type (its number), each value, low, high, n; what is undefined is null."""
        rates = self.summary()
        rows = (
            rates[["value", "low", "high", "n"]].astype(object).where(rates.notna(), None).to_dict("records")
        )
        found = list(zip(rates["what"], rates["name"], rows, strict=True))
        return {
            "total": rows[0],
            "by_metric": {name: row for what, name, row in found if what == "metric"},
            "by_type": {name.split()[0]: row for what, name, row in found if what == "type"},
        }


def examine(tests: Sequence[UnitTest], scorer: Scorer, *, name: str = "scorer") -> Examination:
    """Mark every test by the scorer and compare with what is expected.

    Raises ValueError if the scorer does not give one set of marks per test.
    """
    marked, rows = scorer([test.row for test in tests]), []
    if len(marked) != len(tests):
        raise ValueError(f"the scorer must mark {len(tests)} tests once; found {len(marked)} marks")
    for test, marks in zip(tests, marked, strict=True):
        readable = every_mark(marks)
        for mark, condition in test.conditions.items():
            value = readable.get(mark)
            outcome = PASSED if mark in readable and meets(value, condition) else FAILED
            outcome = outcome if mark in readable else UNPARSED
            as_number = nan if value is None else float(value)
            rows.append((test.place, test.question, test.type, mark, as_number, condition, outcome))
    return Examination(name, pd.DataFrame(rows, columns=COLUMNS))


def with_baseline(tests: Sequence[UnitTest], found: Examination) -> dict[str, Any]:
    """The examination and, beside it, the same for rules alone (`baseline`), as JSON can hold it."""
    return {
        "scorer": found.name,
        "tests": len(tests),
        **found.to_dict(),
        "parse_failures": found.parse_failures,
        "baseline": examine(tests, rules_alone, name="rules alone").to_dict(),
    }


def by_failure_mode(found: Examination) -> pd.DataFrame:
    """One row per failure mode: mode, what, mark, and what follows with the bounds of its interval.

    found : share of the tests with this failure whose mark shows it as it should, n of them
    false_alarms : share of the faultless tests, where the same mark should be best, that do not get it

    Both with intervals over questions, as the tests of a question share its references (`share_passed`); a
    mark that could not be read finds nothing and is an alarm. Tests of unknown type count in `faultless`
    alone. Source: GroUSE 4.1, table 6; decision 14 on type 15.
    """
    rows = []
    for mode, (what, mark, types) in FAILURES.items():
        of_mark = found.checks[found.checks["metric"] == mark]
        right = share_passed(of_mark[of_mark["type"].isin(types)])
        passed = share_passed(of_mark[of_mark["condition"].isin(BEST)])
        alarms = (passed.n, 1 - passed.value, 1 - passed.high, 1 - passed.low)
        rows.append((mode, what, mark, right.n, right.value, right.low, right.high, *alarms))
    names = "mode what mark n found low high faultless false_alarms false_alarms_low false_alarms_high"
    return pd.DataFrame(rows, columns=names.split())


def every_mark(marks: Marks) -> Marks:
    """The marks that can be read; the two derived ones by which of the others are null where the scorer gives
    neither."""
    read = {mark: marks[mark] for mark in ALL_MARKS if mark in marks and is_readable(mark, marks[mark])}
    if marks.keys() & set(DERIVED) or not {"answer_relevancy", "completeness"} <= read.keys():
        return read
    return {**read, **derived_marks(read["answer_relevancy"] is None, read["completeness"] is None)}
