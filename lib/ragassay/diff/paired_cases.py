"""Two runs, read leniently (what is missing or changed is a gap, no exception); which cases are the same in
both; what was measured on them: B minus A, paired, with intervals and tests.

A case keeps its id from run to run where its question is the user's; generated questions may be other ones
under an id of before. So the texts decide: two cases are paired if what is asked (question, history,
passages) is the same, letter for letter but for spaces at the ends. Where a text stands several times, those
of one id are paired, and the rest is left out."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay import provenance, search_paths
from ragassay.analysis import comparison
from ragassay.errors import InputError
from ragassay.report.run_folder import Run
from ragassay.scores import headlines
from ragassay.scores.metric_registry import OF_RATERS, RATES, direction
from ragassay.stats.random_streams import random_base, random_stream

QUESTIONS = "questions"  # the part of the table `cases` that is no part
ASKED = ["part", "text"]
COLUMNS = [
    "part", "metric", "better", "pairs", "n", "a", "b", "difference", "low", "high", "p", "q", "outcome",
    "gained", "equal", "lost", "left_out", "reason",
]  # fmt: skip
ONLY_IN = "{letter} {case}"  # a case that one side alone asked: left out of every pair, and counted
ACCEPTED = ("judged_in_every_respect", "end_to_end_success")  # what decides whether an answer is right


def open_side(run_dir: str | Path) -> Run:
    """A run to compare; each table that is not the one of its manifest is a gap. InputError if there is no
    such folder, or no run has left anything in it."""
    folder = provenance.source(run_dir)
    if not search_paths.is_run_folder(folder):
        raise InputError("this is no run folder", where=folder, do="name one, such as reports/bank")
    run = Run(folder)
    for item, state in run.states:
        if state != "same" and str(item["path"]).startswith("tables/"):
            run.miss(f"changed since the run: {item['path']}")
    return run


def system_of(run: Run) -> str:
    """The system that was validated, as its tables name it."""
    return str(run.engagement.get("system") or "assistant")


def parts_of(run: Run, name: str) -> list[str]:
    """The parts of a table that are there; "" stands for the table itself and comes first."""
    paths = (run.folder / "tables").glob(f"{name}.*parquet")
    return sorted(path.stem.removeprefix(name).removeprefix(".") for path in paths)


def read_rows(run: Run, name: str, part: str = "", *, needs: tuple[str, ...] = ()) -> pd.DataFrame:
    """A table's rows; none, and a gap, where it is not there or lacks a column that is needed."""
    table = f"{name}{'.' * bool(part)}{part}"
    found = run.rows(table)
    if lacking := [column for column in needs if column not in found]:
        run.miss(f"tables/{table}.parquet is not there, or has no {', '.join(lacking)}")
        return pd.DataFrame(columns=list(needs))
    return found


def scores_of(run: Run) -> pd.DataFrame:
    """Every score of the validated system, one row a case and metric."""
    needs = ("case_id", "system", "metric", "value", "state")
    tables = [read_rows(run, "scores", part, needs=needs)[list(needs)] for part in parts_of(run, "scores")]
    every = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(needs))
    own = every[every["system"].astype(str) == system_of(run)]
    return own.drop_duplicates(["case_id", "metric"]).assign(reason="", detail="[]")


def cases_of(run: Run) -> pd.DataFrame:
    """Every case, with its `part` and its `text`: question, history, passages."""
    needs = ("case_id", "question")
    parts = [part for part in parts_of(run, "cases") if part != "rejected_variants"]
    tables = [read_rows(run, "cases", part, needs=needs).assign(part=part or QUESTIONS) for part in parts]
    tables = [table for table in tables if len(table)] or [pd.DataFrame(columns=[*needs, "part"])]
    every = pd.concat(tables, ignore_index=True).drop_duplicates("case_id", ignore_index=True)
    texts = [
        (str(row["question"]).strip(), _joined(row.get("history")), _joined(row.get("passages")))
        for row in every.to_dict("records")
    ]
    return every.assign(text=texts)


def _joined(value: object) -> str:
    return "\n".join(map(str, value)) if isinstance(value, list | tuple | np.ndarray) else ""


@dataclass(frozen=True)
class Pairs:
    """cases : part, case_a, case_b, question; "" on the side that did not ask it
    cases_a, cases_b : every case of either run, with `part` and `shared` (whether it is paired)
    """

    cases: pd.DataFrame
    cases_a: pd.DataFrame
    cases_b: pd.DataFrame

    def both(self) -> pd.DataFrame:
        """The questions that both runs asked."""
        asked = (self.cases["case_a"] != "") & (self.cases["case_b"] != "")
        return self.cases[asked & (self.cases["part"] == QUESTIONS)]

    def counts(self) -> pd.DataFrame:
        """part, both, only_a, only_b: how many cases."""
        only = {"only_a": self.cases["case_b"] == "", "only_b": self.cases["case_a"] == ""}
        of = self.cases.assign(both=~(only["only_a"] | only["only_b"]), **only)
        return of.groupby("part", sort=False)[["both", "only_a", "only_b"]].sum().astype(int).reset_index()


def pair_cases(a: Run, b: Run) -> Pairs:
    """Every case of two runs, paired where both asked the same; part by part of the table `cases`."""
    of_a, of_b = cases_of(a), cases_of(b)
    same = of_a.merge(of_b[["case_id", *ASKED]], on=["case_id", *ASKED])["case_id"]
    left = [side[~side["case_id"].isin(same)].drop_duplicates(ASKED, keep=False) for side in (of_a, of_b)]
    other = left[0].merge(left[1], on=ASKED, suffixes=("_a", "_b"))
    pairs = dict(zip(same, same, strict=True)) | dict(
        zip(other["case_id_a"], other["case_id_b"], strict=True)
    )
    case_b = of_a["case_id"].map(pairs)
    of_a, of_b = of_a.assign(shared=case_b.notna()), of_b.assign(shared=of_b["case_id"].isin(pairs.values()))
    rows_a = of_a.assign(case_a=of_a["case_id"], case_b=case_b.fillna(""))
    rows_b = of_b[~of_b["shared"]].assign(case_a="", case_b=of_b["case_id"])
    cases = pd.concat([rows_a, rows_b], ignore_index=True)[["part", "case_a", "case_b", "question"]]
    return Pairs(cases, of_a, of_b)


def compare_measures(a: Run, b: Run, pairs: Pairs, *, rng: np.random.Generator) -> pd.DataFrame:
    """One row per part of the cases and metric that both runs have, COLUMNS.

    difference : mean of B minus A over the n pairs scored on both sides, with a paired bootstrap over
        clusters; p by sign flips, q by Benjamini-Hochberg over all rows
    outcome : of B, in the metric's own direction (`analysis.comparison.compare_systems`, and its simulation)
    gained, equal, lost : pairs on which B is better, the same, worse
    left_out : cases of one side alone or without a score, and why
    """
    base, scores = random_base(rng), (scores_of(a), scores_of(b))
    tables = [
        found
        for part in pairs.counts()["part"]
        if (found := _of_part(part, *scores, pairs, random_stream(base, part))) is not None
    ]
    if not tables:
        return pd.DataFrame(columns=COLUMNS)
    return comparison.with_outcomes(pd.concat(tables, ignore_index=True)).rename(
        columns={"own_mean": "b", "challenger_mean": "a", "wins": "gained", "ties": "equal", "losses": "lost"}
    )[COLUMNS]


def same_answers(a: Run, b: Run, pairs: Pairs) -> dict[str, int]:
    """How many of the questions that both runs asked were answered word for word alike: n, same, left_out
    (without an answer in one run)."""
    both = []
    for side, case in ((a, "case_a"), (b, "case_b")):
        rows = read_rows(side, "answers", needs=("case_id", "system", "repeat", "answer"))
        own = rows[(rows["system"].astype(str) == system_of(side)) & (rows["repeat"] == 0)]
        answers = own.drop_duplicates("case_id").set_index("case_id")["answer"].astype(object)
        both.append(answers.reindex(pairs.both()[case]).to_numpy())
    known = pd.notna(both[0]) & pd.notna(both[1])
    same = int((both[0][known] == both[1][known]).sum())
    return {"n": int(known.sum()), "same": same, "left_out": int((~known).sum())}


def turned_answers(a: Run, b: Run, pairs: Pairs) -> pd.DataFrame:
    """The questions whose answer was right in one run alone, by the first of ACCEPTED that both have: metric,
    turned (gained, lost), case_a, case_b, question; the lost ones first."""
    columns = ["metric", "turned", "case_a", "case_b", "question"]
    both = pairs.both()
    for metric in ACCEPTED:
        values = [
            _values(side, metric).reindex(both[case]).to_numpy()
            for side, case in ((a, "case_a"), (b, "case_b"))
        ]
        if not (~np.isnan(values[0]) & ~np.isnan(values[1])).any():
            continue
        turned = np.select([values[1] < values[0], values[1] > values[0]], ["lost", "gained"], "")
        found = both.assign(metric=metric, turned=turned)[columns]
        return found[found["turned"] != ""].sort_values("turned", ascending=False, kind="stable")
    return pd.DataFrame(columns=columns)


def _of_part(
    part: str, scores_a: pd.DataFrame, scores_b: pd.DataFrame, pairs: Pairs, rng: np.random.Generator
) -> pd.DataFrame | None:
    """The rows of one part of the cases; None where nothing is measured on both sides."""
    rows = pairs.cases[pairs.cases["part"] == part]
    of_a = rows[rows["case_a"] != ""]
    names = {a: b or ONLY_IN.format(letter="A", case=a) for a, b in of_a[["case_a", "case_b"]].to_numpy()}
    one = scores_a[scores_a["case_id"].isin(names)]
    one = one.assign(case_id=one["case_id"].map(names), system="A")
    two = scores_b[scores_b["case_id"].isin(rows["case_b"])].assign(system="B")
    leading = {*headlines(), *ACCEPTED, *RATES}  # what a report leads with, and what people judge
    metrics = [name for name in two["metric"].unique() if name.startswith(OF_RATERS) or name in leading]
    metrics = [name for name in metrics if name in set(one["metric"])]
    if not metrics or rows[(rows["case_a"] != "") & (rows["case_b"] != "")].empty:
        return None
    alone = pairs.cases_a[pairs.cases_a["case_id"].isin(names) & ~pairs.cases_a["shared"]]
    alone = alone.assign(case_id=alone["case_id"].map(names))  # under ids of their own, after B's
    cases = pd.concat([pairs.cases_b, alone], ignore_index=True)
    found = comparison.compare_systems(two, one, cases, metrics=metrics, rng=rng, names=("B", "A"))
    return found.assign(part=part, better=found["metric"].map(direction))


def _values(side: Run, metric: str) -> pd.Series:
    rows = scores_of(side)
    rows = rows[(rows["metric"] == metric) & (rows["state"] == "scored")]
    return rows.set_index("case_id")["value"].astype(float)
