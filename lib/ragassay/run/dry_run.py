"""How many questions a run would put to the assistant, how many of them are answered already, what the rest
costs and how long it takes; nothing is asked for it."""

import json
import math
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import provenance, tables
from ragassay.answers.question_inputs import NOT_APPLICABLE
from ragassay.assistant.described.description import is_described, read_description
from ragassay.errors import KitError
from ragassay.run.question_bounds import ASKED, Asked, expected_cases, most_cases

Values = Mapping[str, Mapping[str, Any]]  # notebook -> its parameters
COLUMNS = ["notebook", "questions", "n", "expected", "basis", "answered", "to_ask", "cost", "seconds"]
KNOWN, AT_MOST = "as in the run before", "at most"
NO_PRICE = "at an unknown price (price_per_answer in section run)"


def planned_calls(
    values: Values, settings: Mapping[str, Any], run_dir: Path, *, fresh: bool = False
) -> pd.DataFrame:
    """A row for each set of questions: notebook, questions (the journal's name), n, expected, basis (n is
    "at most", or as in the run before), answered; to_ask, cost and seconds of those expected; no row where
    answers are logged.

    Parameters
    ----------
    values : notebook -> its parameters, as they would be executed
    settings : of section run: concurrency, per_minute, price_per_answer
    run_dir : where answers of before are looked for
    fresh : whether every question is asked again; answers of before then say price and seconds alone

    cost is NaN where no price is stated and no answer of before says what it cost; seconds is NaN where none
    was asked before. An answer failed, or of another version of the assistant, is asked again and counts here
    as answered or not as the journal last says.
    """
    scope = _of(values, "answers_log")
    if scope.get("answers_log") or not scope.get("assistant"):
        return pd.DataFrame(columns=COLUMNS)
    said = {each.journal: _answered(run_dir, each.journal) for each in ASKED}
    price, seconds = _price(settings, said.values()), _seconds_each(settings, said.values())
    rows = []
    for each in ASKED:
        n, expected, basis = _number(each, values, run_dir)
        known = 0 if fresh else len(said[each.journal])
        left = max(expected - known, 0)
        row = (each.notebook, each.journal, n, expected, basis, min(known, n))
        rows.append((*row, left, left * price, left * seconds))
    return pd.DataFrame(rows, columns=COLUMNS)


def in_words(planned: pd.DataFrame) -> list[str]:
    """The table as lines for a terminal, its sum first."""
    if planned.empty:
        return ["questions to the assistant: none, its answers are logged"]
    total = planned[["n", "expected", "answered", "to_ask", "cost", "seconds"]].sum(skipna=False)
    bounded = (planned.basis == AT_MOST).any()
    number = f"about {total.expected:.0f} expected, at most {total.n:.0f}" if bounded else f"{total.n:.0f}"
    cost = NO_PRICE if math.isnan(total.cost) else f"for {total.cost:,.2f}"
    first = (
        f"questions to the assistant: {number}, {total.answered:.0f} answered already; "
        f"about {total.to_ask:.0f} would be asked {cost}, in about {_time(total)}"
    )
    return [
        first,
        *(f"  {row.notebook:<20} {row.questions:<16} {_told(row)}" for row in planned.itertuples()),
    ]


def _told(row: Any) -> str:
    number = f"{KNOWN} {row.n}" if row.basis == KNOWN else f"about {row.expected}, {AT_MOST} {row.n}"
    return f"{number}, {row.answered} answered already"


def _time(total: pd.Series) -> str:
    """How long the questions take; for an answer a second, where it is not known how long one takes."""
    if not math.isnan(total.seconds):
        return _in_minutes(total.seconds)
    return f"{_in_minutes(total.to_ask)} for each second that an answer takes (not known yet)"


def _in_minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _of(values: Values, parameter: str) -> Mapping[str, Any]:
    """The parameters of the notebook that declares this one."""
    return next((each for each in values.values() if parameter in each), {})


def _number(each: Asked, values: Values, run_dir: Path) -> tuple[int, int, str]:
    """How many questions at most and expected, and on what basis: a table of the run before, or its
    parameters."""
    known = _asked_before(run_dir, each.part)
    if known is not None:
        return known, known, KNOWN
    scope, made = _of(values, "prohibited_uses"), _table(run_dir, "cases", None)
    asked = dict(scope) | dict(values.get(each.notebook, {}))
    of_cases = _of(values, "n_generated")
    most = most_cases(of_cases) if made is None else len(made)
    expected = expected_cases(of_cases, scope) if made is None else len(made)
    return each.most(asked, most), each.expected(asked, expected, _takes_passages(scope)), AT_MOST


def _takes_passages(scope: Mapping[str, Any]) -> bool:
    """Whether the assistant answers from passages given; that of Python, which is not loaded here, may."""
    spec = str(scope.get("assistant") or "")
    if not is_described(spec):
        return True
    try:
        text = spec if spec.lstrip().startswith("{") else provenance.source(spec).read_text(encoding="utf-8")
        return "passages" in read_description(text, spec).hooks
    except (KitError, OSError, ValueError):
        return True


def _asked_before(run_dir: Path, part: str | None) -> int | None:
    """How many questions of these the run before put, without those that the assistant cannot be asked, or
    had made; None where there are none."""
    said, made = _table(run_dir, "answers", part), _table(run_dir, "cases", part)
    if said is None:
        return None if made is None else len(made)
    return int((~said["error"].fillna("").str.startswith(NOT_APPLICABLE)).sum())


def _table(run_dir: Path, name: str, part: str | None) -> pd.DataFrame | None:
    try:
        return tables.read(run_dir, name, part=part) if part else tables.read(run_dir, name)
    except (KitError, OSError, ValueError):
        return None


def _answered(run_dir: Path, journal: str) -> dict[tuple, dict[str, Any]]:
    """The answers of a journal without an error, by case and repeat, the last of each."""
    return {tuple(entry["key"][:2]): entry for entry in _entries(run_dir / "journal" / f"{journal}.jsonl")}


def _entries(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_bytes().splitlines() if path.is_file() else ():
        try:
            entry = json.loads(line)
            if not entry["row"]["error"] and len(entry["key"]) == 5:
                yield entry
        except (ValueError, TypeError, KeyError):  # a line cut short, or none of ours
            continue


def _price(settings: Mapping[str, Any], said: Any) -> float:
    """Of an answer: what is stated, else the median of what answers of before say that they cost."""
    stated = float(settings.get("price_per_answer", 0))
    costs = [
        cost for each in said for e in each.values() if isinstance(cost := e["row"].get("cost"), int | float)
    ]
    return stated or (statistics.median(costs) if costs else math.nan)


def _seconds_each(settings: Mapping[str, Any], said: Any) -> float:
    """Of an answer, several being asked at a time: the median of those before, no faster than the pace."""
    took = [e["seconds"] for each in said for e in each.values() if isinstance(e.get("seconds"), int | float)]
    if not took:
        return math.nan
    paced = 60 / settings["per_minute"] if settings.get("per_minute") else 0.0
    return max(statistics.median(took) / settings.get("concurrency", 1), paced)
