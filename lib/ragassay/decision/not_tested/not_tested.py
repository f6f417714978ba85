"""What was not tested, in one list, the gravest first: what every share rests on, gates without a verdict,
the engagement's own risks, the risks of the register by the severity that a finding of them may have, or an
open one has, then the rest."""

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

COLUMNS = ["rank", "group", "bears_on", "what", "why", "takes", "as_grave_as"]
LINES = ["what", "points", "bears on", "what it would take"]
CAPTION = "What was not tested, the gravest first"
MOST_LINES, LONGEST = 14, 150  # lines in the body; characters of points told one by one
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
    SYSTEM: "another system",
    INSTRUMENTS: "metrics that failed their examination or tell no answer from another, a judge",
    SPOTS: "slices that hold too few questions, or are not known",
}
EACH = "Each its own: not_tested.csv"
NOTE = (
    "A point is all that one reason leaves untested of one group. Order: what every share rests on, gates "
    "without a verdict, own risks, then risks by the severity that a "
    "finding of them may have, or that of an open one where it is graver (named), in it what no test tried "
    "before what tests leave open; then the rest, a line a group. Every point with its reason and what it "
    "would take: attached not_tested.csv."
)
IN_FILE = " There alone stand {n} of the {every} points, by kind: {kinds}. {most}"
OUTRANKS = "None outranks one that is told here."


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
    return _ranked(_joined(_grouped(points)), basis.graver)


def in_lines(table: pd.DataFrame) -> pd.DataFrame:
    """At most `MOST_LINES` rows for the body, columns LINES: a line a group, but risks that are not Critical
    and were tested at all share a line with those of their severity; if that is too long, every risk does.
    From the first that is not told point by point on none is, so that nothing untold outranks what is told.
    """
    folded = _folded(table)
    alone = _lines(table, folded)
    return alone if len(alone) <= MOST_LINES else _lines(table, folded | _from_first(_is_risk(table)))


def note(table: pd.DataFrame) -> str:
    """What stands below the lines: their order, and what the attached file alone tells, of which kinds and
    how grave at most."""
    lines = in_lines(table)
    left = lines[lines["what it would take"] == EACH]
    if left.empty:
        return NOTE
    kinds = ", ".join(_how_many(row) for row in left.to_dict("records"))
    first = left["bears on"].iloc[0]
    most = f"The risks among them are {first} at most." if first in SEVERITIES else "None is of a risk."
    told = IN_FILE.format(n=left["points"].sum(), every=len(table), kinds=kinds, most=most)
    return f"{NOTE}{told} {OUTRANKS}"


def gravest(table: pd.DataFrame, n: int = 3) -> list[str]:
    """The first groups for the summary, `WHAT: WHY`; of several with one reason the first, and how many rows
    the group has."""
    points = table["group"].value_counts()
    return [
        _shortly(row.group, row.what, row.why, int(points[row.group]))
        for row in table.drop_duplicates("group").head(n).itertuples()
    ]


def sentences(table: pd.DataFrame) -> list[str]:
    """`WHAT: WHY.` of each row, the gravest first, for the record of the decision."""
    return [f"{row.what}: {row.why}." for row in table.itertuples()]


def _how_many(line: Mapping) -> str:
    """How many points of a line there are, and of which kind."""
    points, bears_on = line["points"], line["bears on"]
    if bears_on in SEVERITIES:
        return f"{points} of risks that are {bears_on}"
    return f"{points} on {line['what'].partition(':')[0].lower()}"


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


def _ranked(table: pd.DataFrame, graver: Mapping[str, tuple[str, str]]) -> pd.DataFrame:
    """The rows in their order; within a severity the groups with what no test tried first.

    graver : of `risk_register.graver`
    """
    severity = risk_register.severities() | {risk: grave for risk, (grave, _) in graver.items()}
    bears_on = table["group"].map(lambda name: (FIRST | LAST | severity).get(name, LAST[OTHER]))
    tells_aspects = table["why"].str.startswith(risk_register.NO_TEST)
    untried = ~tells_aspects.groupby(table["group"]).transform("all")
    places = [*FIRST, *SEVERITIES, *LAST]
    place = table["group"].where(~table["group"].isin(severity), bears_on).map(places.index)
    keys = pd.DataFrame(
        {"place": place, "tried": ~untried, "group": _first_seen(table["group"]), "why": tells_aspects}
    )
    order = keys.sort_values(list(keys), kind="stable").index
    by = table["group"].map(lambda name: graver.get(name, ("", ""))[1])
    ranked = table.assign(bears_on=bears_on, as_grave_as=by).loc[order].reset_index(drop=True)
    return ranked.assign(rank=range(1, len(ranked) + 1))[COLUMNS]


def _first_seen(groups: pd.Series) -> pd.Series:
    """The place of each group: of the register's risks theirs, of another where it came first."""
    known = {name: place for place, name in enumerate(risk_register.severities())}
    return groups.map(
        known | {name: place for place, name in enumerate(groups.unique()) if name not in known}
    )


def _is_risk(table: pd.DataFrame) -> pd.Series:
    return table["bears_on"].isin(SEVERITIES)


def _folded(table: pd.DataFrame) -> pd.Series:
    """Which rows are told by kind alone: from the first risk that is not Critical and was tested at all, or
    the first of the rest that is long."""
    untaken = (table["why"] == risk_register.UNTAKEN).groupby(table["group"]).transform("any")
    length = table["group"].map({name: len(_told(rows)) for name, rows in table.groupby("group")})
    risk = _is_risk(table) & (table["bears_on"] != SEVERITIES[0]) & ~untaken
    return _from_first(risk | (table["group"].isin(LAST) & (length > LONGEST)))


def _from_first(chosen: pd.Series) -> pd.Series:
    return chosen.astype(bool).cummax()


def _lines(table: pd.DataFrame, folded: pd.Series) -> pd.DataFrame:
    """A row a group; of the rows that are folded a row a severity, or a group of the rest."""
    key = table["group"].where(~(folded & _is_risk(table)), table["bears_on"])
    rows = [
        _kind(str(name), rows) if folded[rows.index].all() else _line(str(name), rows)
        for name, rows in table.groupby(key, sort=False)
    ]
    return pd.DataFrame(rows, columns=LINES)


def _kind(name: str, rows: pd.DataFrame) -> tuple[str, int, str, str]:
    """Of points that the file alone tells what they are about, and how many."""
    bears_on = rows["bears_on"].iloc[0]
    if bears_on not in SEVERITIES:
        return ": ".join(filter(None, (name, ABOUT.get(name)))), len(rows), bears_on, EACH
    untaken = set(rows.loc[rows["why"] == risk_register.UNTAKEN, "group"])
    told = "; ".join(
        f"{group} ({n}{f', {risk_register.UNTAKEN}' if group in untaken else ''})"
        for group, n in rows["group"].value_counts(sort=False).items()
    )
    return f"Untested points of {told}", len(rows), bears_on, EACH


def _line(name: str, rows: pd.DataFrame) -> tuple[str, int, str, str]:
    by = rows["as_grave_as"].iloc[0]
    named = f"{name} (as grave as {by})" if by else name
    takes = "; ".join(dict.fromkeys(rows["takes"]))
    return f"{named}: {_told(rows)}", len(rows), rows["bears_on"].iloc[0], takes


def _told(rows: pd.DataFrame) -> str:
    return "; ".join(_with_reason(row.what, row.why) for row in rows.itertuples())


def _with_reason(what: str, why: str) -> str:
    return what if why == risk_register.NO_TEST else f"{what} ({why})"


def _shortly(group: str, what: str, why: str, points: int) -> str:
    first, *others = what.split("; ")
    number = f", {points} points" * (points > 1)
    return f"{group}{number}, such as “{first}”: {why}" if others else f"{first}: {why}"
