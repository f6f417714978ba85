"""The words of gates, findings, reasons and ratings: made here, once, from typed rows and the templates of
`templates/words/`."""

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from typing import Any

import pandas as pd

from ragassay.analysis import case_scores, origin_slices, scorecard_slices
from ragassay.analysis.error_taxonomy import MACHINE
from ragassay.decision import findings as raised
from ragassay.decision import gates as gating
from ragassay.decision import independence
from ragassay.decision.earlier_findings import SETTLED
from ragassay.decision.findings import CHECK, GATE, SLICE
from ragassay.decision.gates import FAIL, INCOMPLETE, PASS
from ragassay.report import check_words
from ragassay.report.templates import filled
from ragassay.scores.display_names import EVERY_RESPECT, display_name, level_name, slice_name
from ragassay.stats import interval_text, percent_text
from ragassay.tables import CATEGORIES, SEVERITIES, is_blank

FIELDS = (  # of a finding that is printed in full
    *("finding_id", "title", "severity", "condition", "further", "criterion", "cause", "effect"),
    *("recommendation", "owner", "due", "closure", "status"),
)
WORDS = ("title", "condition", "further", "criterion", "effect", "recommendation", "closure")
TEMPLATE = ("title", "statement", "criterion", "effect", "action", "closure")
MOST_TESTS = 3  # further tests that a condition names
MOST_PRINCIPAL, MOST_CARDS, MOST_CONDITIONS = 4, 10, 6  # findings of the summary, and printed in full
MOST_NAMED = 5  # criteria that a sentence names
FEW_RATED = 30  # answers of a language, below which the summary names it
QUESTION, ANSWER = 160, 220  # characters of what a finding quotes


def with_words(
    findings: pd.DataFrame, sources: pd.DataFrame, topics: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """The table `findings` with its words: title, condition, further tests that show it, criterion, effect,
    recommendation and closure; a finding carried over from an earlier run keeps its own."""
    rows, causes = [], {each["cause"]: each["words"] for each in _template("causes")}
    for row in findings.to_dict("records"):
        own = sources[sources["finding_id"] == row["finding_id"]].to_dict("records")
        if not own or isinstance(row.get("title"), str):
            rows.append(row)
            continue
        own.sort(key=lambda each: _key(each) != _key(row))
        own[1:] = [each for each in own[1:] if not each["carried"]]
        first, *others = map(_words, own, [topics] * len(own))
        cause = f"{first['cause']}." if first.get("cause") else ""
        more = [each["statement"] for each in others][:MOST_TESTS]
        named = {"title": first["title"], "condition": f"{first['statement']}."}
        named |= {"recommendation": f"{first['action']}.", "further": f"{'; '.join(more)}." if more else ""}
        blamed = "" if is_blank(row["cause"]) else causes[row["cause"]]
        named |= {"cause": " ".join(filter(None, (blamed, cause)))}
        rest = {name: f"{first[name]}." if first[name] else "" for name in ("criterion", "effect", "closure")}
        rows.append(row | named | rest)
    return pd.DataFrame(rows, columns=findings.columns)


def gate_words(gate: Mapping) -> str:
    """What a gate asks for and what was measured: `low 70 %, at least 80 % required`, or why it is
    incomplete."""
    if gate["outcome"] == INCOMPLETE:
        needed = f", {gate['needed']} needed" if gate.get("needed") else ""
        return f"{gate['reason']}: n = {gate['n']}{needed}"
    bound, word = float(gate[gate["bound"]]), "at least" if gate["bound"] == "low" else "at most"
    number = (
        percent_text(bound, 1, gate["threshold"]) if case_scores.is_share(gate["metric"]) else f"{bound:.3g}"
    )
    return f"{gate['bound']} {number}, {word} {_amount(gate['metric'], gate['threshold'])} required"


def gate_table(gates: pd.DataFrame, sources: pd.DataFrame) -> pd.DataFrame:
    """The gates as a page shows them: criterion, required, measured, outcome, and why: what is missing, that
    it passes by design, or which findings hold how many of its failing answers.

    sources : the table `finding_sources`
    """
    holders = raised.gate_holders(sources)
    rows = [
        {
            "criterion": label(row) + (" (critical)" if row["critical"] else ""),
            "required": required_text(row),
            "measured": measured_text(row),
            "outcome": row["outcome"] if row["decides"] else "does not decide",
            "findings_or_reason": _why(row, holders.get((row["gate"], row["origin"]), {})),
        }
        for row in gates.to_dict("records")
    ]
    return pd.DataFrame(rows, columns=["criterion", "required", "measured", "outcome", "findings_or_reason"])


def _why(gate: Mapping, holders: Mapping[str, int]) -> str:
    if gate["outcome"] == FAIL:
        return ", ".join(f"{name} ({n})" if n else name for name, n in holders.items())
    if gate["outcome"] == INCOMPLETE:
        return gate_words(gate)
    return "by design" if gate["by_design"] else ""


def label(gate: Mapping) -> str:
    """`grounded (raters), own questions`: what a gate measures, and on which questions."""
    part = "" if gate["slice"] == scorecard_slices.ALL else slice_name(gate["slice"])
    origin = "" if gate["origin"] == origin_slices.POOLED else level_name("origin", gate["origin"])
    return ", ".join(filter(None, [display_name(gate["metric"]), origin, part]))


def measured_text(gate: Mapping) -> str:
    """`76 % [70, 81], n = 264`; of what is no share its number."""
    if gate["value"] != gate["value"]:
        return gating.NOT_MEASURED
    numbers, percent = (gate["value"], gate["low"], gate["high"]), case_scores.is_share(gate["metric"])
    return f"{interval_text(*numbers, percent=percent, bar=gate['threshold'])}, n = {int(gate['n']):,}"


def required_text(gate: Mapping) -> str:
    """`at least 80 %`: what the unfavourable end of the interval has to reach."""
    return f"at {'least' if gate['bound'] == 'low' else 'most'} {_amount(gate['metric'], gate['threshold'])}"


def finding_cards(register: pd.DataFrame) -> str:
    """The gravest open findings in full, as markdown: condition, criterion, cause, effect, action."""
    interims = {row["subject"]: row["interim"] for row in _template("interims")}
    rows = [row for row in by_severity(register) if row["status"] not in SETTLED]
    shown = [
        {name: "" if is_blank(value) else value for name, value in row.items() if name in FIELDS}
        | {"interim": interims.get(row["subject"], "")}
        | {"question": _cut(row["shown_question"], QUESTION), "answer": _cut(row["shown_answer"], ANSWER)}
        for row in rows[:MOST_CARDS]
    ]
    return filled("findings.md.j2", rows=shown, left=len(rows) - len(shown))


def by_severity(register: pd.DataFrame) -> list[dict[str, Any]]:
    """The findings' rows, open ones first, then the gravest, then by id."""

    def order(row: dict) -> tuple:
        number = row["finding_id"]
        return row.get("status") in SETTLED, SEVERITIES.index(row["severity"]), len(number), number

    return sorted(register.to_dict("records"), key=order)


def conditional_table(found: pd.DataFrame) -> pd.DataFrame:
    """What is a finding only on a condition (`findings.conditional`), in words: finding, cases, n."""
    titles = check_words.with_words(found)["title"] if len(found) else []
    return found[["cases", "n"]].assign(finding=titles)[["finding", "cases", "n"]]


def conditions(rating: str, register: pd.DataFrame) -> dict[str, list[str]]:
    """Before what -> the conditions that then hold, by the rating: text of `conditions.csv`."""
    names = {
        level.lower(): ", ".join(row["finding_id"] for row in _open(register) if row["severity"] == level)
        for level in SEVERITIES
    }
    found: dict[str, list[str]] = {}
    for row in [row for row in _template("conditions") if row["rating"] == rating][:MOST_CONDITIONS]:
        text = row["condition"].format(**{name: those or "none open" for name, those in names.items()})
        found.setdefault(row["before"], []).append(text)
    return found


def rating_box(decision: Mapping) -> str:
    """The rating and its reasons, as markdown."""
    verdict = rating_words(decision["rating"]).get("verdict", "")
    return filled(
        "rating.md.j2", rating=decision["rating"], verdict=verdict, reasons=reason_words(decision["reasons"])
    )


def summary(run: Any) -> str:
    """The summary of an open run whose decision was made, as markdown: verdict, conclusion, principal
    findings, how far to trust the numbers, what is next."""
    record, decision, register = run.engagement, run.load("decision"), run.read("findings")
    rows = gating.worst_rows(run.read("gates")).to_dict("records")
    named = {
        kind: [_missed(row) for row in rows if row["outcome"] == kind][:MOST_NAMED]
        for kind in (FAIL, INCOMPLETE)
    }
    open_ = _open(register)
    counts = Counter(row["severity"] for row in open_)
    standing = independence.read(record, run.load("raters"))
    released = run.read("releases")
    return filled(
        "summary.md.j2",
        rating=decision["rating"],
        verdict=rating_words(decision["rating"]).get("verdict", ""),
        purpose=_cut(record.get("purpose"), 2 * ANSWER),
        unread=record.get("customer_facing") and not record.get("human_in_the_loop"),
        rated=_accepted(run.read("scorecard")),
        kinds=_kinds(run),
        gates=len(rows),
        failed=named[FAIL],
        incomplete=named[INCOMPLETE],
        designed=[display_name(row["metric"]) for row in rows if row["outcome"] == PASS and row["by_design"]],
        counts=", ".join(f"{n} {severity}" for severity, n in counts.items()),
        principal=[row | {"condition": _cut(row["condition"], ANSWER)} for row in open_[:MOST_PRINCIPAL]],
        raters=standing.raters,
        validator=standing.validator,
        from_users=_has_users(run.cases()),
        comparator=run.has("challengers"),
        few=FEW_RATED,
        thin=_thin_languages(run, record),
        release=None if released["alone"].any() else next(iter(released.to_dict("records")), None),
        untested=run.read("not_tested")["what"].tolist(),
        conditions=conditions(decision["rating"], register),
    )


def _open(register: pd.DataFrame) -> list[dict[str, Any]]:
    return [row for row in by_severity(register) if row["status"] == raised.OPEN]


def _missed(gate: Mapping) -> str:
    """`retrieval recall 84 % [78, 88], at least 80 % required`."""
    if gate["outcome"] == INCOMPLETE:
        return f"{label(gate)} ({gate['reason']})"
    percent = case_scores.is_share(gate["metric"])
    measured = interval_text(gate["value"], gate["low"], gate["high"], percent=percent, bar=gate["threshold"])
    return f"{display_name(gate['metric'])} {measured}, required {_amount(gate['metric'], gate['threshold'])}"


def _accepted(card: pd.DataFrame) -> dict[str, Any] | None:
    """Rated answers, how many raters accept in every respect, and the share with its interval."""
    found = card[(card["metric"] == EVERY_RESPECT) & (card["slice"] == scorecard_slices.ALL)]
    if not len(found) or not found.iloc[0]["n"]:
        return None
    row = found.iloc[0]
    share = interval_text(row["value"], row["low"], row["high"], percent=True)
    return {"n": int(row["n"]), "accepted": round(row["value"] * row["n"]), "share": share}


def _kinds(run: Any) -> str:
    """`53 partial, 29 misleading`: what raters call the other answers, the gravest last."""
    if not run.has("taxonomy"):
        return ""
    table = run.read("taxonomy")
    counts = Counter(table.loc[table["judged_by"] != MACHINE, "category"])
    names = {"needless refusal": "needless refusals"}
    names["should have declined"] = "should have been refusals"
    return ", ".join(f"{counts[kind]} {names.get(kind, kind)}" for kind in CATEGORIES[1:-1] if counts[kind])


def _has_users(cases: pd.DataFrame) -> bool:
    return "origin" in cases and bool((cases["origin"] == "log").any())


def _thin_languages(run: Any, record: Mapping) -> list[str]:
    """The languages of the engagement in which fewer than FEW_RATED answers were rated; none where nobody
    rated."""
    labels, cases = run.labels(), run.cases()
    if labels.empty or "language" not in cases:
        return []
    rated = cases[cases["case_id"].isin(labels["case_id"])]["language"].value_counts()
    few = [code for code in record.get("languages") or [] if rated.get(code, 0) < FEW_RATED]
    return [f"{level_name('language', code)} ({rated.get(code, 0)})" for code in few]


def _cut(text: Any, most: int) -> str:
    """A text on one line, cut at a word."""
    flat = "" if is_blank(text) else " ".join(str(text).split())
    return flat if len(flat) <= most else f"{flat[:most].rsplit(' ', 1)[0]} …"


def rating_words(rating: str) -> dict[str, str]:
    """The verdict of a rating, and what is next; empty for what is no rating."""
    return next((row for row in _template("ratings") if row["rating"] == rating), {})


def reason_words(reasons: Sequence[Sequence[str]]) -> list[str]:
    """The reasons of a rating (`rating.rate`), a line each kind with all its names."""
    templates = {row["what"]: row["words"] for row in _template("reasons")}
    named: dict[str, list[str]] = {}
    for what, name in reasons:
        named.setdefault(what, []).append(display_name(name) if name else "")
    return [f"{templates[what].format(name=', '.join(names))}." for what, names in named.items()]


def _key(row: Mapping) -> tuple:
    return row["rule"], row["name"], row["aspect"], row["metric"], row["slice"]


def _words(row: Mapping, topics: Mapping[str, str] | None) -> dict[str, str]:
    """The words of one row of `finding_sources`, without the stop at their end."""
    if row["rule"] == CHECK:
        check = {**row, "check": row["name"], "limit": row["threshold"]}
        words = check_words.with_words(pd.DataFrame([check])).iloc[0]
        found = {name: words.get(name, "").rstrip(".") for name in (*TEMPLATE, "cause")}
        return found | {"closure": _found(row)["closure"]}
    metric = "" if not row["metric"] else display_name(row["metric"], topics)
    is_share = case_scores.is_share(row["metric"]) or row["metric"] == "" or row["value"] < 0
    share = interval_text(abs(row["value"]), *_bounds(row), percent=is_share)
    slices = row["slice"] if row["slice"] not in ("", "all") else ""
    named = label({**row, "origin": row["aspect"]}) if row["rule"] == GATE else metric
    fields = {
        **row,
        "named": _capital(named),
        "criterion": named,
        "metric": _capital(metric),
        "share": share,
        "threshold": _amount(row["metric"], row["threshold"]),
        "required": required_text(row),
        "end": "lower" if row["bound"] == "low" else "upper",
        "slice": slice_name(slices, topics) if slices else "",
    }
    template = _found(row)
    return {name: template[name].format_map(fields) for name in TEMPLATE}


def _bounds(row: Mapping) -> tuple[float, float]:
    return (-row["high"], -row["low"]) if row["value"] < 0 else (row["low"], row["high"])


def _found(row: Mapping) -> dict[str, str]:
    """The template of a gate, an error, a slice or a flaw of the process."""
    kind = row["outcome"] if row["rule"] == GATE else "" if row["rule"] == SLICE else row["aspect"]
    return next(
        each
        for each in _template("findings")
        if each["rule"] == row["rule"] and _fits(each["name"], row["name"]) and _fits(each["aspect"], kind)
    )


def _fits(pattern: str, text: str) -> bool:
    return fnmatchcase(text, pattern)


def _amount(metric: str, number: float) -> str:
    if number != number:
        return ""
    return f"{100 * number:g} %" if metric == "" or case_scores.is_share(metric) else f"{number:g}"


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


@cache
def _template(name: str) -> tuple[dict[str, str], ...]:
    path = resources.files("ragassay.report").joinpath("templates", "words", f"{name}.csv")
    return tuple(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
