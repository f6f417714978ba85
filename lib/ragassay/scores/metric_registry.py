"""Every metric, from the families that define them.

To add one: write its measure in its family's file, a row in its FAMILY and its card in families/metrics.csv;
how it is computed, for readers, stands in families/methods.csv.
"""

import csv
from collections.abc import Iterable
from dataclasses import replace
from importlib.resources import files
from typing import Any

from ragassay.answers.log_formats import tool_scores
from ragassay.defaults import LATENCY_BUDGET, LENGTH_BUDGET
from ragassay.models import entailment_thresholds
from ragassay.scores.families import (
    abstention,
    access,
    attacks,
    attribution,
    budgets,
    checklist,
    citations,
    claims,
    classical,
    directness,
    formats,
    grouse,
    hybrid,
    inference,
    judged,
    language,
    numeric,
    perplexity,
    privacy,
    ranking,
    refusals,
    retrieval,
    self_check,
    sentiment,
    similarity,
    success,
    sufficiency,
    support,
    toxicity,
    transport,
)
from ragassay.scores.metric import Family, Method, Metric

CHEAP = "milliseconds per answer"

_FAMILIES = (
    similarity.FAMILY,
    inference.FAMILY,
    transport.FAMILY,
    retrieval.FAMILY,
    ranking.FAMILY,
    sufficiency.FAMILY,
    support.FAMILY,
    citations.FAMILY,
    claims.FAMILY,
    attribution.FAMILY,
    numeric.FAMILY,
    language.FAMILY,
    formats.FAMILY,
    budgets.FAMILY,
    abstention.FAMILY,
    checklist.FAMILY,
    directness.FAMILY,
    success.FAMILY,
    hybrid.FAMILY,
    grouse.FAMILY,
    classical.FAMILY,
    perplexity.FAMILY,
    privacy.FAMILY,
    toxicity.FAMILY,
    refusals.FAMILY,
    attacks.FAMILY,
    access.FAMILY,
    sentiment.FAMILY,
    self_check.FAMILY,
    judged.FAMILY,
    judged.FURTHER,
)


def _in_order(families: Iterable[Family]) -> list[Metric]:
    """The families' metrics, each after the one above it in its family, or after the one it names."""
    found: list[Metric] = []
    for family in families:
        place = len(found)
        for metric in family.metrics:
            if metric.after:
                place = [one.name for one in found].index(metric.after) + 1
            found.insert(place, metric)
            place += 1
    return found


def _rows(name: str) -> list[dict[str, str]]:
    lines = files("ragassay.scores.families").joinpath(name).read_text(encoding="utf-8").splitlines(True)
    return list(csv.DictReader(lines))


def _with_card(metric: Metric) -> Metric:
    """The metric with its card; in the formula the values of this kit are put."""
    card = _CARDS[metric.name]
    for word, value in _VALUES.items():
        card["formula"] = card["formula"].replace(f"<{word}>", value)
    return replace(metric, **card)


def _with_texts(family: Family) -> Family:
    """The family with its cards and its methods."""
    return replace(
        family,
        metrics=tuple(map(_with_card, family.metrics)),
        methods=tuple(method for families, method in _METHODS if family.name in families),
    )


_VALUES = {
    "words": f"{LENGTH_BUDGET}",
    "seconds": f"{LATENCY_BUDGET:g}",
    "near": f"{entailment_thresholds.shipped('citation_similarity'):g}",
    "claims": f"{entailment_thresholds.shipped('claims'):g}",
    "citations": f"{entailment_thresholds.shipped('citations'):g}",
}
_CARDS: dict[str, dict[str, Any]] = {
    row.pop("name"): row | {"cost": row["cost"] or CHEAP} for row in _rows("metrics.csv")
}
_METHODS = [(row.pop("families").split(), Method(**row)) for row in _rows("methods.csv")]
FAMILIES: dict[str, Family] = {family.name: _with_texts(family) for family in _FAMILIES}
METRICS: dict[str, Metric] = {metric.name: metric for metric in _in_order(FAMILIES.values())}
DEFAULT: tuple[str, ...] = tuple(
    name for name, metric in METRICS.items() if "judge" not in metric.models and not metric.on_request
)
OFFLINE: tuple[str, ...] = tuple(name for name, metric in METRICS.items() if "judge" not in metric.models)
JUDGED: tuple[str, ...] = tuple(
    name for name, metric in METRICS.items() if "judge" in metric.models and not metric.on_request
)
METHODS: tuple[Method, ...] = tuple(method for _, method in _METHODS)


def source_of(metric: str) -> str:
    """Under which name notebook 02 shows a metric: HCAT, Lesson, Hybrid, GroUSE, support, classical, judge;
    or safety.
    """
    return FAMILIES[METRICS[metric].family].source


def family_name(metric: str) -> str:
    """Under which name the table of every measure shows it."""
    if metric in METRICS:
        return METRICS[metric].family
    return "given with the log" if tool_scores.is_given(metric) else "people, harm, refusals"


def judges_of(metric: str) -> list[str]:
    """Which models of the user's judge a metric where they are named: entailment, support, toxicity; none
    of a name that is not in METRICS.
    """
    known = METRICS.get(metric)
    asked = {
        "entailment": known is not None and "entailment" in known.models,
        "support": known is not None and known.family == "support",
        "toxicity": known is not None and "toxicity" in known.models,
    }
    return [kind for kind, it_does in asked.items() if it_does]


def reads_key(name: str) -> bool:
    """Whether a score, ours or given with a log, reads the answer key, which production has none of."""
    if tool_scores.is_given(name):
        return tool_scores.card(name).reads_key
    return name in METRICS and METRICS[name].reads_key


def headlines() -> list[str]:
    """The metrics of the first table of notebook 02, in its order."""
    return sorted(
        (name for name, metric in METRICS.items() if metric.headline), key=lambda name: METRICS[name].headline
    )
