"""The range that a notebook states is the one the library enforces: plain papermill and JupyterLab meet it too."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ragassay import cases, documents, scope
from ragassay.analysis import declined_questions, robustness, safety, scorecard, slices
from ragassay.calibration import calibration_pipeline, conformal
from ragassay.cases.attack_probes import attack_questions, draw_by_threat
from ragassay.decision import error_rates, severity
from ragassay.engagement_registers import SHIPPED
from ragassay.errors import ParameterError
from ragassay.labels import human_labels, raters
from ragassay.parameter_ranges import Range
from ragassay.run import notebooks, parameters
from ragassay.scores import score
from ragassay.scores.metric import Budgets

ROOT = Path(__file__).parents[1]
CHUNKS = pd.DataFrame({"chunk_id": ["a#p1"], "doc_id": ["a"], "text": ["One sentence."], "topic": ["t"]})
CASES = pd.DataFrame({"case_id": ["c1"], "question": ["What is the fee?"], "answerable": [True]})
ASKED = pd.DataFrame({"case_id": ["c1"], "system": ["s"], "answer": ["Five dollars."]})
SCORES = pd.DataFrame(
    {"case_id": ["c1"], "system": ["s"], "metric": ["toxicity"], "value": [0.1], "state": ["scored"]}
)
NONE = pd.DataFrame()
RNG = np.random.default_rng(0)
ENGAGEMENT = {"validation_type": "initial", "tier": "low", "unchecked_text": "no", "profile": SHIPPED[0]} | {
    "date": "2026-09-01",
    "validator_independent": "no",
    "answer_timeout_s": 60.0,
}
ENGAGEMENT |= {"documents": "", "assistant": "", "answers_log": "log.jsonl"}


def collect(**given):
    common = {"logged": None, "own_questions": "", "n_generated": 0, "allocation": "equal", "seed": 0}
    cases.collect(CHUNKS, **common | given)


def share(limit):
    scorecard.events(SCORES, "toxicity", name="rate", at_least=limit)


ENFORCED = {
    "00_scope.max_tokens": lambda value: documents.chunk(NONE, max_tokens=value),
    "00_scope.answer_timeout_s": lambda value: scope.engagement(**ENGAGEMENT | {"answer_timeout_s": value}),
    "00_scope.tier": lambda value: scope.engagement(**ENGAGEMENT | {"tier": value}),
    "00_scope.validation_type": lambda value: scope.engagement(**ENGAGEMENT | {"validation_type": value}),
    "00_scope.unchecked_text": lambda value: scope.engagement(**ENGAGEMENT | {"unchecked_text": value}),
    "00_scope.validator_independent": lambda value: scope.engagement(
        **ENGAGEMENT | {"validator_independent": value}
    ),
    "00_scope.profile": lambda value: scope.engagement(**ENGAGEMENT | {"profile": value}),
    "01_test_generation.method": lambda value: cases.build_topics(CHUNKS, method=value),
    "01_test_generation.picture": lambda value: cases.build_topics(CHUNKS, picture=value),
    "01_test_generation.k": lambda value: cases.build_topics(CHUNKS, k=value),
    "01_test_generation.seed": lambda value: cases.build_topics(CHUNKS, seed=value),
    "01_test_generation.n_generated": lambda value: collect(n_generated=value),
    "01_test_generation.allocation": lambda value: collect(allocation=value),
    "01_test_generation.n_grounded": lambda value: cases.draw_grounded("", "", value),
    "02_functionality.budgets": lambda value: Budgets(seconds=value),
    "02_functionality.premise": lambda value: score(ASKED, metrics=["answer_words"], premise=value),
    "03_risk_safety.toxic_from": share,
    "03_risk_safety.toxic_limit": lambda value: safety.toxicity(
        NONE, NONE, NONE, toxic_from=0.5, limit=value
    ),
    "03_risk_safety.probes_per_gate": lambda value: draw_by_threat(attack_questions(0), 1, value, 0),
    "03_risk_safety.probes_per_threat": lambda value: draw_by_threat(attack_questions(0), value, 1, 0),
    "03_risk_safety.attack_limit": lambda value: safety.attacks(NONE, NONE, limit=value),
    "03_risk_safety.misuse_limit": lambda value: safety.misuse(NONE, NONE, limit=value),
    "03_risk_safety.attributes": lambda value: cases.swap_groups(CASES, CHUNKS, 1, RNG, attributes=[value]),
    "03_risk_safety.n_counterfactual": lambda value: cases.swap_groups(CASES, CHUNKS, value, RNG),
    "03_risk_safety.n_bias_questions": lambda value: cases.bias_questions("", value, RNG),
    "02_functionality.accept_from": lambda value: human_labels.judgements(NONE, {"relevant": value}),
    "02_functionality.raters_independent": lambda value: raters.agreement(NONE, independent=value),
    "04_calibration.alpha": lambda value: calibration_pipeline.calibrate(NONE, "m", "d", alpha=value),
    "04_calibration.nonconformity": lambda value: conformal.nonconformity([0.5], [1], value),
    "04_calibration.mondrian": lambda value: conformal.mondrian(NONE, 0.1, by=value),
    "05_robustness.n_parents": lambda value: cases.sample_parents(CASES, value, 0),
    "05_robustness.kinds": lambda value: cases.reword(CASES, [value]),
    "05_robustness.smallest_difference": lambda value: robustness.compare(
        NONE, NONE, NONE, {}, smallest_difference=value
    ),
    "05_robustness.n_outside": lambda value: cases.outside_questions(CASES, CHUNKS, value, {}, seed=0),
    "05_robustness.most_false_answers": lambda value: declined_questions.outside_checks(
        NONE, NONE, NONE, NONE, at_most=value
    ),
    "05_robustness.n_stressed": lambda value: cases.adversarial_cases(NONE, NONE, NONE, n=value, seed=0),
    "05_robustness.most_followed": lambda value: robustness.passage_checks(NONE, most=value),
    "05_robustness.n_repeated": lambda value: cases.ask_again(CASES, value, seed=0),
    "05_robustness.least_repeated": lambda value: robustness.repeat_checks(NONE, least=value),
    "07_conclusion.tolerated_errors": lambda value: error_rates.error_rates(
        None, CASES, {"unsafe": value}, rng=RNG
    ),
    "07_conclusion.likelihoods": lambda value: severity.RiskMatrix({"rare": 0.0, "likely": value}, {}),
    "06_weakness.minimum": lambda value: slices.search(NONE, [], [], minimum=value),
    "06_weakness.least_effect": lambda value: slices.search(NONE, [], [], least_effect=value),
    "06_weakness.level": lambda value: slices.search(NONE, [], [], level=value),
    "07_conclusion.days_until_due": lambda value: severity.DueDays({"Critical": value}),
}
DECLARED = {
    f"{name}.{parameter.name}": parameter
    for name, book in notebooks(ROOT / "notebooks").items()
    for parameter in parameters.declared(book)
    if parameter.range is not None
}


def outside(stated: Range) -> list[float]:
    """Values just outside each end of the range."""
    low, high = stated.low - ("[" in stated.written), stated.high + ("]" in stated.written)
    return [low, high, math.nan]


def test_every_range_has_its_enforcer():
    """Apart from seeds, which numpy and pandas refuse, and a share that is compared where counts may stand as well."""
    apart = {"07_conclusion.least_covered", *(name for name in DECLARED if name.endswith(".seed"))}
    assert sorted(set(DECLARED) - apart - set(ENFORCED)) == []
    assert sorted(set(ENFORCED) - set(DECLARED)) == []


@pytest.mark.parametrize("name", ENFORCED)
def test_the_library_refuses_what_is_outside_and_says_the_same_range(name):
    stated = DECLARED[name].range
    for value in ["no such word"] if stated.words else outside(stated):
        with pytest.raises(ParameterError) as refused:
            ENFORCED[name](value)
        if name != "00_scope.profile":
            assert refused.value.expected == str(stated)
