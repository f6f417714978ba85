"""Every metric, from its row in families/metrics.csv: card, use, needs, and the function of a family's file
that computes it (`module.function argument=value`); and which way is better, of metrics and of the
scorecard's rates. How families compute, for readers, stands in methods.csv.

A row lists the metric's options, `name: words for readers`, with the models that an option needs in place of
the metric's. An option is named `groundedness:min`, and is a metric like any other; its function gets the
option's name.
"""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any

import pandas as pd

from ragassay.answers import tool_scores
from ragassay.defaults import LATENCY_BUDGET
from ragassay.models import entailment_thresholds
from ragassay.scores.metric import Method, Metric
from ragassay.scores.text_reading import word_lists

JUDGE = "judge"  # the option, and the model, of what a language model is asked
SAFETY = "privacy toxicity refusals attacks access sentiment self_check".split()  # not by default
LISTS = ("needs", "reads", "models", "derived")
FLAGS = ("of_content", "of_silence", "grades_quality", "own_call")
TEXTS = ("name", "family", "display", "meaning", "source", "formula", "use")
_VALUES = {  # what stands in formulas as <words>
    "seconds": f"{LATENCY_BUDGET:g}",
    "near": f"{entailment_thresholds.shipped('citation_similarity'):g}",
    "claims": f"{entailment_thresholds.shipped('claims'):g}",
    "citations": f"{entailment_thresholds.shipped('citations'):g}",
}


def _metric(row: dict[str, str]) -> Metric:
    cells: dict[str, Any] = {name: row[name] for name in TEXTS}
    for word, value in _VALUES.items():
        cells["formula"] = cells["formula"].replace(f"<{word}>", value)
    cells |= {name: tuple(row[name].split()) for name in LISTS}
    cells |= {name: row[name] == "yes" for name in FLAGS if row[name]}
    place, *arguments = row["measure"].split()
    module, _, function = place.partition(".")
    measure = getattr(import_module(f"ragassay.scores.families.{module}"), function)
    return Metric(
        **cells,
        low=float(row["low"]),
        high=float(row["high"]),
        higher_is_better=row["better"] == "higher",
        headline=int(row["headline"] or 0),
        cost=row["cost"] or "milliseconds per answer",
        options=tuple(row["options"].split("; ")) if row["options"] else (),
        measure=partial(measure, **dict(one.split("=") for one in arguments)),
    )


def _options(metric: Metric) -> Iterator[Metric]:
    """The metric's options, each a metric of its own; with `judge` a language model is asked, who is shown
    the question and the type of answer too."""
    for entry in metric.options:
        option, words, *models = entry.split(": ")
        changed: dict[str, Any] = {"measure": partial(metric.measure, option=option)}
        if models:
            changed["models"] = tuple(models[0].replace("none", "").split())
        if option == JUDGE:
            changed = {
                "measure": import_module("ragassay.scores.families.judged").BY_JUDGE[metric.name],
                "models": (JUDGE,),
                "needs": tuple(dict.fromkeys((*metric.needs, "question"))),
                "reads": (*metric.reads, "answer_type"),
                "cost": "one to four calls of a language model per answer, shared",
            }
        changed |= {
            "name": f"{metric.name}:{option}",
            "display": f"{metric.display}, {words}",
            "meaning": f"{metric.meaning} ({words})",
        }
        yield replace(metric, **changed, option_of=metric.name, options=(), use="on request", headline=0)


METHODS = tuple(Method(**row) for row in word_lists.rows("families/methods.csv"))
_ROWS = [_metric(row) for row in word_lists.rows("families/metrics.csv")]
METRICS: dict[str, Metric] = {one.name: one for metric in _ROWS for one in (metric, *_options(metric))}
FAMILIES: dict[str, list[Metric]] = {
    name: [metric for metric in _ROWS if metric.family == name]
    for name in dict.fromkeys(metric.family for metric in _ROWS)
}
OFFLINE: tuple[str, ...] = tuple(metric.name for metric in _ROWS if JUDGE not in metric.models)
DEFAULT: tuple[str, ...] = tuple(
    name for name in OFFLINE if not METRICS[name].on_request and METRICS[name].family not in SAFETY
)
JUDGED: tuple[str, ...] = tuple(
    name for name, metric in METRICS.items() if JUDGE in metric.models and not metric.own_call
)


def judges_of(metric: str) -> list[str]:
    """Which models of the user's judge a metric where they are named: entailment, support, toxicity; none of
    a name that is not in METRICS."""
    if metric not in METRICS:
        return []
    judging = (*METRICS[metric].models, "support" if METRICS[metric].family == "support" else "")
    return [kind for kind in ("entailment", "support", "toxicity") if kind in judging]


def headlines() -> list[str]:
    """The metrics of the first table of notebook 02, in its order.

    >>> "support" in headlines()
    True
    """
    return [one.name for one in sorted(_ROWS, key=lambda one: one.headline) if one.headline]


IN_TEXT = ("range", "direction", "needs", "models", "source", "use", "reads_key", "options")
STATES = "Missing is never 0: not_measured (no input), not_applicable (nothing to judge), error."


def card_table() -> pd.DataFrame:
    """One row per metric, with all that its card says."""
    return pd.DataFrame([_card(metric) for metric in METRICS.values() if not metric.option_of])


def card_text() -> str:
    """The cards as lines for a terminal, one paragraph per metric, grouped by family."""
    lines: list[str] = []
    for name, family in FAMILIES.items():
        lines += ["", name.upper()]
        for card in map(_card, family):
            about = "; ".join(f"{cell.replace('_', ' ')}: {card[cell]}" for cell in IN_TEXT)
            wrapped = textwrap.wrap(about, 120, initial_indent=" " * 6, subsequent_indent=" " * 6)
            lines += [f"  {card['name']}: {card['meaning']}", *wrapped]
    return "\n".join([*lines, "", STATES])


def _card(metric: Metric) -> dict[str, object]:
    judge = " and without a judge" if JUDGE in metric.models else ""
    silent = "; not_applicable to an answer that abstains" if metric.of_content else ""
    if_missing = f"not_measured without {' or '.join(metric.needs)}{judge}{silent}"
    if metric.derived:
        if_missing = f"not_applicable without a score of {', '.join(metric.derived)}"
    return {
        "name": metric.name,
        "family": metric.family,
        "use": metric.use,
        "options": ", ".join(f":{option.split(': ')[0]}" for option in metric.options) or "none",
        "needs": ", ".join(metric.needs),
        "reads_key": metric.reads_key,
        "range": f"{metric.low:g} to {metric.high:g}",
        "direction": f"{'higher' if metric.higher_is_better else 'lower'} is better",
        "source": metric.source,
        "models": ", ".join(metric.models) or "none",
        "deterministic": JUDGE not in metric.models,
        "cost": metric.cost,
        "meaning": metric.meaning,
        "formula": metric.formula,
        "if_missing": if_missing,
    }


LEGEND = "↑ higher is better, ↓ lower is better"
OF_RATERS = "judged_"  # shares of answers that raters accept


@dataclass(frozen=True)
class Entry:
    """How readers take a number: its name in words, which way is better (higher, lower, or "" where 0 is
    best or nobody knows), whether it reads the answer key, which production has none of, and, of a rate,
    whether it stands on the scorecard, where gates read it, or in a check alone."""

    display: str
    better: str
    reads_key: bool = False
    on_scorecard: bool = False


RATES = {  # numbers of the scorecard that are no metric of one answer
    row["name"]: Entry(row["display"], row["better"], on_scorecard=row["on_scorecard"] == "yes")
    for row in word_lists.rows("rates.csv")
}


def find_entry(name: str) -> Entry | None:
    """How a metric, rate, judgement of raters or score given with a log is read; None of other names."""
    if tool_scores.is_given(name):
        card, (tool, _, score) = tool_scores.card(name), name.partition(":")
        tool = "your column" if tool == tool_scores.GIVEN else tool
        return Entry(f"{score.replace('_', ' ')} ({tool})", card.better, card.reads_key)
    if name in METRICS:
        metric = METRICS[name]
        return Entry(metric.display, "higher" if metric.higher_is_better else "lower", metric.reads_key)
    if name.startswith(OF_RATERS):
        return Entry(f"{name.removeprefix(OF_RATERS).replace('_', ' ')} (raters)", "higher")
    return RATES.get(name)


def reads_key(name: str) -> bool:
    """Whether a score, ours or given with a log, reads the answer key, which production has none of."""
    known = find_entry(name)
    return known is not None and known.reads_key


def direction(name: str) -> str:
    """ "higher" or "lower", whichever is better; "" for what is neither metric nor rate, and for a score of
    another tool that the kit does not know."""
    known = find_entry(name)
    return known.better if known else ""


def arrow(name: str) -> str:
    """The direction as LEGEND explains it."""
    return {"higher": "↑", "lower": "↓"}.get(direction(name), " ")


def with_direction(table: pd.DataFrame) -> pd.DataFrame:
    """The table with a column `better` beside its metrics: higher or lower."""
    return table.assign(better=table["metric"].map(direction))
