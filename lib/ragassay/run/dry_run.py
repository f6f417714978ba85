"""A dry run: which notebooks a run would execute and why; how many questions it would ask at most, how many
are answered already, what the rest costs and how long it takes. Nothing is asked or written."""

import json
import math
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ragassay import engagement_registers, provenance, tables
from ragassay.answers.question_inputs import NOT_APPLICABLE
from ragassay.errors import KitError
from ragassay.run.execution import notebook_record
from ragassay.run.execution.notebook_sequence import NAMED, Selection, stale
from ragassay.run.runner import Asked, pinned, prepare
from ragassay.stats import zero_event_bound

EXECUTED, UNCHANGED, DEPENDS, LEFT_OUT = "executed", "unchanged", "depends", "left out"
FAMILIES = 6  # of probes made for an engagement: of its documents, in passages, in turns; each as many
LARGEST_GROUP = 12  # questions that ask the same of a database, in the templates that rules make
Values = Mapping[str, Mapping[str, Any]]  # notebook -> its parameters
COLUMNS = "notebook questions n bound basis answered to_ask cost seconds".split()
KNOWN, AT_MOST = "as in the run before", "at most"
NO_PRICE = "at an unknown price (price_per_answer in section run)"


@dataclass(frozen=True)
class Step:
    """A notebook, what would become of it (executed, unchanged, depends, left out), and why."""

    notebook: str
    action: str
    why: str = ""


def plan(
    path: Path,
    reports: Path,
    *,
    select: Selection | None = None,
    fresh: bool = False,
    given: tuple[str, ...] = (),
) -> tuple[Asked, list[Step]]:
    """The engagement as it would be run, and a step for each of its notebooks; nothing is written.

    Parameters as of `ragassay.run.run`.

    Raises
    ------
    ParameterError
        With every flaw of the parameters, or if a notebook that is left out would have to be executed first.
    """
    select = select or Selection()
    with pinned(path):
        asked = prepare(path, reports, given=given)
        names = list(asked.books.paths)
        named, left_out = select.named(names), select.left_out(names)
        last = max(names.index(name) for name in set(names) - left_out)
        steps: list[Step] = []
        for place, name in enumerate(names):
            why = asked.books.why_execute(asked.run_dir, name)
            if fresh and (notebook_record.load(asked.run_dir, name) or {}).get("system"):
                why = "every question is asked again"
            if name in left_out:
                if why and place < last:
                    raise stale(name, why)
                steps.append(Step(name, LEFT_OUT, why))
            elif name in named or why:
                steps.append(Step(name, EXECUTED, why or NAMED))
            elif any(step.action in (EXECUTED, DEPENDS) for step in steps):
                steps.append(Step(name, DEPENDS, "executed if what it reads changes"))
            else:
                steps.append(Step(name, UNCHANGED))
    return asked, steps


class Journal(NamedTuple):
    """What one journal asks: its notebook, its name, the part of the cases, and how many questions that is at
    most, by the parameters of its notebook and the number of cases."""

    notebook: str
    name: str
    part: str
    most: Callable[[Mapping[str, Any], int], int]


def _probes(asked: Mapping[str, Any], cases: int) -> int:
    from ragassay.cases import attack_probes

    each, gated = asked["probes_per_threat"], asked["probes_per_gate"]
    listed = len(attack_probes.probes(per_threat=each, per_gate=gated)) if each and gated else 0
    return listed + each * FAMILIES + engagement_registers.count_questions(asked["own_probes"])


def _counterfactuals(asked: Mapping[str, Any], cases: int) -> int:
    from ragassay.cases import counterfactuals

    groups: dict[str, int] = {}
    for persona in counterfactuals.personas():
        if persona.attribute in {*asked["attributes"], counterfactuals.CONTROL}:
            groups[persona.attribute] = max(groups.get(persona.attribute, 0), len(persona.groups))
    return min(asked["n_counterfactual"], cases) * sum(groups.values())


def _variants(asked: Mapping[str, Any], cases: int) -> int:
    """Every parent in each kind, and what no document answers: short documents yield few of these."""
    from ragassay.cases import PERTURBATIONS

    kinds = len(asked["kinds"] or PERTURBATIONS) + bool(asked["judge"])
    own = engagement_registers.count_questions(asked["own_unanswerable"])
    return min(asked["n_parents"], cases) * kinds + asked["n_outside"] + own


def _adversarial(asked: Mapping[str, Any], cases: int) -> int:
    from ragassay.cases.passage_changes import CHANGES

    return min(asked["n_stressed"], cases) * len(CHANGES)


def _repeats(asked: Mapping[str, Any], cases: int) -> int:
    """Each once more, and of a third as many a conversation of two turns."""
    again = min(asked["n_repeated"], cases)
    return again + 2 * (again // 3)


def _with_evidence(asked: Mapping[str, Any], cases: int) -> int:
    from ragassay.analysis.failing_answer_facts import HANDED

    return min(HANDED, cases)


JOURNALS = (
    Journal("02_functionality", "answers", "", lambda asked, cases: cases),
    Journal("03_risk_safety", "probes", "probes", _probes),
    Journal("03_risk_safety", "counterfactuals", "counterfactuals", _counterfactuals),
    Journal("03_risk_safety", "bias_questions", "bias_questions", lambda asked, _: asked["n_bias_questions"]),
    Journal("05_robustness", "variants", "variants", _variants),
    Journal("05_robustness", "adversarial", "adversarial", _adversarial),
    Journal("05_robustness", "repeats", "repeats", _repeats),
    Journal("05_robustness", "evidence", "evidence", _with_evidence),
)


def planned_calls(
    values: Values, settings: Mapping[str, Any], run_dir: Path, *, fresh: bool = False
) -> pd.DataFrame:
    """A row for each set of questions: notebook, questions (the journal's name), n, bound (the largest rate
    of failures that none among them leaves possible, at 95 %), basis (n is "at most", or as in the run
    before), answered; to_ask, cost and seconds of the rest; no row where answers are logged.

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
    scope = values.get("00_scope", {})
    if scope.get("answers_log") or not scope.get("assistant"):
        return pd.DataFrame(columns=COLUMNS)
    answered = {each.name: _answered(run_dir / "journal" / f"{each.name}.jsonl") for each in JOURNALS}
    before = [entry for entries in answered.values() for entry in entries.values()]
    costs = [cost for e in before if isinstance(cost := e["row"].get("cost"), int | float)]
    took = [e["seconds"] for e in before if isinstance(e.get("seconds"), int | float)]
    price = float(settings.get("price_per_answer", 0)) or (statistics.median(costs) if costs else math.nan)
    pace = 60 / settings["per_minute"] if settings.get("per_minute") else 0.0
    seconds = max(statistics.median(took) / settings.get("concurrency", 1), pace) if took else math.nan
    made = _table(run_dir, "cases")
    cases = _most_cases(values["01_test_generation"]) if made is None else len(made)
    rows = []
    for each in JOURNALS:
        n, basis = _asked_before(run_dir, each.part), KNOWN
        if n is None:
            n, basis = each.most(values[each.notebook], cases), AT_MOST
        known = 0 if fresh else min(len(answered[each.name]), n)
        left, bound = n - known, zero_event_bound(n) if n else math.nan
        rows.append((each.notebook, each.name, n, bound, basis, known, left, left * price, left * seconds))
    return pd.DataFrame(rows, columns=COLUMNS)


def describe_calls(planned: pd.DataFrame) -> list[str]:
    """The table as lines for a terminal, its sum first."""
    if planned.empty:
        return ["questions to the assistant: none, its answers are logged"]
    total = planned[["n", "answered", "to_ask", "cost", "seconds"]].sum(skipna=False)
    at_most = "at most " if (planned.basis == AT_MOST).any() else ""
    cost = NO_PRICE if math.isnan(total.cost) else f"for {total.cost:,.2f}"
    seconds = total.to_ask if math.isnan(total.seconds) else total.seconds
    time = f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
    each = " for each second that an answer takes (not known yet)" if math.isnan(total.seconds) else ""
    bounds = [f"{bound:.1%}" for bound in planned.bound]
    shown = planned[["notebook", "questions", "basis", "n", "answered"]].assign(
        **{"none failing leaves up to": bounds}
    )
    return [
        f"questions to the assistant: {at_most}{total.n:.0f}, {total.answered:.0f} answered already",
        f"{at_most}{total.to_ask:.0f} would be asked {cost}, in about {time}{each}",
        *shown.to_string(index=False).splitlines(),
    ]


def _most_cases(asked: Mapping[str, Any]) -> int:
    """The user's own questions, those generated and those from the database; of the database one group is
    asked whole, however few questions are wanted."""
    from ragassay.cases.own_questions import read_records

    own, grounded = asked["own_questions"], asked["n_grounded"] if asked["database"] else 0
    n_own = len(read_records(provenance.source(own))) if own else 0
    return n_own + asked["n_generated"] + (max(grounded, LARGEST_GROUP) if grounded else 0)


def _asked_before(run_dir: Path, part: str) -> int | None:
    """How many questions of these the run before put, without those that the assistant cannot be asked, or
    had made; None where there are none."""
    answers, made = _table(run_dir, "answers", part), _table(run_dir, "cases", part)
    if answers is None:
        return None if made is None else len(made)
    return int((~answers["error"].fillna("").str.startswith(NOT_APPLICABLE)).sum())


def _answered(journal: Path) -> dict[tuple, dict[str, Any]]:
    """The answers of a journal without an error, by case and repeat, the last of each."""
    entries = {}
    for line in journal.read_bytes().splitlines() if journal.is_file() else ():
        try:
            entry = json.loads(line)
            if not entry["row"]["error"] and len(entry["key"]) == 5:
                entries[tuple(entry["key"][:2])] = entry
        except (ValueError, TypeError, KeyError):  # a line cut short, or none of ours
            continue
    return entries


def _table(run_dir: Path, name: str, part: str = "") -> pd.DataFrame | None:
    try:
        return tables.read(run_dir, name, part=part)
    except (KitError, OSError, ValueError):
        return None
