"""What was not tested, in one list, the gravest first: what every share rests on, gates without a verdict,
the engagement's own risks, the risks of the register by the severity that a finding of them has, then the
rest."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from ragassay.decision.not_tested import risk_register
from ragassay.decision.not_tested.untested_points import (
    GATES,
    INDEPENDENCE,
    INSTRUMENTS,
    OTHER,
    OWN,
    READ,
    SPOTS,
    SYSTEM,
    USERS,
    Basis,
    Point,
    of_basis,
    of_checks,
    of_gates,
    of_instruments,
    of_limits,
    of_raters,
)
from ragassay.tables import SEVERITIES

COLUMNS = ["rank", "group", "bears_on", "what", "why", "takes"]
LINES = ["what", "points", "bears on", "what it would take"]
CAPTION = "What was not tested, the gravest first"
MOST_LINES, LONGEST = 12, 150  # lines in the body; characters of points told one by one
FIRST = {USERS: "every share", INDEPENDENCE: "every share by raters", GATES: "the rating", OWN: "own risks"}
LAST = {
    READ: "shares by raters",
    SYSTEM: "the choice of it",
    INSTRUMENTS: "machine scores",
    SPOTS: "slices",
    OTHER: "nothing else",
}
ABOUT = {
    READ: "whole origins, languages or segments",
    INSTRUMENTS: "metrics that failed their examination or tell no answer from another, a judge",
    SPOTS: "slices that hold too few questions, or are not known",
}
EACH = "Each its own: not_tested.csv"
NOTE = (
    "Order: what every share rests on, gates without a verdict, own risks, then risks by the severity that a "
    "finding of them has, in it what no test tried before what tests leave open; then the rest, a line a "
    "group. Every point with its reason and what it would take: attached not_tested.csv."
)


def not_tested(
    limits: pd.DataFrame,
    *,
    gates: pd.DataFrame,
    aside: pd.DataFrame,
    checks: pd.DataFrame,
    rated: Mapping[str, int],
    barred: Iterable[str],
    unread: Mapping[str, int],
    aspects: Iterable[Point],
    basis: Basis,
) -> pd.DataFrame:
    """The table `not_tested`, ranked from 1; points of one group with one reason are one row.

    limits : of `provenance.limits`; gates, aside : of `gates.evaluate` and `gates.set_aside`
    rated : language -> rated answers; barred : metrics on which no gate may rest
    unread : origin -> answers that no rater read; aspects : of `risk_register.untested`
    """
    points = [
        *of_basis(basis),
        *of_gates(gates, aside),
        *of_checks(checks),
        *aspects,
        *of_raters(unread, rated),
        *of_limits(limits),
        *of_instruments(barred),
    ]
    return _ranked(_joined(_grouped(points)))


def in_lines(table: pd.DataFrame) -> pd.DataFrame:
    """At most `MOST_LINES` rows for the body, columns LINES: a line a group, but risks that are not Critical
    and were tested at all share a line with those of their severity; if that is too long, every risk does.
    """
    is_risk = table["bears_on"].isin(SEVERITIES)
    untaken = (table["why"] == risk_register.UNTAKEN).groupby(table["group"]).transform("any")
    alone = _lines(table, folded=is_risk & (table["bears_on"] != SEVERITIES[0]) & ~untaken)
    return alone if len(alone) <= MOST_LINES else _lines(table, folded=is_risk)


def gravest(table: pd.DataFrame, n: int = 3) -> list[str]:
    """The first groups for the summary, `WHAT: WHY`; of several with one reason the first and a count."""
    return [_shortly(row.what, row.why) for row in table.drop_duplicates("group").head(n).itertuples()]


def sentences(table: pd.DataFrame) -> list[str]:
    """`WHAT: WHY.` of each row, the gravest first, for the record of the decision."""
    return [f"{row.what}: {row.why}." for row in table.itertuples()]


def _grouped(points: Sequence[Point]) -> list[Point]:
    """The points, each once; one without a group of its own belongs to the first that has its reason."""
    known: dict[str, str] = {}
    for point in points:
        if point.group:
            known.setdefault(point.why, point.group)
    told = (point._replace(group=point.group or known.get(point.why, OTHER)) for point in points)
    return list(dict.fromkeys(told))


def _joined(points: Sequence[Point]) -> pd.DataFrame:
    table = pd.DataFrame(points, columns=list(Point._fields))
    one = table.groupby(["group", "why", "takes"], sort=False)["what"].agg("; ".join)
    return one.reset_index()


def _ranked(table: pd.DataFrame) -> pd.DataFrame:
    """The rows in their order; within a severity the groups with what no test tried first."""
    severity = risk_register.severities()
    bears_on = table["group"].map(lambda name: (FIRST | LAST | severity).get(name, LAST[OTHER]))
    tells_aspects = table["why"].str.startswith(risk_register.NO_TEST)
    untried = ~tells_aspects.groupby(table["group"]).transform("all")
    places = [*FIRST, *SEVERITIES, *LAST]
    place = table["group"].where(~table["group"].isin(severity), bears_on).map(places.index)
    keys = pd.DataFrame(
        {"place": place, "tried": ~untried, "group": _first_seen(table["group"]), "why": tells_aspects}
    )
    order = keys.sort_values(list(keys), kind="stable").index
    ranked = table.assign(bears_on=bears_on).loc[order].reset_index(drop=True)
    return ranked.assign(rank=range(1, len(ranked) + 1))[COLUMNS]


def _first_seen(groups: pd.Series) -> pd.Series:
    """The place of each group: of the register's risks theirs, of another where it came first."""
    known = {name: place for place, name in enumerate(risk_register.severities())}
    return groups.map(
        known | {name: place for place, name in enumerate(groups.unique()) if name not in known}
    )


def _lines(table: pd.DataFrame, folded: pd.Series) -> pd.DataFrame:
    """A row a group; the rows that are folded by what they bear on."""
    key = table["group"].where(~folded, table["bears_on"])
    rows = [_line(str(name), rows) for name, rows in table.groupby(key, sort=False)]
    return pd.DataFrame(rows, columns=LINES)


def _line(name: str, rows: pd.DataFrame) -> tuple[str, int, str, str]:
    bears_on, counts = rows["bears_on"].iloc[0], rows["group"].value_counts(sort=False)
    if name in SEVERITIES:
        told = "; ".join(f"{group} ({n})" for group, n in counts.items())
        return f"Untested points of {told}", len(rows), name, EACH
    every = "; ".join(_with_reason(row.what, row.why) for row in rows.itertuples())
    if len(every) > LONGEST and bears_on not in (*FIRST.values(), *SEVERITIES):
        return ": ".join(filter(None, (name, ABOUT.get(name)))), len(rows), bears_on, EACH
    return f"{name}: {every}", len(rows), bears_on, "; ".join(dict.fromkeys(rows["takes"]))


def _with_reason(what: str, why: str) -> str:
    return what if why == risk_register.NO_TEST else f"{what} ({why})"


def _shortly(what: str, why: str) -> str:
    first, *others = what.split("; ")
    more = f" and {len(others)} more" if others else ""
    return f"{first}{more}: {why}"
