"""The words of gates, findings, reasons and ratings: made here, once, from typed rows and the templates of
`templates/words/`."""

import csv
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources

import pandas as pd

from ragassay.analysis import case_scores
from ragassay.decision import gates as gating
from ragassay.decision.findings import CHECK, GATE, SLICE
from ragassay.decision.gates import INCOMPLETE
from ragassay.report import check_words
from ragassay.scores.display_names import display_name, level_name, slice_name
from ragassay.stats import interval_text, percent_text
from ragassay.tables import is_blank

WORDS = ("title", "condition", "further", "criterion", "effect", "recommendation", "closure")
TEMPLATE = ("title", "statement", "criterion", "effect", "action", "closure")
MOST_TESTS = 4  # further tests that a condition names


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


def gate_table(gates: pd.DataFrame) -> pd.DataFrame:
    """The gates as a page shows them: gate, critical, required, measured, outcome, why."""
    rows = [
        {
            "gate": gating.label(row),
            "critical": "yes" if row["critical"] else "no",
            "required": gating.required_text(row),
            "measured": gating.measured_text(row),
            "outcome": row["outcome"] if row["decides"] else "does not decide",
            "why": _why(row),
        }
        for row in gates.to_dict("records")
    ]
    return pd.DataFrame(rows, columns=["gate", "critical", "required", "measured", "outcome", "why"])


def _why(gate: Mapping) -> str:
    """Why a gate is incomplete, that only its bound misses, or that it passes by design; empty for others."""
    if gate["outcome"] == INCOMPLETE or gate["missed"] == gating.BOUND:
        return gate_words(gate)
    return "by design" if gate["by_design"] else ""


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
    fields = {
        **row,
        "metric": _capital(metric),
        "share": share,
        "threshold": _amount(row["metric"], row["threshold"]),
        "slice": slice_name(slices, topics) if slices else "",
        "origin": level_name("origin", row["aspect"]) if row["rule"] == GATE else "",
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
