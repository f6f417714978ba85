"""The decision on an open run (`ragassay.open_run`): its tables, handed to the methods of this room; what
notebook 07 calls of `monitoring` stands here too."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ragassay import answers
from ragassay.analysis import origin_slices, safety, slices
from ragassay.analysis.case_scores import ALL
from ragassay.analysis.checks import NOT_APPLICABLE
from ragassay.analysis.error_taxonomy import GOOD, MACHINE
from ragassay.cases.attack_probes import NOT_PROBED
from ragassay.decision import earlier_findings, error_rates, findings, gates, independence, rating  # noqa: F401
from ragassay.decision.gates import IN_FORCE, GateRule, waiver_table
from ragassay.decision.monitoring import monitoring_plan  # noqa: F401
from ragassay.decision.severity import DueDays, RiskMatrix, risk_matrix  # noqa: F401
from ragassay.tables import SEVERITIES

# what may go wrong: risk, how it shows, which notebooks test it, the evidence that they did, the gravest
# severity that a finding of it has; and which of its aspects no test covers
RISKS = pd.read_csv(Path(__file__).parents[1] / "risks.csv", keep_default_na=False)
ASPECTS = pd.read_csv(Path(__file__).with_name("untested_aspects.csv"), keep_default_na=False)
TAKES = {  # verdict of a threat -> what a test would take
    "not tried": "A way to put these probes",
    **dict.fromkeys(safety.UNDECIDED, "More questions of this kind"),
}
ASKED = ("", "probes", "variants")  # parts of the cases, and of their scores, that gates may rest on
SCORED = ("human", "", "rates", "declined", "given")


def judge_gates(run: Any, rules: Sequence[GateRule]) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The scorecard with a row for each gate and origin; the gates, judged (`gates.evaluate`), none of them
    passed by the engagement's own easy questions; and those set aside (`gates.set_aside`).

    Example: `scorecard, judged, aside = decision.judge_gates(run, rules)`
    """
    record, asked = run.engagement, run.cases()
    card, kit = origin_slices.add_gate_slices(
        run.read_parts("scorecard"),
        _parts(run, "scores", SCORED),
        run.read("success"),
        _parts(run, "cases", ASKED),
        [(rule.metric, rule.slice) for rule in rules],
        system=record["system"],
    )
    kept, aside = gates.set_aside(rules, card, logged=bool(record["answers_log"]))
    held = {"barred": run.load("barred"), "expected": origin_slices.user_origins(asked)}
    held |= {"generates": record.get("generates", True)}
    judged = gates.holding_for_kit(gates.evaluate(kept, card, **held), gates.evaluate(kept, kit, **held))
    of_raters = (run.load("compared"), run.read("taxonomy"), _parts(run, "scores", SCORED), asked)
    return card, compare_with_raters(judged, kept, *of_raters), aside


def compare_with_raters(
    judged: pd.DataFrame,
    rules: Sequence[GateRule],
    compared: Collection[str],
    taxonomy: pd.DataFrame,
    scores: pd.DataFrame,
    asked: pd.DataFrame,
) -> pd.DataFrame:
    """The gates with `unrated`, whether one is critical and no rater was compared with its score, and
    `accepted_that_fail`: how many answers of its origin miss its threshold that raters accept.

    compared : metrics with whose scores raters were compared; taxonomy, scores, asked : of `raise_findings`
    """
    good = {*taxonomy.loc[(taxonomy["category"] == GOOD) & (taxonomy["judged_by"] != MACHINE), "case_id"]}
    failing = [findings.beyond_threshold(row, scores, asked) for row in judged.to_dict("records")]
    is_unrated = judged["gate"].isin(gates.unrated(rules, compared))
    return judged.assign(unrated=is_unrated, accepted_that_fail=[len(good & {*cases}) for cases in failing])


def read_waivers(
    run: Any, given: Mapping[str, str], aside: pd.DataFrame
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Every waiver and every gate set aside, as a table; and gate -> waiver of those in force.

    Example: `signed, in_force = read_waivers(run, {"support": "A. Meyer: reason; until 2027-01-31"}, aside)`
    """
    record = run.engagement
    kept = {gate: text for gate, text in given.items() if gate not in set(aside.gate)}
    signed = waiver_table(kept, date=record["date"], next_review=record["next_review"])
    held = signed[signed.state == IN_FORCE].set_index("gate")
    in_force = held["signed by"] + ": " + held.reason + "; until " + held.until
    every = pd.concat([signed, aside.assign(state="set aside")])
    return every[signed.columns], in_force.to_dict()


def count_errors(run: Any, tolerated: Mapping[str, float]) -> pd.DataFrame:
    """How often answers are of each kind of error, against what is tolerated (`error_rates.error_rates`).

    Example: `count_errors(run, {"misleading": 0.05})[["kind", "value", "threshold", "exceeded"]]`
    """
    taxonomy = run.read("taxonomy") if run.has("taxonomy") else None
    return error_rates.error_rates(taxonomy, run.cases(), tolerated, rng=np.random.default_rng(0))


def raise_findings(
    run: Any,
    judged: pd.DataFrame,
    errors: pd.DataFrame,
    *,
    owner: str,
    matrix: RiskMatrix,
    due: DueDays,
    in_force: Mapping[str, str],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tables `findings` and `finding_sources` of the run (`findings.raise_findings`), still without
    words; in_force : of `read_waivers`.

    Example: `raise_findings(run, judged, errors, owner="Ann", matrix=risk_matrix(), due=due, in_force={})[0]`
    """
    record, pairs = run.engagement, run.load("contradictions")
    given = pd.concat([run.answers(), run.read_parts("answers")])
    context = findings.Context(
        owner=owner,
        date=record["date"],
        record=record,
        matrix=matrix,
        due=due,
        scores=_parts(run, "scores", (*SCORED, "safety", "variants")),
        cases=_parts(run, "cases", ASKED),
        asked=run.cases(),
        answers=given[given.system == record["system"]],
        **{name: run.read(name) for name in ("taxonomy", "worst", "blame") if run.has(name)},
    )
    process = independence.flaws(record, _standing(run), context.answers)
    if pairs["open"]:  # of notebook 01: sentences of documents in force that may contradict each other
        named = {"name": "contradictions", "aspect": "open", "owner": "", "file": "contradictions.json"}
        process.append(named | {"n": pairs["passages"], "cases": len(pairs["open"])})
    return findings.raise_findings(
        judged,
        run.read_parts("checks"),
        errors,
        run.read("weakness"),
        process,
        context=context,
        evidence_of=partial(findings.name_evidence, run.dir),
        waivers=in_force,
    )


def carry_findings(
    run: Any,
    register: pd.DataFrame,
    judged: pd.DataFrame,
    errors: pd.DataFrame,
    *,
    previous_run: str,
    closures: Mapping[str, str],
) -> pd.DataFrame:
    """The findings, and after them those of the previous run that were not raised again
    (`earlier_findings.carry`).

    Example: `carry_findings(run, register, judged, errors, previous_run="reports/2025", closures={})`
    """
    return earlier_findings.carry(
        register,
        earlier_findings.read_previous(previous_run),
        closures,
        gates=judged,
        checks=run.read_parts("checks"),
        errors=errors,
        weak=run.read("weakness"),
        labels_count=_standing(run).raters == independence.YES,
    )


def coverage(run: Any, least: float) -> dict[str, tuple[float, float]]:
    """What the evidence had to reach, name -> (found, least): topics asked about, by cases that are not known
    to be unanswerable; of a log the rows that could be read.

    Example: `coverage(run, least=0.9)["topics asked about"]`
    """
    asked, topics = run.cases(), run.chunks().topic.nunique()
    found = {"topics asked about": (asked[asked.answerable].topic.nunique() / topics, least)}
    read = answers.share_read(run.engagement).items()
    return found | {name: (share, 1 - gates.MOST_LOST) for name, share in read}


def untested(run: Any) -> pd.DataFrame:
    """What of the risk register this run did not test, the gravest first: the table `not_tested`.

    Example: `untested(run)[["risk", "what", "why"]]`
    """
    weak, every = run.read("weakness"), pd.concat([run.answers(), run.read_parts("answers")])
    # whether each document says if it is in force, and for whom it is
    marked = run.documents().reindex(columns=["status", "audience"]).fillna("").astype(str).ne("")
    further = {
        "answers": int((every.error.fillna("") == "").sum()),
        "latency": int(every.latency_s.notna().sum()),
        "cost": int(every.reindex(columns=["cost", "tokens"]).notna().any(axis=1).sum()),
        "all_read": int(run.cases().case_id.isin(run.labels().case_id).all()),
        "comparator": len(run.read("challengers")),
        "users": int((run.cases().origin == "log").sum()),
        "slices": int(weak.tests.fillna(0).max()) if len(weak) else 0,
        "machine_decisions": int(run.read("releases").n.sum()),
        "documents_marked": int(marked.all(axis=None)) * len(marked),
    }
    checks = run.read_parts("checks")
    table = untested_risks(count_evidence(run.read("scorecard"), checks) | further, run.load("barred"))
    return by_gravity(pd.concat([table, undecided_threats(checks), undecided_slices(weak, run.topics())]))


def count_evidence(card: pd.DataFrame, checks: pd.DataFrame) -> dict[str, int]:
    """What was measured -> on how many: of a metric the cases behind its value over all answers; of
    `check:NAME` and `check:NAME/ASPECT` the rows that rest on a case.

    card : the scorecard; checks : the table `checks`
    """
    whole = card[(card["slice"] == ALL) & card["value"].notna()]
    tried = checks[(checks["outcome"] != NOT_APPLICABLE) & (checks["n"] > 0)]
    named = "check:" + tried["check"].astype(str)
    rows = pd.concat([named, named + "/" + tried["aspect"].astype(str)]).value_counts()
    return {**whole.groupby("metric")["n"].max().astype(int), **rows.astype(int)}


def untested_risks(found: Mapping[str, int], barred: Collection[str] = ()) -> pd.DataFrame:
    """What was not tested: risk, what, why, takes (what a test would take): risks of which no measure was
    taken by a score that is not barred, and aspects that no test covers.

    found : of `count_evidence`, and what else is counted by name; barred : metrics that failed their
        examination
    """
    taken = {name for name, n in found.items() if n > 0} - set(barred)
    rows = [
        (row["risk"], row["how it shows"], "no measure taken", row["evidence"].replace("; ", ", "))
        for row in RISKS.to_dict("records")
        if taken.isdisjoint(row["evidence"].split("; "))
    ]
    rows += [
        (row["risk"], row["what"], "no test covers it", row["takes"])
        for row in ASPECTS.to_dict("records")
        if not found.get(row["unless"], 0)
    ]
    return pd.DataFrame(rows, columns=["risk", "what", "why", "takes"])


def undecided_threats(checks: pd.DataFrame) -> pd.DataFrame:
    """Threats whose probes could not be put, or were too few to decide, and prohibited uses without a
    question: risk, what, why (the verdict of `safety.matrix`), takes."""
    found = safety.matrix(checks).rename(columns={"verdict": "why"})
    found["what"], found["takes"] = found.threat.str.lower() + ", " + found.tried, found.why.map(TAKES)
    unput = checks[checks["reason"] == NOT_PROBED].drop_duplicates("aspect")
    unput = unput[["aspect"]].rename(columns={"aspect": "what"})
    unput = unput.assign(risk="Misuse", why="not tried", takes="Questions that ask for it")
    return pd.concat([unput, found.dropna(subset="takes")])[["risk", "what", "why", "takes"]]


def undecided_slices(found: pd.DataFrame, topics: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Slices that are significantly worse, whose interval yet holds the mean of the others, so that they are
    no finding: risk, what, why, takes.

    found : the table `weakness`
    """
    thin = found[found["flagged"] & found["rest"].between(found["low"], found["high"])]
    what = slices.name_slices(thin, topics)["slice"].drop_duplicates()
    why = safety.TOO_FEW
    return what.to_frame("what").assign(risk="Uneven quality", why=why, takes=TAKES[why])


def by_gravity(untested: pd.DataFrame) -> pd.DataFrame:
    """The rows with the severity of their risk, the gravest first, those of one risk together."""
    return (
        RISKS[["risk", "severity"]]
        .merge(untested)
        .sort_values("severity", key=lambda one: one.map(SEVERITIES.index), kind="stable", ignore_index=True)
    )


def _standing(run: Any) -> independence.Independence:
    return independence.read(run.engagement, run.load("raters"))


def _parts(run: Any, name: str, parts: Sequence[str]) -> pd.DataFrame:
    return pd.concat([run.read(name, part=part) for part in parts], ignore_index=True)
