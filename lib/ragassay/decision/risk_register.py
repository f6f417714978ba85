"""What may go wrong (`risks.csv`), and what of a run tests each risk: read from the run's tables; and which
of its aspects no test covers (`untested_aspects.csv`)."""

from collections.abc import Collection, Mapping
from pathlib import Path

import pandas as pd

from ragassay.analysis import case_scores
from ragassay.analysis.checks import CLEAR, NOT_APPLICABLE, RAISED
from ragassay.tables import SEVERITIES

# what may go wrong: risk, how it shows, which notebooks test it, the evidence that they did, the gravest
# severity that a finding of it has, and the checks that test it
RISKS = pd.read_csv(Path(__file__).parents[1] / "risks.csv", keep_default_na=False)
ASPECTS = pd.read_csv(Path(__file__).with_name("untested_aspects.csv"), keep_default_na=False)
TESTED, PARTLY, UNTESTED = "tested", "in part", "not tested"
CHECK = "check:"  # before the name of a check, and `/` its aspect


def evidence(card: pd.DataFrame, checks: pd.DataFrame, further: Mapping[str, int]) -> dict[str, int]:
    """What was measured -> on how many: of a metric the cases behind its value over all answers; of
    `check:NAME` and `check:NAME/ASPECT` the rows that rest on a case; and what is given by name.

    card : the scorecard; checks : the table `checks`; further : such as the comparisons of slices
    """
    whole = card[(card["slice"] == case_scores.ALL) & card["value"].notna()]
    tried = checks[(checks["outcome"] != NOT_APPLICABLE) & (checks["n"] > 0)]
    named = CHECK + tried["check"].astype(str)
    rows = pd.concat([named, named + "/" + tried["aspect"].astype(str)]).value_counts()
    return {**whole.groupby("metric")["n"].max().astype(int), **rows.astype(int), **further}


def register(found: Mapping[str, int], checks: pd.DataFrame, barred: Collection[str] = ()) -> pd.DataFrame:
    """Every risk, the gravest first: risk, how it shows, tested in, severity, in this run, taken and missing
    (lists of measures).

    in this run : tested, where all its measures were taken by scores that are not barred, and each of its
        checks came to a verdict somewhere and not by design alone; not tested, where none; else in part

    found : of `evidence`; barred : metrics that failed their examination
    """
    decided = checks[checks["outcome"].isin([CLEAR, RAISED]) & ~checks["by_design"].astype(bool)]
    rows = []
    for risk in RISKS.to_dict("records"):
        named = risk["evidence"].split("; ")
        taken = [name for name in named if found.get(name, 0) > 0 and name not in barred]
        tried = set(filter(None, risk["checks"].split("; "))) & set(checks["check"])
        is_decided = not tried or not tried.isdisjoint(decided["check"])
        state = UNTESTED if not taken else TESTED if len(taken) == len(named) and is_decided else PARTLY
        kept = {name: risk[name] for name in ("risk", "how it shows", "tested in", "severity")}
        missing = [name for name in named if name not in taken]
        rows.append(kept | {"in this run": state, "taken": taken, "missing": missing})
    return pd.DataFrame(rows).sort_values(
        "severity", key=lambda severity: severity.map(SEVERITIES.index), kind="stable", ignore_index=True
    )


def untested(register: pd.DataFrame, found: Mapping[str, int]) -> pd.DataFrame:
    """What was not tested, by the severity of its risk: risk, severity, what, why, takes (what a test would
    take)."""
    severity = dict(zip(register["risk"], register["severity"], strict=True))
    none = register[register["in this run"] == UNTESTED].to_dict("records")
    rows = [(row["risk"], row["how it shows"], "no measure taken", ", ".join(row["missing"])) for row in none]
    rows += [
        (row["risk"], row["what"], "no test covers it", row["takes"])
        for row in ASPECTS.to_dict("records")
        if not found.get(row["unless"], 0)
    ]
    table = pd.DataFrame(rows, columns=["risk", "what", "why", "takes"])
    table.insert(1, "severity", table["risk"].map(severity).astype(object))
    return table.sort_values(
        "severity", key=lambda column: column.map(SEVERITIES.index), kind="stable", ignore_index=True
    )
