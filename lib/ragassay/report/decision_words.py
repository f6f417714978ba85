"""The words of checks, gates, findings, reasons and ratings: made here, once, from typed rows and the
templates of `templates/words/`."""

import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache, partial
from pathlib import Path
from textwrap import shorten
from typing import Any

import pandas as pd

from ragassay.analysis import case_scores, origin_slices, safety
from ragassay.analysis.case_scores import is_share
from ragassay.analysis.checks import BOTH, NOT_APPLICABLE
from ragassay.analysis.error_taxonomy import MACHINE
from ragassay.cases.attack_probes import PROHIBITED
from ragassay.decision import findings as raised
from ragassay.decision import gates as gating
from ragassay.decision import independence, rating
from ragassay.decision.earlier_findings import SETTLED
from ragassay.decision.findings import CHECK, GATE, LEFT, SLICE
from ragassay.decision.gates import FAIL, INCOMPLETE, PASS, rated_by_people
from ragassay.sanitized_text import clean
from ragassay.scores.display_names import EVERY_RESPECT, display_name, level_name, slice_name
from ragassay.stats import interval_text, number_text, percent_text
from ragassay.tables import CATEGORIES, SEVERITIES, is_blank, is_missing

ANY = "*"
KEY = ("rule", "name", "aspect", "metric", "slice")  # of a row that a finding rests on
CHECK_WORDS = ("title", "statement", "criterion", "cause", "effect", "action")
SHARES = ("answered", "declined")  # compared between groups, and no metrics
NOTHING = "–"
MOST_TESTS, MOST_NAMED = 3, 5  # tests that a condition names, criteria
MOST_PRINCIPAL, MOST_CARDS = 3, 10  # findings of the summary, and printed in full
NONE_SEEN = 0.05  # upper bound that closes what must not be seen
MANY_ACCEPTED = 6  # answers that raters accept and a critical gate fails, from which on the table says so
FEW_RATED = 30  # answers of a language, below which the summary names it
QUESTION, ANSWER, SHORT = 160, 220, 42  # characters of what a finding, and the summary, quote
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$<>&])")


def with_check_words(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the table `checks` with title, statement, criterion, cause, effect and action."""
    words = pd.DataFrame(map(_check_words, rows.to_dict("records")), rows.index, CHECK_WORDS)
    return rows.assign(**words)


def _check_words(row: Mapping[str, Any]) -> dict[str, str]:
    """CHECK_WORDS of one row: shares in whole per cent, differences in points or units."""
    known = {(each["check"], each["aspect"]): each for each in read_rows("templates/words/checks")}
    own = known.get((row["check"], row["aspect"])) or known[row["check"], ANY]
    write_share = partial(percent_text, decimals=int(0 < abs(row["value"]) < 0.01))
    is_difference = row["bound"] == BOTH or row["limit"] < 0
    write = partial(_difference, row["metric"]) if is_difference else write_share
    value, low, high = (
        NOTHING if is_missing(row[name]) else write(row[name]) for name in ("value", "low", "high")
    )
    fields = {
        **{name: "" if is_missing(text) else str(text) for name, text in row.items()},
        **{"value": value, "low": low.split()[0], "high": high.split()[0]},
        "limit": write(abs(row["limit"])).removeprefix("+"),
        "aspect": level_name("kind", row["aspect"].removeprefix(PROHIBITED)).replace("_", " "),
        "metric": display_name(row["metric"]),
        "n": f"{row['n']:,}",
        "cases": NOTHING if is_missing(row["cases"]) else f"{row['cases']:,.0f}",
    }
    words = {name: _capital(own[name].format(**fields)) for name in CHECK_WORDS}
    if row["limit"] == 0:
        words["criterion"] = known[ANY, "none"]["criterion"]
    if row["outcome"] == NOT_APPLICABLE:
        words["statement"] = known[ANY, ANY]["statement"]
    return words


def _difference(metric: str, value: float) -> str:
    if is_share(metric) or metric in SHARES:
        return f"{number_text(100 * value, 0, signed=True)} points"
    return number_text(value, 2, signed=True)


def with_words(
    findings: pd.DataFrame, sources: pd.DataFrame, topics: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """The table `findings` with its words: title, condition, further tests that show it, criterion, effect,
    cause, recommendation and closure.

    Example: `with_words(register, sources, run.topics())[["finding_id", "title", "condition"]]`
    """
    rows, causes = [], {each["cause"]: each for each in read_rows("templates/words/causes")}
    subjects = dict(zip(findings["subject"], findings["finding_id"], strict=True))
    holders = raised.gate_holders(sources)
    for row in findings.to_dict("records"):
        own = sources[sources["finding_id"] == row["finding_id"]].to_dict("records")
        own.sort(key=lambda each: any(each[name] != row[name] for name in KEY))
        ranked = sorted(Counter(row["causes"]).items(), key=lambda one: (-one[1], one[0]))
        among = len(own[0]["case_ids"])
        blamed = causes[next((name for name, n in ranked if n > among / 2), "several")]
        counted = _capital(", ".join(f"{name} ({n})" for name, n in ranked))
        often = dict.fromkeys(causes[name]["action"] for name, n in ranked[:3] if 5 * n >= among)
        remedy = ". ".join(often) if blamed["cause"] == "several" and often else blamed["action"]
        known = {"remedy": remedy, "subjects": subjects}
        known["also"] = "".join(  # other gates of raters, a tenth or more of whose failures it holds
            f"; {n} of {sum(held.values())} that fail {display_name(gate)} are among these"
            for (gate, _), held in holders.items()
            if rated_by_people(gate) and gate != own[0]["name"]
            if (n := held.get(row["finding_id"], 0)) >= LEFT * sum(held.values()) > 0
        )
        spoken = (each for each in own if each is own[0] or not each["carried"])
        first, *others = (_words(each | known, topics) for each in spoken)
        said = {
            "condition": first["statement"],
            "recommendation": first["action"],
            "further": ". ".join(each["statement"] for each in others[:MOST_TESTS]),
            **{name: first[name] for name in ("criterion", "effect", "closure", "cause")},
        }
        row |= {name: f"{text}." if text else "" for name, text in said.items()}
        most = ranked[0][1] if ranked else 0
        rest = "".join(f"; {name}: {n}" for name, n in ranked[1:3] if 5 * n >= among)
        known |= {"causes": counted, "most": f", in {most} of {among} cases{rest}" * (most < among)}
        blame = blamed["words"].format_map(known) if ranked else ""
        rows.append(row | {"title": first["title"], "cause": f"{blame} {row['cause']}".strip()})
    return pd.DataFrame(rows, columns=findings.columns)


def _words(row: Mapping, topics: Mapping[str, str] | None) -> dict[str, str]:
    """The words of one row of `finding_sources` (CHECK_WORDS, closure), without the stop at their end."""
    kind = row["outcome"] if row["rule"] == GATE else "" if row["rule"] == SLICE else row["aspect"]
    template = next(
        each
        for each in read_rows("templates/words/findings")
        if each["rule"] == row["rule"]
        and fnmatchcase(row["name"], each["name"])
        and fnmatchcase(kind, each["aspect"])
    )
    # as many new questions as were asked, and as the bound takes where none fails
    fewest = gating.fewest_cases("low" if row["bound"] == "low" else "high", row["threshold"] or NONE_SEEN)
    needed = max(row["n"], 0 if row["bound"] == BOTH else fewest)
    if row["rule"] == CHECK:
        words = _check_words({**row, "check": row["name"], "limit": row["threshold"]})
        closure = template["closure"].format(needed=needed)
        return {name: text.rstrip(".") for name, text in words.items()} | {"closure": closure}
    is_negative = row["value"] < 0
    bounds = (-row["high"], -row["low"]) if is_negative else (row["low"], row["high"])
    percent = is_share(row["metric"]) or row["metric"] == "" or is_negative
    metric = display_name(row["metric"], topics) if row["metric"] else ""
    gate = {**row, "origin": row["aspect"]}
    fields = {
        **row,
        "needed": needed,
        "other": row["subjects"].get(template["rival"]),
        "named": _capital(label(gate) if row["rule"] == GATE else metric),
        "criterion": label(gate) if row["rule"] == GATE else metric,
        "metric": _capital(metric),
        "share": interval_text(abs(row["value"]), *bounds, percent=percent),
        "threshold": _amount(row["metric"], row["threshold"]),
        "required": required_text(row),
        "end": "lower" if row["bound"] == "low" else "upper",
        "slice": slice_name(row["slice"], topics) if row["slice"] not in ("", "all") else "",
    }
    template = template | ({"action": template["with_rival"]} if fields["other"] else {})
    filled_by_row = ("title", "statement", "criterion", "effect", "action", "closure")
    return {name: template[name].format_map(fields) for name in filled_by_row} | {"cause": ""}


def _amount(metric: str, number: float) -> str:
    if number != number:
        return ""
    return f"{100 * number:g} %" if metric == "" or is_share(metric) else f"{number:g}"


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def gate_words(gate: Mapping) -> str:
    """What a gate asks for and what was measured: `low 70 %, at least 80 % required`, or why it is
    incomplete."""
    if gate["outcome"] == INCOMPLETE:
        needed = f", {gate['needed']} needed" if gate.get("needed") else ""
        return f"{gate['reason']}: n = {gate['n']}{needed}"
    bound = float(gate[gate["bound"]])
    number = percent_text(bound, 1, gate["threshold"]) if is_share(gate["metric"]) else f"{bound:.3g}"
    return f"{gate['bound']} {number}, {required_text(gate)} required"


def gate_table(gates: pd.DataFrame, sources: pd.DataFrame) -> pd.DataFrame:
    """The gates as a page shows them: criterion, required, measured, outcome, and why: what is missing, that
    it passes by design, or which findings hold how many of its failing answers; and of a critical one that
    no rater was compared with its score, or how many answers fail it that raters accept.

    sources : the table `finding_sources`

    Example: `gate_table(gates.worst_rows(run.read("gates")), run.read("finding_sources"))`
    """
    holders, rows = raised.gate_holders(sources), []
    for row in gates.to_dict("records"):
        why = "by design" if row["by_design"] else ""
        if row["outcome"] == FAIL:
            held = holders.get((row["gate"], row["origin"]), {})
            why = ", ".join(f"{name or 'no finding'} ({n})" if n else name for name, n in held.items())
        elif row["outcome"] == INCOMPLETE:
            why = gate_words(row)
        accepted = row.get("accepted_that_fail", 0) * row["critical"]
        doubts = ["compared with no rater"] * row.get("unrated", False)
        doubts += [f"{accepted} failing answers accepted by raters"] * (accepted >= MANY_ACCEPTED)
        why = "; ".join(filter(None, [why, *doubts]))
        criterion = label(row) + (" (critical)" if row["critical"] else "")
        outcome = row["outcome"] if row["decides"] else "does not decide"
        is_measured = row["value"] == row["value"]
        measured = f"{_interval(row)}, n = {row['n']:,.0f}" if is_measured else gating.NOT_MEASURED
        rows.append((criterion, required_text(row), measured, outcome, why))
    return pd.DataFrame(rows, columns=["criterion", "required", "measured", "outcome", "findings_or_reason"])


def label(gate: Mapping) -> str:
    """`grounded (raters), own questions`: what a gate measures on which questions.

    >>> label({"metric": "judged_grounded", "slice": "all", "origin": "own"})
    'grounded (raters), own questions'
    """
    part = "" if gate["slice"] == case_scores.ALL else slice_name(gate["slice"])
    origin = "" if gate["origin"] == origin_slices.POOLED else level_name("origin", gate["origin"])
    return ", ".join(filter(None, [display_name(gate["metric"]), origin, part]))


def _interval(gate: Mapping) -> str:
    percent = is_share(gate["metric"])
    return interval_text(gate["value"], gate["low"], gate["high"], percent=percent, bar=gate["threshold"])


def required_text(gate: Mapping) -> str:
    """`at least 80 %`: what the unfavourable end of the interval has to reach.

    >>> required_text({"metric": "judged_grounded", "bound": "low", "threshold": 0.8})
    'at least 80 %'
    """
    return f"at {'least' if gate['bound'] == 'low' else 'most'} {_amount(gate['metric'], gate['threshold'])}"


def by_severity(register: pd.DataFrame) -> list[dict[str, Any]]:
    """The findings' rows, open ones first, then the gravest, then by id."""
    rows = sorted(register.to_dict("records"), key=lambda row: (len(row["finding_id"]), row["finding_id"]))
    return sorted(rows, key=lambda row: (row.get("status") in SETTLED, SEVERITIES.index(row["severity"])))


def finding_cards(register: pd.DataFrame) -> str:
    """Open findings as markdown: Critical and High ones, three at least and ten at most, with condition,
    criterion, cause, effect and action; the others shortened.

    Example: `Markdown(finding_cards(run.read("findings")))`
    """
    interims = {row["subject"]: row["interim"] for row in read_rows("templates/words/interims")}
    rows = [row for row in by_severity(register) if row["status"] not in SETTLED]
    n_grave = sum(row["severity"] in SEVERITIES[:2] for row in rows)
    n = min(max(n_grave, MOST_PRINCIPAL), MOST_CARDS)
    shown = [
        {name: "" if is_blank(value) else value for name, value in row.items()}
        | {"interim": interims.get(row["subject"], "")}
        | {"question": _cut(row["shown_question"], QUESTION), "answer": _cut(row["shown_answer"], ANSWER)}
        for row in rows[:n]
    ]
    return fill_template("findings.md.j2", rows=shown, left=rows[n:])


def conditional_table(found: pd.DataFrame) -> pd.DataFrame:
    """What is a finding only on a condition (`findings.conditional`), in words: finding, cases, n, action.

    Example: `conditional_table(findings.conditional(run.read("checks"), run.engagement))`
    """
    return with_check_words(found).rename(columns={"title": "finding"})[["finding", "cases", "n", "action"]]


def conditions(rating: str) -> dict[str, list[str]]:
    """Before what -> the conditions that then hold, by the rating: text of `conditions.csv`."""
    rows = [row for row in read_rows("templates/words/conditions") if row["rating"] == rating]
    return {
        each["before"]: [row["condition"] for row in rows if row["before"] == each["before"]] for each in rows
    }


def rating_words(rating: str) -> dict[str, str]:
    """The verdict of a rating, and what is next; empty for what is no rating."""
    return next((row for row in read_rows("templates/words/verdicts") if row["rating"] == rating), {})


def reason_words(reasons: Sequence[Sequence[str]]) -> list[str]:
    """The reasons of a rating (`rating.rate`), a line each kind with all its names."""
    named = {why: [display_name(one) for kind, one in reasons if kind == why and one] for why, _ in reasons}
    return [
        f"{rating.RULES.words[why]}{': ' if names else ''}{', '.join(names)}." for why, names in named.items()
    ]


def rating_box(decision: Mapping) -> str:
    """The rating and its reasons, as markdown.

    Example: `Markdown(rating_box(run.load("decision")))`
    """
    found = rating_words(decision["rating"]) | {"reasons": reason_words(decision["reasons"])}
    return fill_template("rating.md.j2", **found)


def summary(run: Any) -> str:
    """The summary of an open run whose decision was made, as markdown: verdict, conclusion, principal
    findings, how far to trust the numbers, what is next.

    Example: `Markdown(summary(run))`
    """
    record, decision, register = run.engagement, run.load("decision"), run.read("findings")
    rows = gating.worst_rows(run.read("gates")).to_dict("records")
    incomplete = [f"{label(row)} ({row['reason']})" for row in rows if row["outcome"] == INCOMPLETE]
    open_ = [row for row in by_severity(register) if row["status"] == raised.OPEN]
    failed = [
        (display_name(row["metric"]), _interval(row), _amount(row["metric"], row["threshold"]))
        for row in rows
        if row["outcome"] == FAIL
    ]
    untested = run.read("not_tested")
    soonest = min((row["due"] for row in open_), default=None)
    counts = Counter(row["severity"] for row in open_)
    standing = independence.read(record, run.load("raters"))
    released, cases, rated = run.read("releases"), run.cases(), None
    card = run.read("scorecard")
    accepted = card[(card["metric"] == EVERY_RESPECT) & (card["slice"] == case_scores.ALL) & (card["n"] > 0)]
    for row in accepted.to_dict("records"):  # one, where anything was rated
        share = interval_text(row["value"], row["low"], row["high"], percent=True)
        rated = {"n": int(row["n"]), "accepted": round(row["value"] * row["n"]), "share": share}
    labels = run.labels()
    of_rated = cases[cases["case_id"].isin(labels["case_id"])].reindex(columns=["language"])
    n_of = of_rated["language"].value_counts()  # rated answers by language; empty where nobody rated
    few = [code for code in record.get("languages") or [] if n_of.get(code, 0) < FEW_RATED and len(n_of)]
    thin = [f"{level_name('language', code)} ({n_of.get(code, 0)})" for code in few]
    kinds = Counter[str]()  # what raters call the other answers
    if run.has("taxonomy"):
        answers = run.read("taxonomy")
        kinds.update(answers.loc[answers["judged_by"] != MACHINE, "category"])
    names = {"needless refusal": "needless refusals", "should have declined": "should have been refusals"}
    return fill_template(
        "summary.md.j2",
        rating=decision["rating"],
        verdict=rating_words(decision["rating"]).get("verdict", ""),
        purpose=_cut(record.get("purpose"), 2 * ANSWER),
        unread=record.get("customer_facing") and not record.get("human_in_the_loop"),
        rated=rated,
        kinds=", ".join(f"{kinds[kind]} {names.get(kind, kind)}" for kind in CATEGORIES[1:] if kinds[kind]),
        gates=len(rows),
        failed=failed,
        critical=sum(row["outcome"] == FAIL and row["critical"] for row in rows),
        incomplete=incomplete,
        most=MOST_NAMED,
        designed=[display_name(row["metric"]) for row in rows if row["outcome"] == PASS and row["by_design"]],
        counts=", ".join(f"{n} {severity}" for severity, n in counts.items()),
        set_aside=[*conditional_table(raised.conditional(run.read("checks"), record))["finding"]],
        principal=[
            row
            | {"condition": _cut(row["condition"], ANSWER), "question": _cut(row["shown_question"], QUESTION)}
            | {"answer": _cut(row["shown_answer"], SHORT)}
            for row in open_[:MOST_PRINCIPAL]
        ],
        first=[row for row in open_ if row["due"] == soonest],
        then=[row for row in open_ if row["severity"] == SEVERITIES[0] and row["due"] != soonest],
        raters=standing.raters,
        validator=standing.validator,
        few=FEW_RATED,
        thin=thin,
        release=None if released["alone"].any() else next(iter(released.to_dict("records")), None),
        untested=untested["what"].tolist(),
        undecided=int(untested["why"].isin(safety.UNDECIDED).sum()),
        conditions=conditions(decision["rating"]),
    )


def _cut(text: Any, most: int) -> str:
    """A text on one line, cut at a word."""
    return "" if is_blank(text) else shorten(str(text), most, placeholder=" …")


def fill_template(name: str, **values: Any) -> str:
    """The template `words/NAME` with the values in its places, shown letter for letter, as markdown."""
    return _templates().get_template(name).render(values).strip()


def literal(value: Any) -> str:
    """Text of the data as markdown that shows it letter for letter, on one line."""
    return _MARKUP.sub(r"\\\1", " ".join(clean(str(value), 0).split()))


@cache
def _templates() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("ragassay.report", "templates/words")
    return Environment(
        loader=loader, finalize=literal, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


@cache
def read_rows(name: str) -> tuple[dict[str, str], ...]:
    """The rows of a CSV file of the report's folder: `methods`, `templates/words/findings`."""
    with (Path(__file__).parent / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))
