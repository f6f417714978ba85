"""What a run holds that a row of the crosswalk may rest on. `criteria.csv` names these in its column `fact`,
with their arguments: `tried: 30, misuse` asks `tried(run, "30", "misuse")`.
"""

import re
from collections.abc import Callable
from math import nan as NAN

from pandas.errors import UndefinedVariableError

from ragassay.engagement_registers import ANSWER
from ragassay.report.blocks import Table, plain
from ragassay.report.chapters import NOTEBOOKS
from ragassay.report.run_folder import STATED, Run
from ragassay.show import MISSING

CHALLENGES = "Challenge log"  # caption of the table that holds it
QUERIES = ("some", "none")  # facts whose arguments are parted by `; `
NOTHING: tuple = (None, "", [], {}, STATED)
VERSION = re.compile(r"\b(?:hash|version|SHA-?256|v?\d+(?:\.\d+)*)\b", re.IGNORECASE)


def holds(run: Run, fact: str) -> bool:
    """Whether the run holds a fact as `criteria.csv` writes it."""
    name, _, given = fact.partition(": ")
    return bool(FACTS[name](run, *given.split("; " if name in QUERIES else ", ") if given else ()))


def recorded(run: Run, record: str, *keys: str) -> bool:
    """Whether the engagement, the decision or the manifest states each of these."""
    return all(getattr(run, record).get(key) not in NOTHING for key in keys)


def some(run: Run, table: str, query: str = "", least: str = "1") -> bool:
    """Whether at least so many rows of the table fit the query (of pandas)."""
    return _fitting(run, table, query) >= int(least)


def none(run: Run, table: str, query: str) -> bool:
    """Whether the table is there and has no row that fits the query."""
    return run.content(f"tables/{table}.parquet") is not None and _fitting(run, table, query) == 0


def _fitting(run: Run, table: str, query: str) -> float:
    rows = run.rows(table)
    try:
        return len(rows.query(query, engine="python") if query else rows)
    except (ValueError, AttributeError, UndefinedVariableError):  # without that column nothing is known
        return NAN


def measured(run: Run, least: str, *metrics: str) -> bool:
    """Whether the scorecard holds each of these with an interval over at least so many cases."""
    found = f"metric == {{!r}} and n >= {least} and low.notna() and high.notna()"
    return all(some(run, "scorecard", found.format(metric)) for metric in metrics)


def tried(run: Run, least: str, check: str) -> bool:
    """Whether the rows of this check rest on at least so many cases."""
    checks = run.rows("checks")
    return "check" in checks and checks.loc[checks["check"] == check, "n"].sum() >= int(least)


def groups_decided(run: Run, most: str) -> bool:
    """Whether groups of customers were compared, and at most this share of the comparisons is undecided."""
    compared = "check == 'bias' and n > 0"
    undecided = _fitting(run, "checks", f"{compared} and outcome == 'undecided'")
    return undecided <= float(most) * _fitting(run, "checks", compared) and some(run, "checks", compared)


def rated(run: Run, least: str) -> bool:
    """Whether two raters read so many answers."""
    labels = run.rows("labels")
    return len(labels) > 0 and (labels.groupby("case_id")["rater"].nunique() >= 2).sum() >= int(least)


def parameter(run: Run, notebook: str, name: str, wanted: str = "") -> bool:
    """Whether the run gave a notebook this parameter, and the value wanted."""
    given = str(((run.manifest.get("parameters") or {}).get(notebook) or {}).get(name) or STATED)
    return given == wanted if wanted else given != STATED


def topics_covered(run: Run, least: str) -> bool:
    """Whether at least this share of the topics has a question that the documents answer."""
    asked, chunks = run.rows("cases"), run.rows("chunks.strata")
    if not len(asked) or "topic" not in chunks:
        return False
    covered = asked.loc[asked["answerable"].astype(bool), "topic"].nunique()
    return covered >= float(least) * chunks["topic"].nunique()


def planned_before(run: Run) -> bool:
    """Whether no answer to the planned questions was there before their plan, on record."""
    from ragassay.answers import answer_journal

    asked = run.rows("cases")
    if "case_id" not in asked or run.content("plan.json") is None:
        return False
    kept, is_log = run.content(answer_journal.BEFORE_PLAN), bool(run.engagement.get("answers_log"))
    return answer_journal.count_before_plan(asked["case_id"].tolist(), kept, is_log=is_log) == 0


def parts_identified(run: Run) -> bool:
    """Whether what is said of each bought-in part names a version or a hash."""
    parts = [pair for pair in run.engagement.get("vendor_components") or [] if isinstance(pair, list)]
    return bool(parts) and all(VERSION.search(" ".join(map(str, pair[1:]))) for pair in parts)


def validator_independent(run: Run) -> bool:
    """Whether the engagement says that the validator is independent, and names it no developer or owner."""
    validator, *others = (_names(run.engagement.get(role)) for role in ("validator", "developer", "owner"))
    return run.engagement.get("validator_independent") == "yes" and not validator & set().union(*others)


def _names(text: object) -> set[str]:
    """The names in `A. Smith, Head of Banking`, in small letters."""
    parts = (part.strip().casefold() for part in re.split(r"[,;/()]", str(text or "")))
    return {part for part in parts if part not in ("", STATED)}


def independence_stated(run: Run) -> bool:
    """Whether the engagement holds a statement of independence, other than that there is none."""
    is_none = run.engagement.get("validator_independent") == "no"
    return recorded(run, "engagement", "independence") and not is_none


def shown(run: Run, caption: str) -> Table | None:
    """The first table with rows that a notebook shows whose caption begins so."""
    tables = (item for item in run.shown if isinstance(item, Table) and item.rows)
    return next((item for item in tables if item.caption.startswith(caption)), None)


def challenges_answered(run: Run) -> bool:
    """Whether a notebook shows the challenge log, each entry with its response."""
    log = shown(run, CHALLENGES)
    if log is None or ANSWER not in (names := [plain(name) for name in log.columns]):
        return False
    return all(plain(row[names.index(ANSWER)]).strip() not in ("", MISSING) for row in log.rows)


def version_reported(run: Run) -> bool:
    """Whether the assistant itself said which version answered, and every answer is of that one."""
    said = run.manifest.get("versions")
    return isinstance(said, list) and len(said) == 1 and bool(said[0].get("version"))


FACTS: dict[str, Callable] = {
    each.__name__: each
    for each in (
        *(recorded, some, none, shown, measured, tried, groups_decided, rated, parameter, topics_covered),
        *(planned_before, parts_identified, validator_independent, independence_stated),
        *(challenges_answered, version_reported),
    )
} | {
    "executed": lambda run, notebook: run.notebooks[notebook].state == "executed",
    "file": lambda run, name: run.content(name) is not None,
    "limits_stated": lambda run: all(run.notebooks[name].tagged("limits") for name in NOTEBOOKS),
    "unchanged": lambda run: run.states and all(state == "same" for _, state in run.states),
    "code_attached": lambda run: all(walked.code for walked in run.notebooks.values()),
    "never": lambda run: False,  # no document can hold the acceptance of itself
}
