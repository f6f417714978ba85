"""Two finished runs compared: champion and challenger, or the validation of last year and this one's.

two run folders -> pairs of cases -> measures, findings, facts -> Comparison -> terminal, JSON, a page

runs             a run folder, read leniently; which case is the same in both
paired_measures  B minus A, paired, with intervals
run_facts        gates, findings, documents, questions, settings, side by side
diff_page        as a page, by one template
"""

import json
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ragassay.diff import paired_cases, run_facts
from ragassay.diff.paired_cases import open_side, pair_cases

__all__ = ["Comparison", "compare_runs"]


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
    levels: pd.DataFrame
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


def compare_runs(run_a: str | Path, run_b: str | Path, *, seed: int = 0) -> Comparison:
    """Compare two run folders; nothing is written.

    Parameters
    ----------
    run_a, run_b : champion and challenger, or the earlier and the later run; differences are B minus A

    Raises
    ------
    InputError
        If one of them is no run folder.
    """
    a, b = open_side(run_a), open_side(run_b)
    paired, rng = pair_cases(a, b), np.random.default_rng(seed)
    measured = paired_cases.compare_measures(a, b, paired, rng=rng)
    return Comparison(
        about=run_facts.compare_facts(a, b),
        pairs=paired.counts(),
        answers=paired_cases.same_answers(a, b, paired),
        measures=measured,
        turned=paired_cases.turned_answers(a, b, paired),
        gates=run_facts.compare_gates(a, b),
        findings=run_facts.compare_findings(a, b),
        levels=run_facts.question_levels(paired),
        documents=run_facts.document_changes(a, b),
        settings=run_facts.settings(a, b),
        gaps=[f"{letter}: {gap}" for letter, run in (("A", a), ("B", b)) for gap in run.gaps],
    )
