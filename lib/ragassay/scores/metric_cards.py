"""The cards of the metrics: needs, range, direction, what computes them, what if an input is missing.

Those of scores that a tool gave: `answers/log_formats/tool_scores.csv`; examined beside ours in
`examination/tool_score_examination.py`.
"""

import textwrap

import pandas as pd

from ragassay.scores.metric import Metric
from ragassay.scores.metric_directions import direction
from ragassay.scores.metric_registry import METRICS

WIDTH = 120
STATES = "Missing is never 0: not_measured (no input), not_applicable (nothing to judge), error."


def table() -> pd.DataFrame:
    """One row per metric, with all that its card says."""
    return pd.DataFrame([_card(metric) for metric in METRICS.values()])


def text() -> str:
    """The cards as lines for a terminal, one paragraph per metric, grouped by family."""
    lines: list[str] = []
    for family in dict.fromkeys(metric.family for metric in METRICS.values()):
        lines += ["", family.upper()]
        lines += [line for each in METRICS.values() if each.family == family for line in _lines(each)]
    return "\n".join([*lines, "", STATES])


def _card(metric: Metric) -> dict[str, object]:
    return {
        "name": metric.name,
        "family": metric.family,
        "variant_of": metric.variant_of or "none",
        "needs": ", ".join(metric.needs),
        "reads_key": metric.reads_key,
        "range": f"{metric.low:g} to {metric.high:g}",
        "direction": f"{direction(metric.name)} is better",
        "source": metric.source,
        "models": ", ".join(metric.models) or "none",
        "deterministic": metric.deterministic,
        "cost": metric.cost,
        "meaning": metric.meaning,
        "formula": metric.formula,
        "if_missing": if_missing(metric),
    }


def if_missing(metric: Metric) -> str:
    """What an answer without an input of the metric gets."""
    if metric.derived:
        return f"not_applicable without a score of {', '.join(metric.derived)}"
    missing = [f"not_measured without {' or '.join(metric.needs)}"]
    missing += ["and without a judge"] if "judge" in metric.models else []
    missing += ["; not_applicable to an answer that abstains"] if metric.of_content else []
    return " ".join(missing).replace(" ;", ";")


def _lines(metric: Metric) -> list[str]:
    card = _card(metric)
    needs, models = card["needs"] or "other metrics", metric.models
    computed = f"computed by {', '.join(models)}" if models else "computed by rule, without a model"
    about = f"{card['range']}, {card['direction']}; needs {needs}; {computed}; {card['source']}"
    about += f"; a variant or part of {metric.variant_of}" * bool(metric.variant_of)
    about += "; reads the answer key" * metric.reads_key + "; only where it is named" * metric.on_request
    return [
        f"  {metric.name}: {metric.meaning}",
        *textwrap.wrap(about, WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6),
    ]
