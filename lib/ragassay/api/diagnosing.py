"""`ragassay.diagnose`: a table of results in, what the assistant does not know, what it knows in some words
only, and which module fails, out (GRAMMAR 3.3 and 4)."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ragassay import plots
from ragassay.analysis import diagnosis
from ragassay.api.score_files import read_whole
from ragassay.api.scoring import drawn, table_html
from ragassay.show import clean
from ragassay.stats import Interval


@dataclass(frozen=True)
class Diagnosis:
    """What was found of the groups and modules of one assistant.

    results : the rows given, with kind of their group, comparison, beside, module of each failure, its
        evidence
    figures : accuracy, robustness, lambda, accuracy_retrieval, robustness_retrieval, each with its interval
    groups : one row a group: kind (gap, robust, non_robust), n, correct, retrieval
    modules : failures by kind of group and module;  defect : the defective module, if one stands out
    contrasts : two linguistic clusters against each other; None where no column was named
    evaluators : evaluators that need no gold answer, against gold; None where none was named
    """

    results: pd.DataFrame
    figures: dict[str, Interval]
    groups: pd.DataFrame
    modules: pd.DataFrame
    defect: diagnosis.Defect
    contrasts: pd.DataFrame | None = None
    evaluators: pd.DataFrame | None = None

    def to_pandas(self) -> pd.DataFrame:
        """One row a query: what was given, and the module of each failure with its evidence."""
        return self.results.copy()

    def summary(self) -> pd.DataFrame:
        """One row a figure: quantity, value, low, high, n, left_out, reason, method."""
        rows = [{"quantity": name, **asdict(each)} for name, each in self.figures.items()]
        return pd.DataFrame(rows)[["quantity", "value", "low", "high", "n", "left_out", "reason", "method"]]

    def plot(self) -> Figure:
        """The figures with their intervals."""
        return drawn(plots.forest(self.summary(), x="value", y="quantity"))

    def to_json(self) -> str:
        """The figures as numbers and with their intervals, the groups by kind, modules, contrasts and
        evaluators; null where something does not exist, with the reason beside it."""
        failures = self.results.loc[self.results["module"] != "", FAILURE]
        tables = {"modules": self.modules, "failures": failures, "figures": self.summary()}
        tables |= {"contrasts": self.contrasts, "evaluators": self.evaluators}
        how: Any = {"orient": "records", "double_precision": 10}
        records = {n: json.loads(each.to_json(**how)) for n, each in tables.items() if each is not None}
        kinds = self.groups.groupby("kind")["group"].agg(list)
        record = {each["quantity"]: each["value"] for each in records["figures"]}
        record |= {
            "groups": {kind: kinds.get(kind, []) for kind in diagnosis.KINDS},
            "retrieval_from": self.results["retrieval_from"].value_counts().to_dict(),
            "reclassified": int(self.results["reclassified"].sum()),
            "defective_module": {
                "module": self.defect.module,
                "why": self.defect.why,
                "rule": diagnosis.RULE,
            },
        }
        return json.dumps(record | records, indent=2, ensure_ascii=False)

    def __repr__(self) -> str:
        counts, changed = diagnosis.count_kinds(self.groups), int(self.results["reclassified"].sum())
        judged = [f"{n} {name}" for name, n in self.results["retrieval_from"].value_counts().items()]
        rule = f"; closed-domain rule: {changed} answers counted as incorrect" if changed else ""
        lines = [
            f"{len(self.results)} queries in {len(self.groups)} groups: {counts['robust']} robust, "
            f"{counts['non_robust']} non-robust, {counts['gap']} gap",
            f"groups of one query: {counts['of_one']}",
            *(f"  {name:<21} {each}" for name, each in self.figures.items()),
            f"defective module: {self.defect.module.replace('_', ' ')}; {self.defect.why}",
            f"retrieval judged by: {', '.join(judged)}{rule}",
        ]
        for caption, table in (("contrasts", self.contrasts), ("evaluators", self.evaluators)):
            if table is not None:
                lines += [caption, table.to_string(index=False, na_rep="", float_format="%.3f")]
        return clean("\n".join(lines), 0)

    def _repr_html_(self) -> str:
        return table_html(self.summary(), "Groups and modules", self.defect.why)


FAILURE = ["query", "group", "kind", "module", "evidence"]


def diagnose(
    results: str | Path | pd.DataFrame,
    *,
    cluster: str = "",
    evaluators: Mapping[str, float] | None = None,
    closed_domain: bool = False,
    seed: int = 0,
) -> Diagnosis:
    """Diagnose an assistant by groups of queries that ask the same (GRAMMAR's modular evaluation).

    Parameters
    ----------
    results : a file (.jsonl, .csv, .tsv, .parquet, .json, .xlsx) or a DataFrame: query, group, correct;
        retrieval_correct, or retrieved and gold (ids of passages), or retrieved alone (contexts compared)
    cluster : a column that names two linguistic clusters, such as short and long, to be contrasted
    evaluators : columns of evaluators that need no gold answer -> the value from which they call an answer
        correct
    closed_domain : the closed-domain rule: an answer whose retrieval failed counts as incorrect
    seed : of resampling

    Raises TableError if a column is missing, a query stands twice, a group is blank, a judgement is none, or
    the contrast has another number of clusters than two; InputError if the file, or a line of it, cannot be
    read.
    """
    is_table = isinstance(results, pd.DataFrame)
    given, where = (results, "the results") if is_table else (read_whole(Path(results)), str(results))
    read = diagnosis.read_results(given, closed_domain=closed_domain, where=where)
    rng = np.random.default_rng(seed)
    assigned = diagnosis.assign_modules(read)
    return Diagnosis(
        assigned,
        diagnosis.measure_groups(read, rng=rng),
        diagnosis.group_table(read),
        diagnosis.count_modules(assigned),
        diagnosis.defective_module(assigned, rng=rng),
        diagnosis.contrast_clusters(read, cluster, rng=rng) if cluster else None,
        diagnosis.compare_evaluators(read, evaluators, rng=rng) if evaluators else None,
    )
