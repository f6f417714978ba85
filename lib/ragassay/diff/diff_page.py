"""The comparison as a page: one template in the words of a reader, every text as data."""

import base64
import hashlib
from collections.abc import Mapping
from importlib import resources
from typing import Any

import pandas as pd

from ragassay.analysis.comparison import BETTER, WORSE
from ragassay.diff import Comparison
from ragassay.diff.run_facts import KIT, NO_GATE, RATERS
from ragassay.scores import display_names, metric_registry
from ragassay.show import clean, value_text
from ragassay.stats import interval_text
from ragassay.tables import COMPARED

ROWS = 200  # of a table on the page; the JSON has all
DASH = "—"


def html(found: Comparison) -> str:
    """The page: one file, without script."""
    import jinja2
    from markupsafe import Markup

    folder = resources.files("ragassay.diff")
    style = folder.joinpath("diff_page.css").read_text("utf-8")
    page = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        finalize=lambda value: value if isinstance(value, Markup) else clean(value, 400),
    )
    page.filters |= {
        "arrow": metric_registry.arrow,
        "change": change_text,
        "level": lambda level, column: display_names.level_name(column, level),
        "metric": display_names.display_name,
        "number": _number,
        "rows": lambda table: table.to_dict("records"),
        "words": lambda name: name.replace("_", " "),
    }
    ranks = found.measures["outcome"].map(COMPARED.index)
    return page.from_string(folder.joinpath("diff_page.html.j2").read_text("utf-8")).render(
        style=Markup(style),
        style_hash="sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        found=found,
        measures=found.measures.iloc[ranks.argsort(kind="stable")],
        legend=metric_registry.LEGEND,
        reservations=reservations(found),
        gate_text=_gate,
        rows_shown=ROWS,
    )


def reservations(found: Comparison) -> list[str]:
    """Why a difference of scores may not be the system's: "kit", "raters", "same answers"."""
    differ = found.measures["outcome"].isin([BETTER, WORSE]).any()
    same = differ and 0 < found.answers["n"] == found.answers["same"]
    kinds = set(found.settings["kind"])
    return [kind for kind in (KIT, RATERS) if kind in kinds] + ["same answers"] * bool(same)


def change_text(row: Mapping) -> str:
    """A difference with its interval, signed, to the third decimal."""
    value, low, high = (round(float(row[name]), 3) + 0.0 for name in ("difference", "low", "high"))  # no -0.0
    return interval_text(value, low, high, 3, signed=True, why=str(row.get("reason") or ""))


def _gate(row: Mapping, side: str) -> str:
    """What a gate measured in a run, and required."""
    if row[f"outcome_{side}"] == NO_GATE:
        return DASH
    value = interval_text(*(row[f"{name}_{side}"] for name in ("value", "low", "high")), missing=DASH)
    return f"{value}, n = {_number(row[f'n_{side}'])}, required {_number(row[f'threshold_{side}'])}"


def _number(value: Any) -> str:
    return DASH if pd.isna(value) else f"{value:.3g}" if isinstance(value, float) else value_text(value)
