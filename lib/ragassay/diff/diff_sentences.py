"""What changed from A to B, in sentences: the first lines of the page, and all that the terminal prints."""

from collections.abc import Iterator, Mapping

import pandas as pd

from ragassay.analysis.comparison import ALIKE, BETTER, EQUAL, NONE, WORSE
from ragassay.decision.closing.earlier_findings import RETESTED
from ragassay.defaults import SIGNIFICANCE
from ragassay.diff import Comparison
from ragassay.diff.case_pairs import QUESTIONS
from ragassay.diff.finding_lives import LIVES, NEW
from ragassay.diff.gate_comparison import ALL, NO_GATE
from ragassay.scores.display_names import display_name, level_name
from ragassay.stats import interval_text
from ragassay.tables import SEVERITIES

PARTS = {  # of the table `cases`, in words
    QUESTIONS: "questions",
    "variants": "variations and questions outside the documents",
    "adversarial": "questions with changed passages",
    "bias_questions": "bias questions",
    "counterfactuals": "counterfactual questions",
    "evidence": "questions without their evidence",
    "probes": "safety probes",
    "repeats": "repeated and follow-up questions",
}
ALL_SAME = (
    "All {n} answers to the questions that both runs asked are the same word for word: a difference in their "
    "scores is that of the instruments or the labels, not of the system."
)

PERSON_CHECKS = (
    "Retested: measure, bound and number of then are met. That the questions are new, and were not known to "
    "those who corrected the system, a person checks who closes it."
)


def part_name(part: str) -> str:
    """What a part of the cases holds."""
    return PARTS.get(part, part.replace("_", " "))


def summary(found: Comparison) -> list[str]:
    """The result in a few sentences: what was paired, what is better and worse, gates, findings, drift."""
    return [
        *_paired(found),
        *_measured(found.measures),
        *_gates(found.gates),
        *_findings(found.findings),
        *_drift(found),
    ]


def warnings(found: Comparison) -> list[str]:
    """What a reader must know first, and what could not be compared."""
    told = found.answers
    differ = found.measures["outcome"].isin([BETTER, WORSE]).any()
    same = [ALL_SAME.format(n=told["n"])] if differ and told["n"] and told["same"] == told["n"] else []
    return [*found.cautions, *same, *found.gaps]


def change_text(row: Mapping) -> str:
    """A difference with its interval, signed, to the third decimal."""
    value, low, high = (round(float(row[name]), 3) + 0.0 for name in ("difference", "low", "high"))  # no -0.0
    return interval_text(value, low, high, 3, signed=True, why=str(row.get("reason") or ""))


def measure_line(row: pd.Series) -> str:
    """One measure: "support, questions: 0.705 to 0.801, +0.097 [+0.093, +0.101], n = 328"."""
    name = f"{display_name(row['metric'])}, {part_name(row['part'])}"
    return f"{name}: {row['a']:.3g} to {row['b']:.3g}, {change_text(row)}, n = {row['n']}"


def drift_line(row: pd.Series) -> str:
    """One column of the questions: whether it drifted, by what test."""
    name = row["column"].replace("_", " ")
    if row["reason"]:
        return f"{name}: {row['reason']}"
    word = "differs" if row["q"] < SIGNIFICANCE else "no significant difference"
    sizes = f"{row['tested_a']} against {row['tested_b']} questions"
    return f"{name}: {word} (distance {row['distance']:.2f}, p = {row['p']:.2g}, q = {row['q']:.2g}; {sizes})"


def _paired(found: Comparison) -> Iterator[str]:
    counts = found.pairs.set_index("part")
    if QUESTIONS in counts.index:
        both, only_a, only_b = (int(counts.loc[QUESTIONS, name]) for name in ("both", "only_a", "only_b"))
        yield f"{both} questions were asked in both runs, {only_a} in A alone, {only_b} in B alone."
    told = found.answers
    if told["n"]:
        share, low, high = (100 * told[name] for name in ("share", "low", "high"))
        words = f"{told['same']} of {told['n']} answers are the same word for word"
        yield f"{words}: {interval_text(share, low, high, 0)} %."


def _measured(measures: pd.DataFrame) -> Iterator[str]:
    counts = measures["outcome"].value_counts()
    if measures.empty:
        yield "Nothing was measured on the same cases in both runs."
        return
    for outcome in (BETTER, WORSE):
        rows = measures[measures["outcome"] == outcome]
        yield f"B is significantly {outcome} in {len(rows)} of {len(measures)} paired measures."
        yield from (f"  {measure_line(row)}" for _, row in rows.iterrows())
    rest = [
        f"{counts[outcome]} {words}"
        for outcome, words in (
            (ALIKE, "show no significant difference"),
            (EQUAL, "are the same on every case"),
            (NONE, "cannot be compared"),
        )
        if counts.get(outcome)
    ]
    if rest:
        yield f"Of the others, {', '.join(rest)}."


def _gates(gates: pd.DataFrame) -> Iterator[str]:
    """The gates of both runs whose outcome or threshold changed; gates of one run alone are only counted."""
    alone = (gates["outcome_a"] == NO_GATE) | (gates["outcome_b"] == NO_GATE)
    both, moved = gates[~alone], gates[gates["changed"].astype(bool) & ~alone]
    rest = f", {int(alone.sum())} stand in one run alone" if alone.any() else ""
    yield f"Gates: {len(moved)} of {len(both)} changed{rest}."
    for _, row in moved.iterrows():
        where = "" if row["origin"] == ALL else f", {level_name('origin', row['origin'])}"
        yield f"  {display_name(row['gate'])}{where}: {row['outcome_a']} to {row['outcome_b']}"


def _findings(findings: pd.DataFrame) -> Iterator[str]:
    counts = findings["life"].value_counts()
    grave = findings[(findings["life"] == NEW) & findings["severity_b"].isin(SEVERITIES[:2])]
    yield f"Findings: {', '.join(f'{int(counts.get(life, 0))} {life}' for life in LIVES)}."
    if counts.get(RETESTED):
        yield PERSON_CHECKS
    if len(grave):
        yield f"{len(grave)} of the new findings are Critical or High:"
    yield from (f"  {row['finding_b']} {row['severity_b']}: {row['title']}" for _, row in grave.iterrows())


def _drift(found: Comparison) -> Iterator[str]:
    differ = found.drift[found.drift["q"] < SIGNIFICANCE]
    tested = int(found.drift["p"].notna().sum())
    if not tested:
        yield "Drift of the questions: none to test, both runs asked the same."
    else:
        yield f"Drift of the questions: {len(differ)} of {tested} columns differ significantly."
        yield from (f"  {drift_line(row)}" for _, row in differ.iterrows())
    if len(found.documents):
        counts = found.documents["change"].value_counts()
        yield f"Documents: {', '.join(f'{n} {change}' for change, n in counts.items())}."
