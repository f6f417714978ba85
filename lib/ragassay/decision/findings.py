"""Findings: every failed gate, raised check, frequent error, weak slice and flaw of the process is a typed
row (`finding_sources`), and rows of one subject are one numbered finding (`findings`).

A finding is as severe as its own likelihood and impact make it (`severity`), and Critical where it holds a
tenth or more of what fails a critical gate. A gate whose failing answers are held by other findings, but for
a tenth, belongs to the one that holds most of them; else it is a finding on what is left. Slices of a
metric belong to the finding of its gate. What the engagement says cannot happen (`holds_if`) is no
finding, but a condition that the owner has to show.
"""

import datetime
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from textwrap import shorten

import numpy as np
import pandas as pd

from ragassay import provenance, tables
from ragassay.analysis import case_scores
from ragassay.analysis.checks import BOTH, RAISED
from ragassay.decision import error_rates
from ragassay.decision.gates import FAIL, INCOMPLETE, OPEN, PASS, rated_by_people
from ragassay.decision.severity import DueDays, RiskMatrix, finding_rule, risk_matrix
from ragassay.errors import ParameterError, TableError
from ragassay.scores.personal_data import mask_answers
from ragassay.stats import clopper_pearson
from ragassay.tables import SEVERITIES, is_blank, is_missing

ERROR, CHECK, GATE, SLICE, PROCESS = RULES = ("error", "check", "gate", "slice", "process")
WAIVED = "waived"
NO = "no"
CRITICAL = "critical criterion"  # in place of a likelihood, where this alone makes a finding Critical
LEFT = 0.1  # share of a gate's failing answers that no other finding may hold before it is one by itself
SHOWN = 20  # case ids kept of a finding
MOST_SIGNS = 360  # of a question, an answer or a remark that is shown
FILES = {ERROR: "taxonomy", CHECK: "checks", GATE: "gates", SLICE: "weakness"}


def _without_rows(name: str) -> pd.DataFrame:
    return pd.DataFrame(columns=list(tables.TABLES[name].columns))


@dataclass(frozen=True)
class Context:
    """What every finding needs: who answers for it, the engagement's date (YYYY-MM-DD), the bank's days and
    matrix, the engagement's record, and the tables behind it.

    scores, cases : of every question; asked : the test set; answers : to show one with each finding
    taxonomy, worst, blame : of notebooks 02, 05 and 06, where they ran
    """

    owner: str
    date: str
    due: DueDays
    matrix: RiskMatrix = field(default_factory=risk_matrix)
    record: Mapping = field(default_factory=dict)
    scores: pd.DataFrame = field(default_factory=lambda: _without_rows("scores"))
    cases: pd.DataFrame = field(default_factory=lambda: _without_rows("cases"))
    asked: pd.DataFrame = field(default_factory=lambda: _without_rows("cases"))
    answers: pd.DataFrame = field(default_factory=lambda: _without_rows("answers"))
    taxonomy: pd.DataFrame = field(default_factory=lambda: _without_rows("taxonomy"))
    worst: pd.DataFrame = field(default_factory=lambda: _without_rows("worst"))
    blame: pd.DataFrame = field(default_factory=lambda: _without_rows("blame"))


def raise_findings(
    gates: pd.DataFrame,
    checks: pd.DataFrame | None = None,
    errors: pd.DataFrame | None = None,
    weak: pd.DataFrame | None = None,
    process: Sequence[Mapping] = (),
    *,
    context: Context,
    evidence_of: Callable[[str], str] = str,
    waivers: Mapping[str, str] | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tables `findings`, F1 the gravest, and `finding_sources`, a row for all that a finding rests on.

    Parameters
    ----------
    gates : of `gates.evaluate`; checks : of `analysis.checks`; errors : of `error_rates`; weak : of the
        search of slices; process : of `independence.flaws`; None: nothing of the kind was looked for
    evidence_of : name of a file below the run folder -> its name with its hash; see `name_evidence`
    waivers : gate -> who signed, why and until when; a waived gate stays a finding, with that status

    Raises
    ------
    ParameterError
        If the owner is empty.
    TableError
        If a finding has no evidence.

    Example: `raise_findings(judged, checks, context=Context("A. Meyer", "2026-11-28", DueDays(days)))[0]`
    """
    if not context.owner.strip():
        raise ParameterError(
            "findings need an owner",
            where="parameter finding_owner",
            found=repr(context.owner),
            do="name who answers for them",
        )
    checks = _without_rows("checks") if checks is None else checks
    weak = _without_rows("weakness") if weak is None else weak
    errors = pd.DataFrame(columns=error_rates.COLUMNS) if errors is None else errors
    aspects = errors["confirmed"].astype(bool).map({True: "rated", False: "suspected by instruments"})
    exceeded = errors.assign(aspect=aspects, bound="high")[errors["exceeded"].astype(bool)]
    rows = [_row(ERROR, row["kind"], row, share=row["high"]) for row in exceeded.to_dict("records")]
    for row in checks[checks["outcome"] == RAISED].to_dict("records"):
        made = _row(CHECK, row["check"], row, threshold=row["limit"], share=_unfavourable(row))
        rows += [] if is_set_aside(made["holds_if"], context.record) else [made]
    for flaw in process:
        measured = {"value": np.nan, "low": np.nan, "high": np.nan, "case_ids": []} | dict(flaw)
        made = _row(PROCESS, flaw["name"], measured, share=np.nan)
        rows.append(made | {name: flaw[name] for name in ("owner", "file")})
    rows += _of_gates(gates, rows, context, set(waivers or {}))
    rows += _of_slices(weak, rows, context)
    matrix, levels = context.matrix, list(context.matrix.cells)
    for row in rows:
        row["impact"] = matrix.impacts.get(row["name"], row["impact"])
        row["likelihood"] = matrix.likelihood(row["share"])
        row["severity"] = matrix.severity(row["impact"], row["share"])
        if row["outcome"] == INCOMPLETE:  # what was not measured has not failed
            row["severity"] = max(row["severity"], "Medium", key=SEVERITIES.index)
    rows_of: dict[str, list[dict]] = {}
    for row in sorted(rows, key=partial(_precedence, levels=levels)):
        rows_of.setdefault(row["subject"], []).append(row)
    grave = {name for row in rows for name in row.get("grave", ())}
    findings = [
        _finding(own, subject in grave, context, evidence_of, waivers or {})
        for subject, own in rows_of.items()
    ]
    findings.sort(
        key=lambda row: (
            SEVERITIES.index(row["severity"]),
            row["outcome"] == INCOMPLETE,  # what was measured goes first
            levels.index(row["impact"]),
            -round(row["share"], 6),
            row["subject"],
        )
    )
    dues, opened = [row["due"] for row in findings], datetime.date.fromisoformat(context.date)
    for number, row in enumerate(findings, 1):
        row["finding_id"] = f"F{number}"
        if row["rule"] == PROCESS and row["severity"] in SEVERITIES[:2]:  # first: it bars closing the others
            row["due"] = (opened + (datetime.date.fromisoformat(min(dues)) - opened) / 2).isoformat()
    ids = {row["subject"]: row["finding_id"] for row in findings}
    shown, columns = _with_shown(findings, context), list(tables.TABLES["finding_sources"].columns)
    sources = pd.DataFrame(rows, columns=columns).assign(finding_id=[ids[row["subject"]] for row in rows])
    return pd.DataFrame(shown, columns=list(tables.TABLES["findings"].columns)), sources


def conditional(checks: pd.DataFrame, record: Mapping) -> pd.DataFrame:
    """The raised checks that are no finding, as the engagement says that what they need does not hold and
    names the test that shows it, with `holds_if`, that statement (parameter of notebook 00).

    Example: `findings.conditional(run.read("checks"), run.engagement)[["check", "holds_if"]]`
    """
    raised = checks[checks["outcome"] == RAISED]
    needs = [
        finding_rule(CHECK, row["check"], row["aspect"])["holds_if"] for row in raised.to_dict("records")
    ]
    is_open = np.array([is_set_aside(name, record) for name in needs], dtype=bool)
    return raised.assign(holds_if=needs)[is_open].reset_index(drop=True)


def is_set_aside(holds_if: str, record: Mapping) -> bool:
    """Whether what a check needs cannot happen, by the engagement's word and a test that it names."""
    return bool(holds_if) and record.get(holds_if) == NO and bool(record.get("intake_test"))


def gate_holders(sources: pd.DataFrame) -> dict[tuple[str, str], dict[str, int]]:
    """(gate, origin) -> finding -> how many of the gate's failing answers it holds, most first, and under ""
    how many none does; of a gate without such answers, its own finding and 0.

    sources : the table `finding_sources`
    """
    found = {}
    own = sources[~sources["carried"].astype(bool)]
    for gate in sources[sources["rule"] == GATE].to_dict("records"):
        failing = set(gate["failing"])
        held: dict[str, str] = {}
        mine = own["finding_id"] == gate["finding_id"]
        rated = own["rule"].eq(GATE) & own["metric"].map(rated_by_people)
        for row in pd.concat([own[own["rule"] == ERROR], own[mine], own[rated]]).to_dict("records"):
            held |= dict.fromkeys(failing & set(row["case_ids"]) - held.keys(), row["finding_id"])
        counts = Counter({"": len(failing - held.keys())} | Counter(held.values()))
        ranked = {name: n for name, n in counts.most_common() if n}
        found[gate["name"], gate["aspect"]] = ranked or {gate["finding_id"]: 0}
    return found


def name_evidence(run_dir: str | Path, name: str) -> str:
    """`tables/gates.parquet sha256=...` of a file below the run folder, as it is now; "" without it."""
    path = provenance.find(run_dir) / name
    return f"{name} sha256={provenance.sha256_of(path)}" if path.is_file() else ""


def _of_gates(gates: pd.DataFrame, others: list[dict], context: Context, waived: set[str]) -> list[dict]:
    """The gates that decide and did not pass, those with most answers that no other finding holds first."""
    rows = []
    missed = gates[(gates["outcome"] != PASS) & gates["decides"].astype(bool)]
    for row in missed.to_dict("records"):
        measured = row["outcome"] == FAIL
        failing = beyond_threshold(row, context.scores, context.asked) if measured else []
        base = row | {"cases": len(failing), "case_ids": failing}
        share = _unfavourable(row) if measured and case_scores.is_share(row["metric"]) else np.nan
        if failing:  # of a score that is no 0 or 1 the mean is no share
            share = clopper_pearson(min(len(failing), row["n"]), row["n"]).high
        made = _row(GATE, row["gate"], base, aspect=row["origin"], share=share)
        rows.append(made | {"critical": bool(row["critical"])})
    ready: list[dict] = []
    rows.sort(key=lambda row: (-row["cases"], row["aspect"]))
    heads = {row["name"]: row for row in reversed(rows)}  # what fails at two origins is one finding
    follow, rows = [row for row in rows if row is not heads[row["name"]]], list(heads.values())
    errors = {case: row for row in reversed(others) if row["rule"] == ERROR for case in row["case_ids"]}
    rated: dict[str, dict] = {}  # what gates on raters' judgements hold beside
    while rows:
        rows.sort(key=lambda row: (-len(set(row["case_ids"]) - {*errors, *rated}), row["name"]))
        row = rows.pop(0)
        held = errors | rated if rated_by_people(row["metric"]) else errors
        left = [case for case in row["case_ids"] if case not in held]
        shared = [held[case]["subject"] for case in row["case_ids"] if case in held]
        if row["name"] in waived:
            row["subject"] = f"{row['name']} ({WAIVED})"
        elif shared and len(left) < LEFT * len(row["case_ids"]):
            row |= {"subject": max(sorted(set(shared)), key=shared.count), "share": np.nan, "carried": True}
        else:
            if shared and rated_by_people(row["metric"]):
                row["share"] = clopper_pearson(len(left), int(row["n"])).high
                row |= {"case_ids": left, "cases": len(left)}
            rated |= dict.fromkeys(left if rated_by_people(row["metric"]) else [], row)
        ready.append(row)
        if row["name"] not in waived and row["critical"] and row["outcome"] == FAIL:
            least, counts = LEFT * len(row["case_ids"]), Counter(shared)
            row["grave"] = {row["subject"], *(name for name, n in counts.items() if n >= least)}
    for row in follow:
        row |= {"subject": heads[row["name"]]["subject"], "share": np.nan, "carried": True}
    return [*ready, *follow]


def _of_slices(weak: pd.DataFrame, others: list[dict], context: Context) -> list[dict]:
    """The weak slices, in the findings of the gates on their metrics, with the cases that fall short of the
    best possible value, the worst first."""
    subjects = {row["metric"]: row["subject"] for row in others if row["rule"] == GATE}
    rows, cases = [], context.asked
    scores = context.scores[context.scores["case_id"].isin(cases["case_id"])]
    for row in weak[weak["finding"].astype(bool)].to_dict("records"):
        is_lower, case_ids = row["difference"] < 0, []
        if len(cases) and set(row["dimension"].split(case_scores.BETWEEN)) <= set(cases):
            own = case_scores.scores_with_cases(scores, cases, row["metric"]).dropna(subset=["value"])
            best = (case_scores.value_range(row["metric"]) or (np.nan, np.nan))[is_lower]
            is_here = case_scores.slice_names(own, row["dimension"]) == row["level"]
            case_ids = _worst_first(own[is_here & (own["value"] != best)], is_lower)
        measured = row | {"value": row["mean"], "bound": "low" if is_lower else "high"}
        measured |= {
            "slice": f"{row['dimension']}={row['level']}",
            "case_ids": case_ids,
            "cases": len(case_ids),
        }
        share = _unfavourable(measured) if case_scores.is_share(row["metric"]) else np.nan
        made = _row(SLICE, row["metric"], measured, share=share)
        rows.append(made | {"subject": subjects.get(row["metric"], made["subject"])})
    return rows


def _row(rule: str, name: str, measured: Mapping, *, share: float, **named: object) -> dict:
    """A row of `finding_sources`, not rated yet; share : that fails, at its unfavourable end."""
    nothing = {"aspect": "", "metric": "", "slice": "", "threshold": np.nan, "bound": "", "cases": 0}
    row = {**nothing, **measured, **named}
    row["cases"] = len(row["case_ids"]) if is_missing(row["cases"]) else int(row["cases"])
    rules = finding_rule(rule, name, str(row["aspect"]))
    kept = ("aspect", "metric", "slice", "threshold", "bound", "value", "low", "high", "n", "cases")
    return {
        "rule": rule,
        "name": name,
        **{column: row[column] for column in kept},
        "level": str(row.get("level") or ""),
        "outcome": str(row.get("outcome") or ""),
        "reason": str(row.get("reason") or ""),
        "needed": int(row.get("needed") or 0),
        "case_ids": list(row["case_ids"]),
        "failing": list(row["case_ids"]),
        "share": float(share),
        "carried": False,
        **{column: rules[column] for column in ("subject", "impact", "holds_if")},
    }


def _unfavourable(row: Mapping) -> float:
    """The share that fails, in [0, 1], at the end of the interval that speaks for most: of a share that must
    be high, of one that must be low, of a loss (a limit below 0), or of a difference either way."""
    if row["bound"] == BOTH:
        return float(min(1.0, max(abs(row["low"]), abs(row["high"]))))
    if row["value"] < 0:
        return float(min(1.0, -row["low"]))
    return float(np.clip(1 - row["low"] if row["bound"] == "low" else row["high"], 0, 1))


def _precedence(row: dict, levels: list[str]) -> tuple:
    """Of the rows of one subject the first speaks for them: by rule, impact, severity, share."""
    share = -row["share"] if row["share"] == row["share"] else 0.0
    grave = levels.index(row["impact"]), SEVERITIES.index(row["severity"]), round(share, 6)
    named = row["name"], row["aspect"], row["metric"], row["slice"]
    return row["carried"], RULES.index(row["rule"]), *grave, *named


def _finding(
    own: list[dict],
    is_grave: bool,
    context: Context,
    evidence_of: Callable[[str], str],
    waivers: Mapping[str, str],
) -> dict:
    """One finding: the row that speaks for it, as grave as the gravest of its rows but for gates that it
    carries; Critical where it holds what fails a critical gate."""
    first = own[0]
    gravest = min(
        (row for row in own if not row["carried"]),
        key=lambda row: SEVERITIES.index(row["severity"]),
        default=first,
    )
    severity = SEVERITIES[0] if is_grave else gravest["severity"]
    files = dict.fromkeys(row.get("file") or f"tables/{FILES[row['rule']]}.parquet" for row in own)
    evidence = "; ".join(filter(None, map(evidence_of, files)))
    blame = context.blame[context.blame["case_id"].isin(first["case_ids"])]
    is_unknown = blame["fault"].map(is_blank).astype(bool)  # what the sentences show goes first
    if not evidence:
        raise TableError("a finding has no evidence", where=first["subject"], found=", ".join(files))
    waiver = waivers.get(first["name"], "") if first["subject"].endswith(f"({WAIVED})") else ""
    return {
        **first,
        "likelihood": gravest["likelihood"] if severity == gravest["severity"] else CRITICAL,
        "impact": gravest["impact"],
        "severity": severity,
        "share": gravest["share"] if gravest["share"] == gravest["share"] else 0.0,
        "case_ids": first["case_ids"][:SHOWN],
        "failing": [case for row in own for case in row["case_ids"]],
        "causes": blame["fault"].mask(is_unknown, blame["blamed"]).tolist(),
        "evidence": evidence,
        "owner": first.get("owner") or context.owner,
        "opened": context.date,
        "due": context.due.date(context.date, severity),
        "status": f"{WAIVED}: {waiver}" if waiver else OPEN,
        **dict.fromkeys(("carried_from", "closed_by", "closed_evidence"), ""),
    }


def _with_shown(findings: list[dict], context: Context) -> list[dict]:
    """The findings with the case that shows each best: of what it counts, and raters or instruments reject,
    the first of the ranking of worst answers that no graver finding shows; personal data is masked."""
    place = {case: number for number, case in enumerate(context.worst.sort_values("rank")["case_id"])}
    known = context.taxonomy.set_index("case_id")
    good = set(known.index[known["category"] == "good"])
    rejected = set(known.index[known["judged_by"] != "machine"]) - good
    chosen: dict[str, str] = {}
    for row in findings:
        cases = [case for case in row["failing"] if case not in good]
        own = set(row["case_ids"])  # of what speaks for it, not of all that it carries
        other = [case for case in cases if case in chosen.values() or case not in own]
        cases.sort(key=lambda case: (case in other, case not in rejected, place.get(case, len(place))))
        chosen[row["finding_id"]] = next(iter(cases), "")
    of_cases = context.answers[context.answers["case_id"].isin(chosen.values())].drop_duplicates("case_id")
    texts = pd.concat([mask_answers(of_cases, context.cases), context.worst]).drop_duplicates(
        "case_id", keep="last"
    )
    shown = texts.reindex(columns=["case_id", "question", "answer", "remark"]).set_index("case_id")
    shown = shown.map(lambda text: "" if is_blank(text) else shorten(str(text), MOST_SIGNS, placeholder=" …"))
    words = shown.reindex(list(chosen.values()), fill_value="").add_prefix("shown_").to_dict("records")
    return [
        row | {"shown_case": chosen[row["finding_id"]]} | said
        for row, said in zip(findings, words, strict=True)
    ]


def beyond_threshold(row: Mapping, scores: pd.DataFrame, asked: pd.DataFrame) -> list[str]:
    """The cases of a gate's origin on the wrong side of its threshold, the worst first."""
    scores = scores[scores["metric"] == row["metric"]]
    if row["origin"] != case_scores.ALL:
        own = asked.loc[asked["origin"] == row["origin"], "case_id"]
        scores = scores[scores["case_id"].isin(own)]
    if row["slice"] != case_scores.ALL or scores.empty:
        return []
    known = case_scores.metric_scores(scores, row["metric"]).dropna(subset=["value"])
    is_lower = row["bound"] == "low"
    wrong = known["value"] < row["threshold"] if is_lower else known["value"] > row["threshold"]
    return _worst_first(known[wrong], is_lower)


def _worst_first(rows: pd.DataFrame, is_lower: bool) -> list[str]:
    ranked = rows.assign(value=rows["value"].round(9))
    order = ranked.sort_values(["value", "case_id"], ascending=[is_lower, True], kind="stable")
    return order["case_id"].tolist()
