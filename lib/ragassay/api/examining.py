"""`ragassay.examine`: a suite of unit tests in, what a scorer or judge gets right out, beside rules alone;
`ragassay.diagnose`: a table of results in, out comes what the assistant does not know, what it knows in some
words only, and which module fails (GRAMMAR 3.3 and 4)."""

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
from ragassay.errors import ParameterError
from ragassay.examination import examine as examining
from ragassay.models import load_instrument
from ragassay.show import clean
from ragassay.stats import Interval, interval_text
from ragassay.tables import Whole


@dataclass(frozen=True)
class Examined(examining.Examination):
    """An examination of a suite, `tests`, that can be looked at."""

    tests: tuple[examining.UnitTest, ...]

    def plot(self) -> Figure:
        """The pass rates with their intervals: in all, by mark, by type of test."""
        return drawn(plots.forest(self.summary(), x="value", y="name", percent=True))

    def to_json(self) -> str:
        """Pass rates of the scorer and of the baseline, each value, low, high, n."""
        found = examining.with_baseline(self.tests, self)
        return json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False)

    def __repr__(self) -> str:
        """The pass rates, beside those of rules alone."""
        ours, rules = self.summary(), examining.examine(self.tests, examining.rules_alone).summary()
        width = ours["name"].map(len).max()
        lines = [f"{self.name}: {len(self.tests)} tests, {self.parse_failures} marks unparsed"]
        for row, alone in zip(ours.itertuples(), rules["value"], strict=True):
            rate = interval_text(row.value, row.low, row.high, 3)
            lines.append(f"  {row.name:<{width}}  {rate} n={row.n}   rules alone {alone:.3f}")
        return clean("\n".join(lines), 0)

    def _repr_html_(self) -> str:
        return table_html(self.summary(), f"{self.name}: pass rates on {len(self.tests)} unit tests")


def examine(
    tests: str | Path | None = None,
    scorer: Path | str | examining.Scorer = "offline",
    judge: Any = None,
    **named: str,
) -> Examined:
    """Examine a scorer on unit tests of evaluators.

    Parameters
    ----------
    tests : a suite in GroUSE's format; None: the bundled one, 144 tests on nine banking questions
    scorer : "offline" (our metrics), "judge" (a language model, named by `judge`), "rules", the folder of a
        small judge, or a callable
    judge : `models.judge.Judge`
    named : entailment, thresholds, support and device in place of the run's (docs/bigger-models.md)

    Raises InputError if the suite cannot be read, ModelError if a model named cannot be used or the device is
    not on this machine, ParameterError if there is no such scorer, or no judge is named for "judge".
    """
    read = examining.read_suite(examining.BUNDLED if tests is None else tests)
    with load_instrument.use_models(**named):
        found = examining.examine(read, find_scorer(scorer, judge), name=str(scorer))
    return Examined(found.name, found.checks, tuple(read))


def find_scorer(scorer: str | Path | examining.Scorer, judge: Any = None) -> examining.Scorer:
    """The scorer of a name, as for `examine`; ParameterError if there is none."""
    if callable(scorer):
        return scorer
    if scorer == "judge" and judge is not None:
        return examining.judged_by(judge)
    if scorer in ("offline", "rules"):
        return examining.offline if scorer == "offline" else examining.rules_alone
    if scorer != "judge" and Path(scorer).is_dir():
        from ragassay.examination import small_judge

        return small_judge.load(Path(scorer))
    raise ParameterError(
        "there is no such scorer",
        found=scorer,
        expected="offline, rules, judge with --judge, or a judge's folder",
    )


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
        return Whole(rows, columns=["quantity", "value", "low", "high", "n", "left_out", "reason", "method"])

    def plot(self) -> Figure:
        """The figures with their intervals."""
        return drawn(plots.forest(self.summary(), x="value", y="quantity"))

    def to_json(self) -> str:
        """The figures as numbers and with their intervals, the groups by kind, modules, contrasts and
        evaluators; null where something does not exist, with the reason beside it."""
        failures = self.results.loc[
            self.results["module"] != "", ["query", "group", "kind", "module", "evidence"]
        ]
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
    given = results if isinstance(results, pd.DataFrame) else read_whole(Path(results))
    where = "the results" if given is results else str(results)
    read = diagnosis.read_results(given, closed_domain=closed_domain, where=where)
    rng = np.random.default_rng(seed)
    assigned = diagnosis.modules(read)
    return Diagnosis(
        assigned,
        diagnosis.measure_groups(read, rng=rng),
        diagnosis.group_table(read),
        diagnosis.count_modules(assigned),
        diagnosis.defective_module(assigned, rng=rng),
        diagnosis.contrast_clusters(read, cluster, rng=rng) if cluster else None,
        diagnosis.compare_evaluators(read, evaluators, rng=rng) if evaluators else None,
    )
