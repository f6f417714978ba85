"""The rows of METRICS: complete, consistent with the columns and families that exist, and honest about their range."""

from pathlib import Path

import pytest

from ragassay import scores, tables
from ragassay.scores import DEFAULT, FAMILIES, METRICS, headlines
from ragassay.scores.sample import Sample

INSTRUMENTS = {
    "encoder",
    "entailment",
    "entailment_base",
    "toxicity",
    "acceptability",
    "entities",
    "tokens",
    "judge",
}
COLUMNS = {**tables.TABLES["cases"].columns, **tables.TABLES["answers"].columns}


@pytest.mark.parametrize("metric", METRICS.values(), ids=list(METRICS))
def test_every_row_is_complete(metric):
    assert (
        METRICS[metric.name] is metric
        and metric.needs
        and metric.low < metric.high
        and set(metric.models) <= INSTRUMENTS
    )
    assert (
        all(len(text) > 5 for text in (metric.source, metric.meaning, metric.formula, metric.cost))
        and "\n" not in metric.meaning
    )
    assert (Path(scores.__file__).parent / f"{metric.family}.py").exists(), "a family is a file"
    assert (
        metric.source.startswith(("HCAT", "Lesson", "Hybrid", "GroUSE"))
        or "(" in metric.source
        or metric.family == "support"
    )


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_a_family_holds_its_own_metrics(family):
    assert family.metrics and {metric.family for metric in family.metrics} == {family.name}


def test_headlines_have_places_of_their_own():
    assert [METRICS[name].headline for name in headlines()] == list(range(1, len(headlines()) + 1))


def test_what_a_metric_needs_is_a_declared_column_and_known_to_material():
    needed = {name for metric in METRICS.values() for name in metric.needs}
    assert needed <= set(COLUMNS) and needed <= set(Sample.__dataclass_fields__)


def test_the_default_is_every_metric_but_those_a_language_model_judges():
    assert list(DEFAULT) == [name for name in METRICS if not name.startswith("judge_")] and len(
        set(DEFAULT)
    ) == len(DEFAULT)


LOW_IS_GOOD = {
    "toxicity",
    "wasserstein_completeness",
    "mean_pairwise_distance",
    "hallucination",
    "contradiction",
}


def test_what_is_better_when_low_is_known():
    found = {name for name, metric in METRICS.items() if not metric.higher_is_better}
    neither = {"answer_words", "abstains", "should_have_abstained"}
    assert found - neither <= LOW_IS_GOOD
