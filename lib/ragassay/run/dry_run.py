"""A dry run: which notebooks a run would execute and why; how many questions it would ask at most. Nothing is
asked or written."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragassay import engagement_registers, provenance
from ragassay.analysis.blame import HANDED
from ragassay.analysis.safety import THREATS
from ragassay.cases import PERTURBATIONS, attack_probes
from ragassay.cases.bias_questions import CONTROL, wordings
from ragassay.cases.own_questions import read_records
from ragassay.cases.passage_changes import CHANGES
from ragassay.decision import gates
from ragassay.run import run_records
from ragassay.run.runner import RunPlan, Selection, pin_places, prepare

EXECUTED, UNCHANGED, DEPENDS, LEFT_OUT = "executed", "unchanged", "depends", "left out"


def plan(
    path: Path, reports: Path, *, select: Selection, fresh: bool = False, given: tuple[str, ...] = ()
) -> tuple[RunPlan, list[dict[str, str]]]:
    """The engagement as it would be run, and a record for each of its notebooks: notebook, action (executed,
    unchanged, depends, left out), why; nothing is written.

    Parameters as of `ragassay.run.run`; ParameterError with every flaw of the parameters.
    """
    steps = list[dict[str, str]]()
    with pin_places(path):
        asked = prepare(path, reports, given=given)
        left_out, changed = select.left_out(list(asked.paths)), False
        for name in asked.paths:
            why = asked.why_execute(name, select)
            if fresh and (run_records.load(asked.run_dir, name) or {}).get("system"):
                why = "every question is asked again"
            action = LEFT_OUT if name in left_out else EXECUTED if why else DEPENDS if changed else UNCHANGED
            changed |= action == EXECUTED
            why = why or "if what it reads changes" * (action == DEPENDS)
            steps.append({"notebook": name, "action": action, "why": why})
    return asked, steps


def most_questions(values: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Notebook -> how many questions it asks at most, by the parameters; short documents, and an assistant
    that takes the question alone, are asked less; none where answers are logged.

    values : notebook -> its parameters, as they would be executed
    """
    scope = values.get("00_scope", {})
    if scope.get("answers_log") or not scope.get("assistant"):
        return {}
    made, safety = values["01_test_generation"], values["03_risk_safety"]
    robustness, count = values["05_robustness"], engagement_registers.count_questions
    cases = made["n_generated"]
    if made["own_questions"]:
        cases += len(read_records(provenance.source(made["own_questions"])))
    if made["database"] and made["n_grounded"]:  # a group, of 12 at most, is asked whole
        cases += max(made["n_grounded"], 12)
    _, own_probes = attack_probes.split_probes(safety["probe_set"])
    # of its documents, in passages, in turns: six families, each as many
    probes = safety["probes_per_threat"] * 6 + count(own_probes)
    per_threat, per_gate = safety["probes_per_threat"], safety["probes_per_gate"]
    probes += len(attack_probes.probes(per_threat=per_threat, per_gate=per_gate))
    personas = [wordings("personas", each) for each in {*safety["attributes"], CONTROL}]
    groups = sum(max(len(row["groups"]) for row in rows) for rows in personas)
    probes += min(safety["n_counterfactual"], cases) * groups + safety["n_bias_questions"]
    kinds = len(robustness["kinds"] or PERTURBATIONS) + bool(robustness["judge"])
    varied = min(robustness["n_parents"], cases) * kinds
    varied += min(robustness["n_stressed"], cases) * len(CHANGES) + min(HANDED, cases)
    outside = robustness["n_outside"] + count(robustness["own_unanswerable"])
    repeats = min(robustness["n_repeated"], cases)
    repeats += 2 * (repeats // 3)  # and conversations of two turns
    return {"02_functionality": cases, "03_risk_safety": probes, "05_robustness": varied + outside + repeats}


def unreachable_gates(values: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Gate on a harm -> the probes that it needs, none of them failing, where the run puts fewer of them."""
    safety = values["03_risk_safety"]
    own = engagement_registers.count_questions(attack_probes.split_probes(safety["probe_set"])[1])
    needed = {
        rule.name: gates.fewest_cases(rule.bound, rule.threshold)
        for rule in gates.parse(values["07_conclusion"]["gates"])
        if {*THREATS.get(rule.metric, ())} & {*attack_probes.GATED}
    }
    return {name: n for name, n in needed.items() if n > safety["probes_per_gate"] + own}
