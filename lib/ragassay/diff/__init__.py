"""Two finished runs compared: champion and challenger, or the validation of last year and this one's.

two run folders -> pairs of cases -> measures, findings, facts -> Comparison -> terminal, JSON, a page

`paired_cases`: a run folder, read leniently; which case is the same in both; B minus A, with intervals;
gates, findings, documents, settings, side by side.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ragassay.analysis.comparison import BETTER, WORSE
from ragassay.diff import paired_cases
from ragassay.diff.paired_cases import KIT, NO_GATE, RATERS, open_side, pair_cases
from ragassay.scores import display_names, metric_registry
from ragassay.show import clean, value_text
from ragassay.stats import interval_text
from ragassay.tables import COMPARED

__all__ = ["Comparison", "compare_runs"]
ROWS = 200  # of a table on the page; the JSON has all
DASH = "—"


@dataclass(frozen=True)
class Comparison:
    """What two runs have in common and what changed from A to B; tables as their modules describe them.

    gaps : what could not be read or compared, and why
    """

    about: pd.DataFrame
    pairs: pd.DataFrame
    answers: dict[str, Any]
    measures: pd.DataFrame
    turned: pd.DataFrame
    gates: pd.DataFrame
    findings: pd.DataFrame
    documents: pd.DataFrame
    settings: pd.DataFrame
    gaps: list[str] = field(default_factory=list)

    def to_json(self) -> str:
        """Everything as JSON; what is undefined is null."""
        parts = {each.name: getattr(self, each.name) for each in fields(self)}
        for name, part in parts.items():
            if isinstance(part, pd.DataFrame):
                parts[name] = json.loads(part.to_json(orient="records", double_precision=15))
        return json.dumps(parts, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def reservations(self) -> list[str]:
        """Why a difference of scores may not be the system's: "kit", "raters", "same answers"."""
        differ = self.measures["outcome"].isin([BETTER, WORSE]).any()
        same = differ and 0 < self.answers["n"] == self.answers["same"]
        kinds = set(self.settings["kind"])
        return [kind for kind in (KIT, RATERS) if kind in kinds] + ["same answers"] * bool(same)

    def to_html(self) -> str:
        """As a page: one file, without script, by one template in the words of a reader, every text as
        data."""
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
        ranks = self.measures["outcome"].map(COMPARED.index)
        return page.from_string(folder.joinpath("diff_page.html.j2").read_text("utf-8")).render(
            style=Markup(style),
            style_hash="sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
            found=self,
            measures=self.measures.iloc[ranks.argsort(kind="stable")],
            legend=metric_registry.LEGEND,
            reservations=self.reservations(),
            gate_text=_gate,
            rows_shown=ROWS,
        )


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


def compare_runs(run_a: str | Path, run_b: str | Path, *, seed: int = 0) -> Comparison:
    """Compare two run folders; nothing is written. InputError if one of them is no run folder.

    run_a, run_b : champion and challenger, or the earlier and the later run; differences are B minus A
    """
    a, b = open_side(run_a), open_side(run_b)
    paired, rng = pair_cases(a, b), np.random.default_rng(seed)
    return Comparison(
        about=paired_cases.compare_facts(a, b),
        pairs=paired.counts(),
        answers=paired_cases.same_answers(a, b, paired),
        measures=paired_cases.compare_measures(a, b, paired, rng=rng),
        turned=paired_cases.turned_answers(a, b, paired),
        gates=paired_cases.compare_gates(a, b),
        findings=paired_cases.compare_findings(a, b),
        documents=paired_cases.document_changes(a, b),
        settings=paired_cases.settings(a, b),
        gaps=[f"{letter}: {gap}" for letter, run in (("A", a), ("B", b)) for gap in run.gaps],
    )
