"""Every metric, from its row in families/metrics.csv: card, needs, and the function of a family's file that
computes it (`module.function option=value`); how families compute, for readers, stands in methods.csv.

A row with `of` is a variant of another metric, mostly computed only where it is named; its empty cells are
that metric's.
"""

import textwrap
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import pandas as pd

from ragassay.answers.log_formats import tool_scores
from ragassay.defaults import LATENCY_BUDGET, LENGTH_BUDGET
from ragassay.models import entailment_thresholds
from ragassay.scores.metric import Family, Method, Metric
from ragassay.scores.text_reading import word_lists

CHEAP = "milliseconds per answer"
SOURCES = {  # under which name notebook 02 shows the families; "safety": those of notebooks 03 and 05
    "HCAT": "similarity inference transport retrieval",
    "Lesson": "sufficiency citations claims attribution numeric language formats budgets abstention checklist"
    " directness success",
    "Hybrid": "hybrid",
    "GroUSE": "grouse",
    "support": "support",
    "classical": "ranking classical perplexity",
    "judge": "judged judged_further",
    "safety": "privacy toxicity refusals attacks access sentiment self_check",
}
LISTS = ("needs", "reads", "models", "derived")
FLAGS = ("of_content", "of_silence", "grades_quality", "on_request")
TEXTS = ("name", "family", "display", "meaning", "source", "formula")
_VALUES = {  # what stands in formulas as <words>
    "words": f"{LENGTH_BUDGET}",
    "seconds": f"{LATENCY_BUDGET:g}",
    "near": f"{entailment_thresholds.shipped('citation_similarity'):g}",
    "claims": f"{entailment_thresholds.shipped('claims'):g}",
    "citations": f"{entailment_thresholds.shipped('citations'):g}",
}


def _metrics() -> dict[str, Metric]:
    rows = {row["name"]: row for row in word_lists.rows("families/metrics.csv")}

    def whole(row: dict[str, str]) -> dict[str, str]:
        stated = {key: cell for key, cell in row.items() if cell}
        return whole(rows[row["of"]]) | {"headline": ""} | stated if row["of"] else row

    return {name: _metric(whole(row)) for name, row in rows.items()}


def _metric(row: dict[str, str]) -> Metric:
    cells: dict[str, Any] = {name: row[name] for name in TEXTS} | {"cost": row["cost"] or CHEAP}
    for word, value in _VALUES.items():
        cells["formula"] = cells["formula"].replace(f"<{word}>", value)
    cells |= {name: tuple(row[name].split()) if row[name] != "none" else () for name in LISTS}
    cells |= {name: row[name] == "yes" for name in FLAGS if row[name]}
    return Metric(
        **cells,
        low=float(row["low"]),
        high=float(row["high"]),
        higher_is_better=row["better"] == "higher",
        headline=int(row["headline"] or 0),
        variant_of=row["of"],
        measure=_measure(row["measure"]),
    )


def _measure(named: str) -> Callable:
    """The function that a row names, with its options."""
    place, *options = named.split()
    module, _, name = place.partition(".")
    function = getattr(import_module(f"ragassay.scores.families.{module}"), name)
    return partial(function, **dict(one.split("=") for one in options)) if options else function


def _families() -> dict[str, Family]:
    sources = {name: source for source, names in SOURCES.items() for name in names.split()}
    by_family: dict[str, list[Metric]] = {}
    for metric in METRICS.values():
        by_family.setdefault(metric.family, []).append(metric)
    return {
        name: Family(name, sources[name], tuple(own), tuple(one for of, one in _METHODS if name in of))
        for name, own in by_family.items()
    }


_METHODS = [(row.pop("families").split(), Method(**row)) for row in word_lists.rows("families/methods.csv")]
METHODS: tuple[Method, ...] = tuple(method for _, method in _METHODS)
METRICS: dict[str, Metric] = _metrics()
FAMILIES: dict[str, Family] = _families()
DEFAULT: tuple[str, ...] = tuple(
    name for name, metric in METRICS.items() if "judge" not in metric.models and not metric.on_request
)
OFFLINE: tuple[str, ...] = tuple(name for name, metric in METRICS.items() if "judge" not in metric.models)
JUDGED: tuple[str, ...] = tuple(
    name for name, metric in METRICS.items() if "judge" in metric.models and not metric.on_request
)


def source_of(metric: str) -> str:
    """Under which name notebook 02 shows a metric: HCAT, Lesson, Hybrid, GroUSE, support, classical, judge;
    or safety."""
    return FAMILIES[METRICS[metric].family].source


def judges_of(metric: str) -> list[str]:
    """Which models of the user's judge a metric where they are named: entailment, support, toxicity; none of
    a name that is not in METRICS."""
    if metric not in METRICS:
        return []
    judging = (*METRICS[metric].models, "support" if METRICS[metric].family == "support" else "")
    return [kind for kind in ("entailment", "support", "toxicity") if kind in judging]


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


STATES = "Missing is never 0: not_measured (no input), not_applicable (nothing to judge), error."


def card_table() -> pd.DataFrame:
    """One row per metric, with all that its card says."""
    return pd.DataFrame([_card(metric) for metric in METRICS.values()])


def card_text() -> str:
    """The cards as lines for a terminal, one paragraph per metric, grouped by family."""
    lines: list[str] = []
    for family in dict.fromkeys(metric.family for metric in METRICS.values()):
        lines += ["", family.upper()]
        for metric in (one for one in METRICS.values() if one.family == family):
            card, models = _card(metric), ", ".join(metric.models)
            computed = f"computed by {models}" if models else "computed by rule, without a model"
            about = f"{card['range']}, {card['direction']}; needs {card['needs'] or 'other metrics'}; "
            about += f"{computed}; {metric.source}"
            about += f"; a variant or part of {metric.variant_of}" * bool(metric.variant_of)
            about += (
                "; reads the answer key" * metric.reads_key + "; only where it is named" * metric.on_request
            )
            lines += [
                f"  {metric.name}: {metric.meaning}",
                *textwrap.wrap(about, 120, initial_indent=" " * 6, subsequent_indent=" " * 6),
            ]
    return "\n".join([*lines, "", STATES])


def if_missing(metric: Metric) -> str:
    """What an answer without an input of the metric gets."""
    if metric.derived:
        return f"not_applicable without a score of {', '.join(metric.derived)}"
    judge = " and without a judge" if "judge" in metric.models else ""
    silent = "; not_applicable to an answer that abstains" if metric.of_content else ""
    return f"not_measured without {' or '.join(metric.needs)}{judge}{silent}"


def _card(metric: Metric) -> dict[str, object]:
    return {
        "name": metric.name,
        "family": metric.family,
        "variant_of": metric.variant_of or "none",
        "needs": ", ".join(metric.needs),
        "reads_key": metric.reads_key,
        "range": f"{metric.low:g} to {metric.high:g}",
        "direction": f"{'higher' if metric.higher_is_better else 'lower'} is better",
        "source": metric.source,
        "models": ", ".join(metric.models) or "none",
        "deterministic": metric.deterministic,
        "cost": metric.cost,
        "meaning": metric.meaning,
        "formula": metric.formula,
        "if_missing": if_missing(metric),
    }
