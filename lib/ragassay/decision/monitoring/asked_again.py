"""What is put again after release: each check and each weak slice that an open finding of Medium or worse
rests on, a row each, on as many cases as its retest asks."""

from collections.abc import Mapping, Sequence

import pandas as pd

from ragassay.decision.closing import criteria, where_set
from ragassay.decision.closing.closure_requirements import aspect_in_words
from ragassay.decision.closing.earlier_findings import asked_of
from ragassay.decision.findings.finding_texts import FROM_CHECK, FROM_WEAKNESS
from ragassay.decision.gates.questions_needed import fewest_of_check
from ragassay.decision.monitoring.monitored_measures import grave_by_itself, on_a_breach, open_and_grave
from ragassay.scores.display_names import display_name, level_name

COLUMNS = ["finding", "asked again", "cases", "on a breach"]
WRITTEN = "written"  # whether new cases have to be written: the kit makes the others
NOTE = (
    "Cases: at least so many of the kind, new ones where the kit has fewer. The alarm is that its own "
    "criterion is raised again, with the error that it states; the simulated years hold none of these alarms."
)

TOTAL = (
    " In all {cases:,} cases each time, asked and judged by machine: no hours of raters. Of {written:,} of "
    "them the kit makes no new ones: written by the owner, at {minutes:g} minutes each, they take "
    "{hours:,.0f} hours if every one is new."
)


def table(findings: pd.DataFrame, topics: Mapping[str, str] | None = None) -> pd.DataFrame:
    """A row for each such criterion, in the order of the findings (COLUMNS and WRITTEN); topics : the name of
    each."""
    rows = open_and_grave(findings.to_dict("records"))
    told = [_row(row, source, topics) for row in rows for source in _tried(row)]
    return pd.DataFrame(told, columns=[*COLUMNS, WRITTEN])


def in_lines(rows: pd.DataFrame) -> pd.DataFrame:
    """The table as a page prints it: what one finding asks of one test, on as many cases each, is one row."""
    named = rows["asked again"].str.partition(": ")
    alike = [rows["finding"], named[0], rows["cases"], rows["on a breach"]]
    told = [
        (
            finding,
            f"{subject}: {'; '.join(named.loc[part.index, 2])}",
            f"{n}{' each' * (len(part) > 1)}",
            breach,
        )
        for (finding, subject, n, breach), part in rows.groupby(alike, sort=False)
    ]
    return pd.DataFrame(told, columns=COLUMNS)


def note(rows: pd.DataFrame, minutes: float) -> str:
    """NOTE, how many cases that is in all, and hours to write those that have to be, at most; rows : of
    `table`; minutes : to write a case"""
    cases = pd.to_numeric(rows["cases"].str.replace(",", ""), errors="coerce").fillna(0).astype(int)
    written = int(cases[rows[WRITTEN]].sum())
    return NOTE + TOTAL.format(
        cases=cases.sum(), written=written, minutes=minutes, hours=written * minutes / 60
    )


def _tried(row: Mapping) -> Sequence[str]:
    return [each for each in asked_of(row) if each.startswith((FROM_CHECK, FROM_WEAKNESS))]


def _row(row: Mapping, source: str, topics: Mapping[str, str] | None) -> tuple[str, str, str, str, bool]:
    asked, tried = criteria.recorded(row).get(source), int(row["n"]) if source == row["source"] else 0
    fewest = max(tried, fewest_of_check(asked.rule, asked.fewest) if asked else 0)
    breach = on_a_breach(grave_by_itself(row) and not (asked and asked.is_low))
    number = f"{fewest:,}" if fewest else "its own"
    return row["finding_id"], _name(source, topics), number, breach, where_set.is_written(source)


def _name(source: str, topics: Mapping[str, str] | None) -> str:
    if source.startswith(FROM_WEAKNESS):
        metric, factor, level = source.removeprefix(FROM_WEAKNESS).split("|", 2)
        return f"{display_name(metric)}: {level_name(factor, level, topics)}"
    check, aspect, *_ = source.split("|")
    return f"{check.removeprefix(FROM_CHECK)}: {aspect_in_words(check, aspect)}"
