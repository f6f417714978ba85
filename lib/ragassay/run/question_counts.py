"""How many questions a run asks at most, what they cost, and which gates so few cannot pass."""

import contextlib
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from ragassay import engagement_registers, provenance, tables
from ragassay.analysis.blame import HANDED
from ragassay.analysis.safety import THREATS
from ragassay.cases import PERTURBATIONS, attack_probes
from ragassay.cases.bias_questions import CONTROL, wordings
from ragassay.cases.own_questions import read_records
from ragassay.cases.passage_changes import CHANGES
from ragassay.decision import gates
from ragassay.errors import KitError


def describe_cost(n: int, settings: Mapping[str, Any], run_dir: Path) -> str:
    """How many questions at most, their cost by section `run`, and their time, as far as that is known."""
    price, per_minute = settings["price_per_answer"], settings["per_minute"]
    each = [60 / per_minute] if per_minute else []
    with contextlib.suppress(KitError, ValueError, OSError):  # no answers yet, or of another release
        took = tables.read(run_dir, "answers")["latency_s"].dropna()
        each += [took.mean() / settings["concurrency"]] if len(took) else []
    cost = f"{n * price:,.2f}" if price else "not known: set run.price_per_answer"
    hours = f"; hours: {timedelta(seconds=round(n * max(each)))}" if each else ""
    return f"at most {n:,}; cost: {cost}{hours}"


def most_questions(values: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Notebook -> how many questions it asks at most, by `values`, notebook -> its parameters: less of short
    documents, and of an assistant that takes the question alone; none where answers are logged."""
    scope = values.get("00_scope", {})
    if scope.get("answers_log") or not scope.get("assistant"):
        return {}
    made, safety = values["01_test_generation"], {**scope, **values["03_risk_safety"]}
    robustness, count = values["05_robustness"], engagement_registers.count_questions
    cases = made["n_generated"]
    if made["own_questions"]:
        cases += len(read_records(provenance.source(made["own_questions"])))
    if made["database"] and made["n_grounded"]:  # a group, of 12 at most, is asked whole
        cases += max(made["n_grounded"], 12)
    size = (safety[name] for name in ("probes_per_threat", "probes_per_gate", "seed", "prohibited_uses"))
    probes = attack_probes.most_probes(*size) + count(attack_probes.split_probes(safety["probe_set"])[1])
    personas = [wordings("personas", each) for each in {*safety["attributes"], CONTROL}]
    groups = sum(max(len(row["groups"]) for row in rows) for rows in personas)
    probes += min(safety["n_counterfactual"], cases) * groups
    probes += -(-safety["n_bias_questions"] // 4) * 4  # in blocks of four
    kinds, repeats = len(robustness["kinds"] or PERTURBATIONS), robustness["n_repeated"]
    varied = min(robustness["n_parents"], cases) * (kinds + bool(robustness["judge"])) + min(HANDED, cases)
    varied += max(robustness["n_outside"], 4) + count(robustness["own_unanswerable"])  # of each kind one
    varied += min(robustness["n_stressed"], cases) * len(CHANGES)
    varied += min(repeats, cases) + 2 * min(repeats // 3, cases)  # and conversations of two turns
    return {"02_functionality": cases, "03_risk_safety": probes, "05_robustness": varied}


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
