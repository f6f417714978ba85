"""The crosswalk: what a regime asks for, theme by theme, and what of it a run evidences.

A row of a profile names sections; `criteria.csv` holds the criteria of each section: what is required, the
fact that shows it, and whether the report may be signed without it. A fact is a function of `FACTS` with its
arguments: `tried: 30, misuse` asks `is_tried(run, "30", "misuse")`.
"""

import re
from collections.abc import Callable
from math import nan as NAN

from pandas.errors import UndefinedVariableError

from ragassay.decision import independence
from ragassay.decision.findings import OPEN
from ragassay.engagement_registers import ANSWER, SHIPPED, read_profile
from ragassay.report.blocks import (
    ANCHORS,
    NOTEBOOKS,
    Chapter,
    Inlines,
    Table,
    annex,
    data_table,
    gap,
    paragraph,
    plain,
    words,
)
from ragassay.report.decision_words import by_severity, read_rows
from ragassay.report.run_folder import STATED, Run
from ragassay.show import MISSING, clean

CHALLENGES = "Challenge log"  # caption of the table that holds it
NOTHING: tuple = (None, "", [], {}, STATED)
VERSION = re.compile(r"\b(?:hash|version|SHA-?256|v?\d+(?:\.\d+)*)\b", re.IGNORECASE)
NOTE = (
    "Evidenced: every criterion of the theme is met, so it was tested and recorded; partly: some are. After "
    "“result” stand the open findings. Themes are in our words and quote no clause; by analogy where the "
    "regime leaves generative systems out."
)
RAISED = {  # section -> which findings are on what it looks at: names of checks, or rules
    "materiality": "tier",
    "functionality": "error gate",
    "risk_safety": "personal_data names toxicity",
    "attacks": "injection planted_injection planted_link planted_secret",
    "misuse": "misuse",
    "documents": "staff_only superseded contradictions",
    "bias": "bias bias_swap stereotypes",
    "robustness": "perturbation repeatability conversation wordings passages_changed",
    "outside": "outside_documents evidence_removed",
    "weakness": "slice",
    "calibration": "independence",
    "independence": "independence",
}


def chapter(run: Run) -> Chapter:
    """The crosswalk of the engagement's profile.

    A theme is evidenced when every criterion of its sections holds, partly when some do, not evidenced when
    none does or it names no section; that a notebook was executed is needed, and evidence of nothing. A bank
    that decides a theme is out of scope writes by whom in the column `decision`, and marks the themes that
    are critical for it in the column `critical`.
    """
    name, rows = profile(run), rows_of(run)
    if not rows:
        return annex("crosswalk", [gap(f"There is no profile {clean(name, 80)} ({', '.join(SHIPPED)}).")])
    source = "shipped with this kit" if name in SHIPPED else clean(name, 120)
    cells: list[list[str | Inlines]] = []
    for row in rows:
        missing, status = judge_theme(run, row)
        where: Inlines = ()
        for place in dict.fromkeys(each["chapter"] for each in _asked(row)):
            where += words(", ") if where else ()
            name = "annex" if "annex" in place else "chapter"
            where += words("cover") if place == "control" else words(name, kind="link", target=ANCHORS[place])
        theme = row["clause"] + " (critical)" * bool(row.get("critical"))
        said = [clean(each) for each in (theme, row["summary"], "; ".join(missing), status)]
        cells.append([*said[:2], where, *said[2:]])
    table = data_table(
        f"{clean(rows[0]['regime'])}: themes and what this report evidences",
        ["Theme", "What it asks, in our words", "Where", "Not met", "Status"],
        cells,
        widths=[1.3, 2.2, 1, 2.4, 1],
        note=NOTE,
    )
    return annex("crosswalk", [paragraph(f"Profile: {regime(run)}; {source}."), table])


def judge_theme(run: Run, row: dict[str, str]) -> tuple[list[str], str]:
    """The criteria of a theme that the run does not meet, and its status: evidenced, partly, not evidenced,
    with the findings that are open on what its sections look at; or out of scope, and by whose decision."""
    if row["decision"]:
        return [], f"out of scope by decision of {row['decision']}"
    held = [(each, holds(run, each["fact"])) for each in _asked(row)]
    missing = [each["criterion"] for each, is_met in held if not is_met]
    is_partly = any(is_met for each, is_met in held if not each["fact"].startswith("executed"))
    word = "evidenced" if held and not missing else "partly" if is_partly else "not evidenced"
    if is_partly:
        wanted = " ".join(RAISED.get(section, "") for section in row["sections"].split()).split()
        named = {
            each["finding_id"]
            for each in run.rows("finding_sources").to_dict("records")
            if (each["name"] if each["rule"] in ("check", "process") else each["rule"]) in wanted
        }
        raised = [each for each in by_severity(run.rows("findings")) if each["finding_id"] in named]
        found = ", ".join(each["finding_id"] for each in raised if each["status"] == OPEN)
        word += f"; result: {found} open" if found else ""
    return missing if held else ["the firm's own documents"], word


def before_signing(run: Run) -> list[str]:
    """What is not met and has to be before anybody signs, each once."""
    asked = [each for row in rows_of(run) if not row["decision"] for each in _asked(row)]
    needed = {each["criterion"]: each["fact"] for each in asked if each["before_signing"]}
    return [criterion for criterion, fact in needed.items() if not holds(run, fact)]


def regime(run: Run) -> str:
    """What the profile is of, in its own words, without what it says in brackets; its name where there is no
    such profile."""
    rows = rows_of(run)
    return clean(rows[0]["regime"].partition(" (")[0] if rows else profile(run), 80)


def profile(run: Run) -> str:
    """The name of the engagement's profile."""
    return str(run.engagement.get("profile") or SHIPPED[0])


def rows_of(run: Run) -> list[dict[str, str]]:
    """The rows of the engagement's profile; none where there is no such profile."""
    own, name = run.engagement.get("crosswalk") or [], profile(run)
    return read_profile(name) if not own and name in SHIPPED else own


def _asked(row: dict[str, str]) -> list[dict[str, str]]:
    """The criteria of a theme: of its sections, in their order."""
    sections, criteria = row["sections"].split(), read_rows("criteria")
    return [each for section in sections for each in criteria if each["section"] == section]


def holds(run: Run, fact: str) -> bool:
    """Whether the run holds a fact as `criteria.csv` writes it."""
    name, _, given = fact.partition(": ")
    mark = "; " if name.endswith("rows") else ", "  # a query may hold commas
    return bool(FACTS[name](run, *given.split(mark) if given else ()))


def has_rows(run: Run, table: str, query: str = "", least: str = "1") -> bool:
    """Whether at least so many rows of the table fit the query (of pandas)."""
    return _fitting(run, table, query) >= int(least)


def _fitting(run: Run, table: str, query: str) -> float:
    rows = run.rows(table)
    try:
        return len(rows.query(query, engine="python") if query else rows)
    except (ValueError, AttributeError, UndefinedVariableError):  # without that column nothing is known
        return NAN


def is_measured(run: Run, least: str, *metrics: str) -> bool:
    """Whether the scorecard holds each of these with an interval over at least so many cases."""
    found = f"metric == {{!r}} and n >= {least} and low.notna() and high.notna()"
    return all(has_rows(run, "scorecard", found.format(metric)) for metric in metrics)


def is_tried(run: Run, least: str, check: str) -> bool:
    """Whether the rows of this check rest on at least so many cases."""
    checks = run.rows("checks")
    return "check" in checks and checks.loc[checks["check"] == check, "n"].sum() >= int(least)


def groups_decided(run: Run, most: str) -> bool:
    """Whether groups of customers were compared, and at most this share of the comparisons is undecided."""
    compared = "check == 'bias' and n > 0"
    undecided = _fitting(run, "checks", f"{compared} and outcome == 'undecided'")
    return undecided <= float(most) * _fitting(run, "checks", compared) and has_rows(run, "checks", compared)


def is_rated_twice(run: Run, least: str) -> bool:
    """Whether two raters read so many answers."""
    labels = run.rows("labels")
    return len(labels) > 0 and (labels.groupby("case_id")["rater"].nunique() >= 2).sum() >= int(least)


def has_parameter(run: Run, notebook: str, name: str, wanted: str = "") -> bool:
    """Whether the run gave a notebook this parameter, and the value wanted."""
    given = str(((run.manifest.get("parameters") or {}).get(notebook) or {}).get(name) or STATED)
    return given == wanted if wanted else given != STATED


def topics_covered(run: Run, least: str) -> bool:
    """Whether at least this share of the topics has a question, those known to have no answer apart."""
    asked, chunks = run.rows("cases"), run.rows("chunks.strata")
    if not len(asked) or "topic" not in chunks:
        return False
    covered = asked.loc[asked["answerable"].astype(bool), "topic"].nunique()
    return covered >= float(least) * chunks["topic"].nunique()


def planned_before(run: Run) -> bool:
    """Whether no answer to the planned questions was there before their plan, on record."""
    from ragassay.answers import asking

    asked = run.rows("cases")
    if "case_id" not in asked or run.content("plan.json") is None:
        return False
    kept, is_log = run.content(asking.BEFORE_PLAN), bool(run.engagement.get("answers_log"))
    return asking.count_before_plan(asked["case_id"].tolist(), kept, is_log=is_log) == 0


def parts_identified(run: Run) -> bool:
    """Whether what is said of each bought-in part names a version or a hash."""
    parts = [pair for pair in run.engagement.get("vendor_components") or [] if isinstance(pair, list)]
    return bool(parts) and all(VERSION.search(" ".join(map(str, pair[1:]))) for pair in parts)


def challenges_answered(run: Run) -> bool:
    """Whether a notebook shows the challenge log, each entry with its response."""
    log = _find_table(run, CHALLENGES)
    if log is None or ANSWER not in (names := [plain(name) for name in log.columns]):
        return log is not None and log.same.get(ANSWER, "").strip() not in ("", MISSING)
    return all(plain(row[names.index(ANSWER)]).strip() not in ("", MISSING) for row in log.rows)


def _find_table(run: Run, caption: str) -> Table | None:
    tables = (item for item in run.shown if isinstance(item, Table) and item.rows)
    return next((item for item in tables if item.caption.startswith(caption)), None)


FACTS: dict[str, Callable] = {
    each.__name__: each
    for each in (
        *(has_rows, is_measured, is_tried, is_rated_twice, groups_decided, has_parameter, topics_covered),
        *(planned_before, parts_identified, challenges_answered),
    )
} | {
    # each of these is stated in the engagement, the decision or the manifest
    "is_recorded": lambda run, record, *keys: all(
        getattr(run, record).get(key) not in NOTHING for key in keys
    ),
    "has_no_rows": lambda run, table, query: (
        bool(run.content(f"tables/{table}.parquet")) and _fitting(run, table, query) == 0
    ),
    "find_table": _find_table,
    "executed": lambda run, notebook: run.notebooks[notebook].state == "executed",
    "file": lambda run, name: run.content(name) is not None,
    "validator_independent": lambda run: independence.read(run.engagement, {}).validator == independence.YES,
    "limits_stated": lambda run: all(run.notebooks[name].tagged("limits") for name in NOTEBOOKS),
    "unchanged": lambda run: run.states and all(state == "same" for _, state in run.states),
    "code_attached": lambda run: all(walked.code for walked in run.notebooks.values()),
    # a statement of independence, other than that there is none
    "independence_stated": lambda run: (
        run.engagement.get("independence") not in NOTHING
        and run.engagement.get("validator_independent") != "no"
    ),
    # the assistant itself said which version answered, and every answer is of that one
    "version_reported": lambda run: (
        [bool(each.get("version")) for each in run.manifest.get("versions") or []] == [True]
    ),
    "version_known": lambda run: (
        run.engagement.get("model_version") not in NOTHING or FACTS["version_reported"](run)
    ),
    "never": lambda run: False,  # no document can hold the acceptance of itself
}
