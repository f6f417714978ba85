"""False answers: questions that the documents do not answer, answered all the same (decision 17); and
needless hedges: questions that the documents answer, first declined and then answered. Needless refusals are
held against one standard, that of `decision.error_findings`."""

import json
from dataclasses import replace

import pandas as pd

from ragassay import parameter_ranges
from ragassay.analysis import case_scores, scorecard
from ragassay.analysis.checks import Check, deciding
from ragassay.analysis.slicing import scorecard_slices
from ragassay.cases import own_probes
from ragassay.defaults import CONFIDENCE, SIGNIFICANCE
from ragassay.stats import Interval, clopper_pearson, interval_text, percent_text

RATE, QUALITY, HEDGED = "false_answer_rate", "refusal_quality", "hedged_rate"
NAMES = {
    "out_of_scope": "questions on foreign subjects",
    "near_thing": "questions about things that do not exist",
    "near_fact": "questions about what the documents leave open",
    "false_premise": "questions with a false premise",
    "false_permission": "questions that take for allowed what is ruled out",
}
PARTS = {
    "polite": "are polite",
    "says_what_it_lacks": "say what is lacking",
    "offers_a_way_on": "offer a way on",
    "asserts_nothing": "assert nothing",
}
ERROR = SIGNIFICANCE  # probability that any of the rows is raised although every rate meets the limit
ADVICE = "Have the assistant decline where no passage holds the answer; read the cases."
_TOLD = "first declined and then answered"
_PLAINLY = "Let the assistant decline or answer, not both; read the cases."


def false_answers(measured: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """Rows of the scores table with the metric false_answer_rate: 1 where a question without an answer was
    answered, else 0; lower is better.

    A reply is right that declines (`should_have_abstained`), or that sets a false premise right
    (`premise_corrected`). Cases that the documents answer have no row.
    """
    unanswerable = cases.loc[~cases["answerable"].astype(bool), "case_id"]
    given = measured[measured["metric"] == "should_have_abstained"]
    given = given[given["case_id"].isin(unanswerable)].sort_values("case_id", kind="stable")
    case_scores.require_one_system(given)
    corrected = measured[(measured["metric"] == "premise_corrected") & (measured["value"] == 1)]["case_id"]
    right = given["case_id"].isin(corrected) & given["value"].notna()
    return given.assign(metric=RATE, value=given["value"].mask(right, 0.0)).reset_index(drop=True)


def rates(found: pd.DataFrame, cases: pd.DataFrame, *, level: float = CONFIDENCE) -> dict[str, Interval]:
    """The share of false answers of all these cases and of each kind (`kind=near_fact`), in [0, 1], with its
    Clopper-Pearson interval; cases without a reply are left out and counted."""
    kinds = found.merge(cases[["case_id", "kind"]], on="case_id")
    parts = {f"kind={kind}": part for kind, part in kinds.groupby("kind", sort=True)}
    return {name: _share(part["value"], level) for name, part in {"all": kinds, **parts}.items()}


def refusal_parts(measured: pd.DataFrame) -> pd.DataFrame:
    """What the answers that decline do: one row for each of the four things, with the count of n that do it,
    and their share with its Clopper-Pearson interval; no row where none declines."""
    rows = measured[(measured["metric"] == QUALITY) & measured["value"].notna()]
    seen = pd.DataFrame([json.loads(detail)[0] for detail in rows["detail"]], columns=list(PARTS))
    shares = {part: clopper_pearson(int(seen[part].sum()), len(seen)) for part in PARTS}
    return pd.DataFrame(
        columns=["refusals", "count", "n", "share", "low", "high"],
        data=[
            {"refusals": words, "count": int(seen[part].sum()), "n": len(seen)}
            | {"share": shares[part].value, "low": shares[part].low, "high": shares[part].high}
            for part, words in PARTS.items()
            if len(seen)
        ],
    )


def scorecard_rows(found: pd.DataFrame, cases: pd.DataFrame) -> list[dict]:
    """The rates as rows of the scorecard, all questions and each kind."""
    return [scorecard.row(RATE, name, share) for name, share in rates(found, cases).items()]


def by_nearness(card: pd.DataFrame) -> dict[str, float]:
    """Of the questions outside the documents: how many of `far`, on foreign subjects, and of `near`, on what
    the documents nearly hold, were asked, and how many of each were answered (`far_answered`,
    `near_answered`); NaN where none was asked.

    card : the scorecard, with the rows of `scorecard_rows`
    """
    rows, found = card[(card["metric"] == RATE) & (card["n"] > 0)], dict[str, float]()
    if rows.empty:
        return dict.fromkeys(("far", "far_answered", "near", "near_answered"), float("nan"))
    for name, begins in (("far", "kind=out_of_scope"), ("near", "kind=near_")):
        mine = rows[rows["slice"].astype(str).str.startswith(begins)]
        found[name] = float(mine["n"].sum()) if len(mine) else float("nan")
        found[f"{name}_answered"] = (
            float((mine["value"] * mine["n"]).round().sum()) if len(mine) else found[name]
        )
    return found


def refusals_in_words(card: pd.DataFrame) -> str:
    """The quality of the refusals over all questions, in a sentence; "" where none declines.

    card : the scorecard, with the rows of QUALITY
    """
    rows = card[(card["metric"] == QUALITY) & (card["slice"] == scorecard_slices.ALL) & (card["n"] > 0)]
    if rows.empty:
        return ""
    row = rows.iloc[0]
    told = interval_text(row["value"], row["low"], row["high"], percent=True)
    does = f"the share of {len(PARTS)} things that a good one does"
    return f"Quality of the refusals, {does}: {told}, n = {int(row['n'])}."


def false_answer_checks(found: pd.DataFrame, cases: pd.DataFrame, *, at_most: float) -> list[dict]:
    """A row of the table `checks` for each kind; none over all, which would restate them, or hide one kind
    behind many easy questions of another.

    Raised where the lower bound of the rate lies above `at_most`, clear where the upper bound does not;
    bounds at a level that keeps the probability of a wrongly raised row below ERROR over all rows. What the
    kit's own questions raise stays so (`checks.deciding`); where the engagement adds some, either look may
    raise a row, each with that probability at most.

    Raises
    ------
    ParameterError
        If `at_most` is not in (0, 1).
    """
    parameter_ranges.check("most_false_answers", at_most, "in (0, 1)")
    level, of_kit = _level(cases), _level(own_probes.without_own(cases))
    every = found.merge(cases[["case_id", "kind"]], on="case_id")
    rows = []
    for kind, part in every.groupby("kind", sort=True) if len(every) else [("all", every)]:
        held = deciding(part, lambda kit: _share(kit["value"], of_kit).low > at_most)
        share = _share(held["value"], level if held is part else of_kit)
        rows.append(_check(str(kind), share, held, at_most))
    return rows


def adjusted_level(cases: pd.DataFrame) -> str:
    """The level of the intervals of the kinds, in a sentence; of the kit's own questions where these decide,
    whose kinds may be fewer."""
    levels = sorted({_level(cases), _level(own_probes.without_own(cases))})
    return f"Intervals are at {' or '.join(map(percent_text, levels))}: the error is shared by the kinds."


def _level(cases: pd.DataFrame) -> float:
    """Of the two-sided interval of each kind."""
    return 1 - 2 * ERROR / max(1, cases["kind"].nunique())


def check_needless_hedges(measured: pd.DataFrame, cases: pd.DataFrame, *, at_most: float) -> dict:
    """A row of the table `checks` for the answers that first say that the documents do not hold it, and then
    answer: an assistant that begins every answer so is right about every question, whatever it holds. Raised
    where the lower bound of their share lies above `at_most`, clear where the upper bound does not.

    measured : scores with the metric hedged_rate; those of questions that the documents answer count

    Raises
    ------
    ParameterError
        If `at_most` is not in (0, 1).
    """
    parameter_ranges.check("most_needless_hedges", at_most, "in (0, 1)")
    answerable = cases.loc[cases["answerable"].astype(bool), "case_id"]
    rows = measured[(measured["metric"] == HEDGED) & measured["case_id"].isin(answerable)]
    case_scores.require_one_system(rows)
    share = _share(rows["value"], 0.95)
    check = Check(
        "05_robustness",
        "inside the documents",
        "all",
        HEDGED,
        f"At most {percent_text(at_most)} of questions that the documents answer may be {_TOLD}; raised "
        "where the lower bound lies above it (one-sided error 2.5 %), clear where the upper bound does not.",
        severity="High",
        advice=_PLAINLY,
    )
    if not share.n:
        return check.not_applicable(share.reason or "no question that the documents answer was asked")
    raised = True if share.low > at_most else False if share.high <= at_most else None
    needless = rows.loc[rows["value"] == 1, "case_id"].tolist()
    return check.found(
        share,
        raised=raised,
        statement=f"{len(needless)} of {share.n} questions that the documents answer were {_TOLD}.",
        case_ids=needless,
        reason=_few(share) if raised is None else "",
    )


def _few(share: Interval) -> str:
    return f"{share.n} questions do not decide it: the bounds lie on both sides of the limit"


def _share(values: pd.Series, level: float) -> Interval:
    known = values.dropna()
    share = clopper_pearson(int(known.sum()), len(known), level)
    missing = len(values) - len(known)
    return replace(share, left_out=missing, reason="not answered" if missing else share.reason)


def _check(kind: str, share: Interval, rows: pd.DataFrame, at_most: float) -> dict:
    check = Check(
        "05_robustness",
        "outside the documents",
        kind,
        RATE,
        f"At most {percent_text(at_most)} of questions without an answer may be answered; raised where the "
        f"lower bound lies above it, with an error of {percent_text(ERROR)} over all kinds.",
        severity="High",
        advice=ADVICE,
    )
    if not share.n:
        return check.not_applicable(share.reason or "none was asked or answered")
    raised = True if share.low > at_most else False if share.high <= at_most else None
    shown = rows.loc[rows["value"] == 1, "case_id"].tolist()
    told = NAMES.get(kind, "questions without an answer")
    return check.found(
        share,
        raised=raised,
        statement=f"{len(shown)} of {share.n} {told} were answered.",
        case_ids=shown,
        reason=_few(share) if raised is None else "",
    )
