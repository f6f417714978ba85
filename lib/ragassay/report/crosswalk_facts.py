"""What a run holds that a row of the crosswalk may rest on, each a question with yes or no as its answer."""

import re
from collections.abc import Callable

import pandas as pd

from ragassay.decision import independence
from ragassay.decision.gates import waivers
from ragassay.decision.named_people import names_person
from ragassay.decision.not_tested.untested_points import FEWEST_OF_USERS
from ragassay.engagement_registers import ANSWER
from ragassay.errors import ParameterError
from ragassay.report.blocks import Table, plain
from ragassay.report.run_folder import STATED, Run
from ragassay.show import MISSING

CHALLENGES = "Challenge log"  # the caption under which notebook 07 shows it
MONITORING = "Monitoring after release"  # how that of its plan begins
SILENT = "nothing"  # how it begins in the manifest, where the assistant does not say its version
FEW_RATED = 50  # answers that two raters must have read
FEW_SCORED = 30  # answers that a measure must rest on
LEAST_COVERED = 0.9  # share of topics that must have a question with an answer
MOST_UNDECIDED = 0.5  # share of comparisons that may leave open whether groups differ
VERSION = re.compile(r"\b(?:hash|version|SHA-?256|v?\d+(?:\.\d+)*)\b", re.IGNORECASE)
_NONE = re.compile(
    r"(?:none|n/?a|nil|not independent|no independence)[ ]{0,9}(?:[:;,.-]|$)", re.IGNORECASE
)  # how a statement begins that says that there is none
Fact = Callable[[Run], bool]


def stated(*keys: str) -> Fact:
    """Whether the engagement states each of these."""

    def holds(run: Run) -> bool:
        return all(run.engagement.get(key) not in (None, "", [], {}, STATED) for key in keys)

    return holds


def validator_named(run: Run) -> bool:
    """Whether the validator is stated by a person's name, no role or unit."""
    return stated("validator")(run) and names_person(str(run.engagement["validator"]))


def measured(names: set[str], least: int) -> Fact:
    """Whether the scorecard holds each of these with an interval over at least so many cases."""

    def holds(run: Run) -> bool:
        card = run.rows("scorecard")
        if not len(card):
            return False
        sound = card[(card["n"] >= least) & card["low"].notna() & card["high"].notna()]
        return names <= set(sound["metric"])

    return holds


def has(table: str) -> Fact:
    """Whether the table holds a row."""
    return lambda run: len(run.rows(table)) > 0


def rated(run: Run) -> bool:
    """Whether two raters read `FEW_RATED` answers."""
    labels = run.rows("labels")
    if not len(labels):
        return False
    raters = labels.groupby("case_id")["rater"].nunique()
    return int((raters >= 2).sum()) >= FEW_RATED


def topics_covered(run: Run) -> bool:
    """Whether `LEAST_COVERED` of the topics have a question that the documents answer."""
    asked, chunks = run.rows("cases"), run.rows("chunks.strata")
    if not len(asked) or not len(chunks) or "topic" not in chunks:
        return False
    answerable = asked[asked["answerable"].astype(bool)]
    return answerable["topic"].nunique() >= LEAST_COVERED * chunks["topic"].nunique()


def complete(table: str, columns: tuple[str, ...]) -> Fact:
    """Whether the table is there and no row of it lacks one of these columns."""

    def holds(run: Run) -> bool:
        rows = run.rows(table)
        is_there = run.content(f"tables/{table}.parquet") is not None and set(columns) <= set(rows)
        return is_there and bool((rows[list(columns)].astype(str).map(str.strip) != "").all(axis=None))

    return holds


def judged(run: Run) -> bool:
    """Whether there is a gate that decides, and none of them is incomplete."""
    gates = run.rows("gates")
    gates = gates[gates["decides"].astype(bool)] if "decides" in gates else gates
    return len(gates) > 0 and bool((gates["outcome"] != "incomplete").all())


def unchanged(run: Run) -> bool:
    """Whether every file of the manifest still has its hash."""
    return bool(run.states) and all(state == "same" for _, state in run.states)


def challenged(run: Run) -> bool:
    """Whether a notebook shows the challenge log, each entry with its response."""
    tables = (item for item in run.shown if isinstance(item, Table))
    log = next((item for item in tables if item.caption == CHALLENGES), None)
    if log is None or ANSWER not in (names := [plain(name) for name in log.columns]):
        return False
    answers = [plain(row[names.index(ANSWER)]).strip() for row in log.rows]
    return bool(answers) and all(answer not in ("", MISSING) for answer in answers)


def planned_before(run: Run) -> bool:
    """Whether no answer to the planned questions was there, or rated, before their plan, on record."""
    from ragassay.answers import answer_journal, answers_before_plan

    asked = run.rows("cases")
    if "case_id" not in asked or run.content("plan.json") is None:
        return False
    now = answer_journal.times(run.content(answers_before_plan.ANSWERS) or b"")
    is_log = bool(run.engagement.get("answers_log"))
    kept = run.content(answers_before_plan.FILE)
    cases, labels = asked["case_id"].tolist(), run.rows("labels")
    return answers_before_plan.count_before_plan(cases, now, kept, is_log=is_log, labels=labels).is_first


def own_users(run: Run) -> bool:
    """Whether `FEWEST_OF_USERS` questions are those of users, from a log."""
    cases = run.rows("cases")
    return "origin" in cases and int((cases["origin"] == "log").sum()) >= FEWEST_OF_USERS


def parts_identified(run: Run) -> bool:
    """Whether what is said of each bought-in part names a version or a hash."""
    parts = [pair for pair in run.engagement.get("vendor_components") or [] if isinstance(pair, list)]
    return bool(parts) and all(VERSION.search(" ".join(map(str, pair[1:]))) for pair in parts)


def tried(*checks: str) -> Fact:
    """Whether each of these checks rests on `FEW_SCORED` cases."""

    def holds(run: Run) -> bool:
        rows = _checks(run)
        return len(rows) > 0 and all(
            rows.loc[rows["check"] == name, "n"].sum() >= FEW_SCORED for name in checks
        )

    return holds


def groups_decided(run: Run) -> bool:
    """Whether groups of customers were compared and at most `MOST_UNDECIDED` of the comparisons are open."""
    rows = _checks(run)
    told = rows.loc[(rows["check"] == "bias") & (rows["n"] > 0), "outcome"] if len(rows) else rows
    return len(told) > 0 and bool((told == "undecided").mean() <= MOST_UNDECIDED)


def _checks(run: Run) -> pd.DataFrame:
    rows = run.rows("checks")
    return rows if {"check", "n", "outcome"} <= set(rows) else pd.DataFrame()


def version_told(run: Run) -> bool:
    """Whether the assistant itself said which version answered, and every answer is of that one."""
    said = [str(each) for each in run.manifest.get("said_of_version") or []]
    return len(said) == 1 and not said[0].startswith(SILENT)


def raters_told(run: Run) -> bool:
    """Whether the parameters say who the raters are."""
    given = (run.manifest.get("parameters") or {}).get("04_calibration") or {}
    return str(given.get("raters") or STATED) != STATED


def raters_independent(run: Run) -> bool:
    """Whether the parameters say that the raters judged independently."""
    given = (run.manifest.get("parameters") or {}).get("04_calibration") or {}
    return given.get("raters_independent") == independence.YES


def independence_stated(run: Run) -> bool:
    """Whether the engagement holds a statement of independence that does not say that there is none."""
    said = stated("independence")(run)
    return said and not _NONE.match(str(run.engagement["independence"]).strip())


def validator_independent(run: Run) -> bool:
    """Whether the engagement says that the validator is independent, and names it no developer or owner."""
    return independence.of_validator(run.engagement) == independence.YES


def predicted(run: Run) -> bool:
    """Whether a machine's decisions were held against raters, in every respect that they judged."""
    rows = run.rows("respect_errors")
    return "n" in rows and int(rows["n"].sum()) > 0


def followed_up(run: Run) -> bool:
    """Whether the findings of an earlier validation were carried over."""
    findings = run.rows("findings")
    return "carried_from" in findings and bool(findings["carried_from"].fillna("").ne("").any())


def waivers_sound(run: Run) -> bool:
    """Whether the parameters hold no waiver, or each can be read: who, why, until when."""
    given = (run.manifest.get("parameters") or {}).get("07_conclusion")
    try:
        waivers.parse((given or {}).get("waivers") or {})
    except ParameterError:
        return False
    return bool(given)


def planned(run: Run) -> bool:
    """Whether the decision shows a plan of monitoring with at least one measure."""
    tables = (item for item in run.shown if isinstance(item, Table))
    return any(item.rows for item in tables if item.caption.startswith(MONITORING))


def conditioned(run: Run) -> bool:
    """Whether conditions of use are recorded, or that no use is recommended."""
    decided = run.decision
    return bool(decided.get("conditions")) or decided.get("recommendation") == "none"


def slices_tested(run: Run) -> bool:
    """Whether slices were compared with the rest, with a false-discovery rate."""
    weak = run.rows("weakness")
    return "q" in weak and bool(weak["q"].notna().any())


def sourced(run: Run) -> bool:
    """Whether every measure on the scorecard that is a metric of this kit states where it comes from."""
    from ragassay.scores import METRICS

    card = run.rows("scorecard")
    known = [METRICS[name] for name in set(card["metric"]) if name in METRICS] if len(card) else []
    return bool(known) and all(metric.source for metric in known)
