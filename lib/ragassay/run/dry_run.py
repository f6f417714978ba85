"""A dry run: which notebooks a run would execute and why; how many questions it would ask at most, how many
are answered already, what the rest costs and how long it takes. Nothing is asked or written."""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragassay import engagement_registers, provenance
from ragassay.answers.asking import entries
from ragassay.run import run_records
from ragassay.run.runner import RunPlan, Selection, pin_places, prepare

EXECUTED, UNCHANGED, DEPENDS, LEFT_OUT = "executed", "unchanged", "depends", "left out"
FAMILIES = 6  # of probes made for an engagement: of its documents, in passages, in turns; each as many
LARGEST_GROUP = 12  # questions that ask the same of a database, in the templates that rules make


@dataclass(frozen=True)
class Step:
    """A notebook, what would become of it (executed, unchanged, depends, left out), and why."""

    notebook: str
    action: str
    why: str = ""


@dataclass(frozen=True)
class Questions:
    """The questions of a run: how many at most by the notebook that asks them; how many in all, how many of
    them are answered already; cost and seconds of the rest, None where nothing tells them."""

    most: dict[str, int]
    n: int
    answered: int
    cost: float | None
    seconds: float | None


def plan(
    path: Path,
    reports: Path,
    *,
    select: Selection | None = None,
    fresh: bool = False,
    given: tuple[str, ...] = (),
) -> tuple[RunPlan, list[Step]]:
    """The engagement as it would be run, and a step for each of its notebooks; nothing is written.

    Parameters as of `ragassay.run.run`; ParameterError with every flaw of the parameters.
    """
    select, steps = select or Selection(), []
    with pin_places(path):
        asked = prepare(path, reports, given=given)
        left_out, changed = select.left_out(list(asked.paths)), False
        for name in asked.paths:
            why = asked.why_execute(name, select)
            if fresh and (run_records.load(asked.run_dir, name) or {}).get("system"):
                why = "every question is asked again"
            action = LEFT_OUT if name in left_out else EXECUTED if why else DEPENDS if changed else UNCHANGED
            changed |= action == EXECUTED
            steps.append(Step(name, action, why or "if what it reads changes" * (action == DEPENDS)))
    return asked, steps


def most_questions(values: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Notebook -> how many questions it asks at most, by the parameters; short documents, and an assistant
    that takes the question alone, are asked less; none where answers are logged.

    values : notebook -> its parameters, as they would be executed
    """
    from ragassay.analysis.blame import HANDED
    from ragassay.cases import PERTURBATIONS, attack_probes, counterfactuals
    from ragassay.cases.own_questions import read_records
    from ragassay.cases.passage_changes import CHANGES

    scope = values.get("00_scope", {})
    if scope.get("answers_log") or not scope.get("assistant"):
        return {}
    made, safety = values["01_test_generation"], values["03_risk_safety"]
    robustness, count = values["05_robustness"], engagement_registers.count_questions
    cases = made["n_generated"]
    if made["own_questions"]:
        cases += len(read_records(provenance.source(made["own_questions"])))
    if made["database"] and made["n_grounded"]:  # one group is asked whole, however few are wanted
        cases += max(made["n_grounded"], LARGEST_GROUP)
    probes = safety["probes_per_threat"] * FAMILIES + count(safety["own_probes"])
    if safety["probes_per_threat"] and safety["probes_per_gate"]:
        per_gate = safety["probes_per_gate"]
        probes += len(attack_probes.probes(per_threat=safety["probes_per_threat"], per_gate=per_gate))
    attributes = {*safety["attributes"], counterfactuals.CONTROL}
    groups = [
        max(len(row["groups"]) for row in counterfactuals.wordings("personas", each)) for each in attributes
    ]
    probes += min(safety["n_counterfactual"], cases) * sum(groups) + safety["n_bias_questions"]
    kinds = len(robustness["kinds"] or PERTURBATIONS) + bool(robustness["judge"])
    variants = min(robustness["n_parents"], cases) * kinds + min(robustness["n_stressed"], cases) * len(
        CHANGES
    )
    outside = robustness["n_outside"] + count(robustness["own_unanswerable"])
    repeats = min(robustness["n_repeated"], cases)
    repeats += 2 * (repeats // 3)  # and conversations of two turns
    asked_again = variants + outside + repeats + min(HANDED, cases)
    return {"02_functionality": cases, "03_risk_safety": probes, "05_robustness": asked_again}


def planned_calls(
    values: Mapping[str, Mapping[str, Any]],
    settings: Mapping[str, Any],
    run_dir: Path,
    *,
    fresh: bool = False,
) -> Questions:
    """How many questions a run asks, and what those cost that are not answered yet.

    values : notebook -> its parameters, as they would be executed
    settings : of section run: concurrency, per_minute, price_per_answer
    run_dir : where answers of before are looked for; where no price is stated, they say it, and the time
    fresh : whether every question is asked again
    """
    most, before = most_questions(values), list[dict[str, Any]]()
    for journal in sorted((run_dir / "journal").glob("*.jsonl")):  # without an error, the last of each case
        known = [entry for entry in entries(journal.read_bytes()) if not entry["row"]["error"]]
        before += {entry["key"][0]: entry for entry in known}.values()
    n = sum(most.values())
    answered = 0 if fresh else min(len(before), n)
    costs = [entry["row"]["cost"] for entry in before if entry["row"].get("cost") is not None]
    took = [entry["seconds"] for entry in before if entry.get("seconds") is not None]
    price = settings.get("price_per_answer") or (statistics.median(costs) if costs else None)
    seconds = statistics.median(took) / settings.get("concurrency", 1) if took else None
    if seconds is not None and settings.get("per_minute"):
        seconds = max(seconds, 60 / settings["per_minute"])
    cost, time = (None if each is None else (n - answered) * each for each in (price, seconds))
    return Questions(most, n, answered, cost, time)


def describe_calls(planned: Questions) -> list[str]:
    """The questions in lines for a terminal."""
    if not planned.n:
        return ["questions to the assistant: none"]
    unknown = "not known yet: set run.price_per_answer"
    cost = unknown if planned.cost is None else f"{planned.cost:,.2f}"
    time = "a time not known yet" if planned.seconds is None else f"about {planned.seconds / 60:.1f} min"
    return [
        f"questions to the assistant: at most {planned.n}, {planned.answered} answered already",
        f"at most {planned.n - planned.answered} would be asked, in {time}; cost: {cost}",
        *(f"  {notebook:<20} {n}" for notebook, n in planned.most.items()),
    ]
