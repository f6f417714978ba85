"""A dry run: which notebooks a run would execute and why; how many questions it would ask at most, how many
are answered already, what the rest costs and how long it takes. Nothing is asked or written."""

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import engagement_registers, provenance
from ragassay.answers.answer_journal import entries
from ragassay.run.execution import notebook_record
from ragassay.run.execution.notebook_sequence import NAMED, Selection, stale_error
from ragassay.run.runner import Asked, pin_places, prepare
from ragassay.stats import zero_event_bound

EXECUTED, UNCHANGED, DEPENDS, LEFT_OUT = "executed", "unchanged", "depends", "left out"
FAMILIES = 6  # of probes made for an engagement: of its documents, in passages, in turns; each as many
LARGEST_GROUP = 12  # questions that ask the same of a database, in the templates that rules make
COLUMNS = "notebook questions n bound answered to_ask cost seconds".split()


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
    with pin_places(path):
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
                    raise stale_error(name, why)
                steps.append(Step(name, LEFT_OUT, why))
            elif name in named or why:
                steps.append(Step(name, EXECUTED, why or NAMED))
            elif any(step.action in (EXECUTED, DEPENDS) for step in steps):
                steps.append(Step(name, DEPENDS, "executed if what it reads changes"))
            else:
                steps.append(Step(name, UNCHANGED))
    return asked, steps


def most_questions(values: Mapping[str, Mapping[str, Any]]) -> dict[tuple[str, str], int]:
    """Notebook and journal -> how many questions it asks at most, by the parameters; short documents, and an
    assistant that takes the question alone, are asked less.

    values : notebook -> its parameters, as they would be executed
    """
    from ragassay.analysis.failing_answer_facts import HANDED
    from ragassay.cases import PERTURBATIONS, attack_probes, counterfactuals
    from ragassay.cases.own_questions import read_records
    from ragassay.cases.passage_changes import CHANGES

    made, safety, robustness = (
        values[name] for name in ("01_test_generation", "03_risk_safety", "05_robustness")
    )
    cases = made["n_generated"]
    if made["own_questions"]:
        cases += len(read_records(provenance.source(made["own_questions"])))
    if made["database"] and made["n_grounded"]:  # one group is asked whole, however few are wanted
        cases += max(made["n_grounded"], LARGEST_GROUP)
    each, gated = safety["probes_per_threat"], safety["probes_per_gate"]
    probes = each * FAMILIES + engagement_registers.count_questions(safety["own_probes"])
    if each and gated:
        probes += len(attack_probes.probes(per_threat=each, per_gate=gated))
    groups: dict[str, int] = {}
    for persona in counterfactuals.personas():
        if persona.attribute in {*safety["attributes"], counterfactuals.CONTROL}:
            groups[persona.attribute] = max(groups.get(persona.attribute, 0), len(persona.groups))
    kinds = len(robustness["kinds"] or PERTURBATIONS) + bool(robustness["judge"])
    outside = robustness["n_outside"] + engagement_registers.count_questions(robustness["own_unanswerable"])
    again = min(robustness["n_repeated"], cases)
    return {
        ("02_functionality", "answers"): cases,
        ("03_risk_safety", "probes"): probes,
        ("03_risk_safety", "counterfactuals"): min(safety["n_counterfactual"], cases) * sum(groups.values()),
        ("03_risk_safety", "bias_questions"): safety["n_bias_questions"],
        ("05_robustness", "variants"): min(robustness["n_parents"], cases) * kinds + outside,
        ("05_robustness", "adversarial"): min(robustness["n_stressed"], cases) * len(CHANGES),
        ("05_robustness", "repeats"): again + 2 * (again // 3),  # and conversations of two turns
        ("05_robustness", "evidence"): min(HANDED, cases),
    }


def planned_calls(
    values: Mapping[str, Mapping[str, Any]],
    settings: Mapping[str, Any],
    run_dir: Path,
    *,
    fresh: bool = False,
) -> pd.DataFrame:
    """A row for each set of questions: notebook, questions (the journal's name), n (at most), bound (the
    largest rate of failures that none among them leaves possible, at 95 %), answered; to_ask, cost and
    seconds of the rest; no row where answers are logged.

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
    most = most_questions(values)
    answered = {name: _answered(run_dir / "journal" / f"{name}.jsonl") for _, name in most}
    before = [entry for entries in answered.values() for entry in entries.values()]
    costs = [cost for e in before if isinstance(cost := e["row"].get("cost"), int | float)]
    took = [e["seconds"] for e in before if isinstance(e.get("seconds"), int | float)]
    price = float(settings.get("price_per_answer", 0)) or (statistics.median(costs) if costs else math.nan)
    pace = 60 / settings["per_minute"] if settings.get("per_minute") else 0.0
    seconds = max(statistics.median(took) / settings.get("concurrency", 1), pace) if took else math.nan
    rows = []
    for (notebook, name), n in most.items():
        known = 0 if fresh else min(len(answered[name]), n)
        bound, left = zero_event_bound(n) if n else math.nan, n - known
        rows.append((notebook, name, n, bound, known, left, left * price, left * seconds))
    return pd.DataFrame(rows, columns=COLUMNS)


def describe_calls(planned: pd.DataFrame) -> list[str]:
    """The table as lines for a terminal, its sum first."""
    if planned.empty:
        return ["questions to the assistant: none, its answers are logged"]
    total = planned[["n", "answered", "to_ask", "cost", "seconds"]].sum(skipna=False)
    unknown = "at an unknown price (price_per_answer in section run)"
    cost = unknown if math.isnan(total.cost) else f"for {total.cost:,.2f}"
    each = " for each second that an answer takes (not known yet)" if math.isnan(total.seconds) else ""
    seconds = total.to_ask if each else total.seconds
    time = f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
    bounds = {"none failing leaves up to": [f"{bound:.1%}" for bound in planned.bound]}
    shown = planned[["notebook", "questions", "n", "answered"]].assign(**bounds)
    return [
        f"questions to the assistant: at most {total.n:.0f}, {total.answered:.0f} answered already",
        f"at most {total.to_ask:.0f} would be asked {cost}, in about {time}{each}",
        *shown.to_string(index=False).splitlines(),
    ]


def _answered(journal: Path) -> dict[str, dict[str, Any]]:
    """The answers of a journal without an error, by case, the last of each."""
    content = journal.read_bytes() if journal.is_file() else b""
    return {entry["key"][0]: entry for entry in entries(content) if not entry["row"]["error"]}
