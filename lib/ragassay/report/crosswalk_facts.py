"""What a run holds that a row of the crosswalk may rest on. `criteria.csv` names these functions in its
column `fact`, with their arguments: `tried: 30, misuse` asks `tried(run, "30", "misuse")`.
"""

import re
from math import nan as NAN

from pandas.errors import UndefinedVariableError

from ragassay.engagement_registers import ANSWER
from ragassay.report.blocks import Table, plain
from ragassay.report.chapters import NOTEBOOKS
from ragassay.report.run_folder import STATED, Run
from ragassay.show import MISSING

CHALLENGES = "Challenge log"  # caption of the table that holds it
QUERIES = ("some", "none")  # facts whose arguments are parted by `; `
VERSION = re.compile(r"\b(?:hash|version|SHA-?256|v?\d+(?:\.\d+)*)\b", re.IGNORECASE)


def holds(run: Run, fact: str) -> bool:
    """Whether the run holds a fact as `criteria.csv` writes it."""
    name, _, given = fact.partition(": ")
    return bool(FACTS[name](run, *given.split("; " if name in QUERIES else ", ") if given else ()))


def executed(run: Run, notebook: str) -> bool:
    return run.notebooks[notebook].state == "executed"


def never(run: Run) -> bool:
    """For what no document can hold, such as the acceptance of itself."""
    return False


def stated(run: Run, *keys: str) -> bool:
    """Whether the engagement states each of these."""
    return all(run.engagement.get(key) not in (None, "", [], {}, STATED) for key in keys)


def decided(run: Run, key: str) -> bool:
    return bool(run.decision.get(key))


def recorded(run: Run, *keys: str) -> bool:
    """Whether the manifest holds each of these."""
    return all(run.manifest.get(key) for key in keys)


def file(run: Run, name: str) -> bool:
    return run.content(name) is not None


def rows(run: Run, table: str) -> bool:
    return len(run.rows(table)) > 0


def some(run: Run, table: str, query: str, least: str = "1") -> bool:
    """Whether at least so many rows of the table fit the query (of pandas)."""
    return _fitting(run, table, query) >= int(least)


def none(run: Run, table: str, query: str) -> bool:
    """Whether the table is there and has no row that fits the query."""
    return run.content(f"tables/{table}.parquet") is not None and _fitting(run, table, query) == 0


def _fitting(run: Run, table: str, query: str) -> float:
    try:
        return len(run.rows(table).query(query, engine="python"))
    except (ValueError, AttributeError, UndefinedVariableError):  # without that column nothing is known
        return NAN


def shown(run: Run, caption: str) -> bool:
    """Whether a notebook shows a table with rows whose caption begins so."""
    return any(
        item.caption.startswith(caption) and item.rows for item in run.shown if isinstance(item, Table)
    )


def measured(run: Run, least: str, *metrics: str) -> bool:
    """Whether the scorecard holds each of these with an interval over at least so many cases."""
    card = run.rows("scorecard")
    if not len(card):
        return False
    sound = card[(card["n"] >= int(least)) & card["low"].notna() & card["high"].notna()]
    return set(metrics) <= set(sound["metric"])


def tried(run: Run, least: str, check: str) -> bool:
    """Whether the rows of this check rest on at least so many cases."""
    checks = run.rows("checks")
    return "check" in checks and checks.loc[checks["check"] == check, "n"].sum() >= int(least)


def groups_decided(run: Run, most: str) -> bool:
    """Whether groups of customers were compared, and at most this share of the comparisons is undecided."""
    checks = run.rows("checks")
    if "check" not in checks:
        return False
    outcomes = checks.loc[(checks["check"] == "bias") & (checks["n"] > 0), "outcome"]
    return len(outcomes) > 0 and (outcomes == "undecided").mean() <= float(most)


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
    if not len(asked) or not len(chunks) or "topic" not in chunks:
        return False
    answerable = asked[asked["answerable"].astype(bool)]
    return answerable["topic"].nunique() >= float(least) * chunks["topic"].nunique()


def planned_before(run: Run) -> bool:
    """Whether no answer to the planned questions was there before their plan, on record."""
    from ragassay.answers import answers_before_plan

    asked = run.rows("cases")
    if "case_id" not in asked or run.content("plan.json") is None:
        return False
    is_log = bool(run.engagement.get("answers_log"))
    kept = run.content(answers_before_plan.FILE)
    cases = asked["case_id"].tolist()
    return answers_before_plan.count_before_plan(cases, kept, is_log=is_log).is_first


def parts_identified(run: Run) -> bool:
    """Whether what is said of each bought-in part names a version or a hash."""
    parts = [pair for pair in run.engagement.get("vendor_components") or [] if isinstance(pair, list)]
    return bool(parts) and all(VERSION.search(" ".join(map(str, pair[1:]))) for pair in parts)


def limits_stated(run: Run) -> bool:
    return all(run.notebooks[name].tagged("limits") for name in NOTEBOOKS)


def validator_independent(run: Run) -> bool:
    """Whether the engagement says that the validator is independent, and names it no developer or owner."""
    roles = ("validator", "developer", "owner")
    validator, *others = (_names(run.engagement.get(role)) for role in roles)
    return run.engagement.get("validator_independent") == "yes" and not validator & set().union(*others)


def _names(text: object) -> set[str]:
    """The names in `A. Smith, Head of Banking`, in small letters."""
    parts = (part.strip().casefold() for part in re.split(r"[,;/()]", str(text or "")))
    return {part for part in parts if part not in ("", STATED)}


def independence_stated(run: Run) -> bool:
    """Whether the engagement holds a statement of independence, other than that there is none."""
    return stated(run, "independence") and run.engagement.get("validator_independent") != "no"


def challenges_answered(run: Run) -> bool:
    """Whether a notebook shows the challenge log, each entry with its response."""
    tables = (item for item in run.shown if isinstance(item, Table))
    log = next((item for item in tables if item.caption == CHALLENGES), None)
    if log is None or ANSWER not in (names := [plain(name) for name in log.columns]):
        return False
    answers = [plain(row[names.index(ANSWER)]).strip() for row in log.rows]
    return bool(answers) and all(answer not in ("", MISSING) for answer in answers)


def version_reported(run: Run) -> bool:
    """Whether the assistant itself said which version answered, and every answer is of that one."""
    said = run.manifest.get("versions")
    return isinstance(said, list) and len(said) == 1 and bool(said[0].get("version"))


def unchanged(run: Run) -> bool:
    """Whether every file of the manifest still has its hash."""
    return bool(run.states) and all(state == "same" for _, state in run.states)


def code_attached(run: Run) -> bool:
    return all(walked.code for walked in run.notebooks.values())


FACTS = {
    each.__name__: each
    for each in (
        *(executed, never, stated, decided, recorded, file, rows, shown, measured, tried, groups_decided),
        *(some, none, rated, parameter, topics_covered, planned_before, parts_identified, limits_stated),
        *(validator_independent, independence_stated, challenges_answered, version_reported, unchanged),
        code_attached,
    )
}
