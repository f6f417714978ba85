"""The scorecard: one number per metric and slice, with its interval, its n, and what was left out and why.
How long the answers are, how long they take and what they cost, held against budgets (Lesson 8 and 12). Is it
better than another? The system against each other system of the log, on the same questions (decision 26).
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ragassay import parameter_ranges
from ragassay.analysis import case_scores
from ragassay.analysis.case_scores import ALL, LEFT_OUT, SYSTEM, cluster_ids
from ragassay.defaults import CONFIDENCE, SIGNIFICANCE
from ragassay.errors import TableError
from ragassay.scores.families.form import count_words
from ragassay.scores.metric import Budgets
from ragassay.scores.metric_registry import METRICS
from ragassay.scores.prepared_answer import samples
from ragassay.stats import (
    Interval,
    benjamini_hochberg,
    bootstrap,
    mean_interval,
    not_available,
    paired_bootstrap,
    paired_permutation,
    random_base,
    random_stream,
)
from ragassay.tables import COMPARED, filled, is_blank

COLUMNS = ["metric", "slice", "value", "low", "high", "n", "left_out", "reason", "method", "saturated"]
_ALL_COLUMNS = [*COLUMNS, "state", *(f"n_{name}" for name in LEFT_OUT)]
MOST_ALIKE = 0.95  # share of the scored answers above which one value is nearly all of them
FEWEST = 20  # fewer alike are no rarity: a metric that gives one value to 4 of 5 answers does so in 1.2 %
QUANTITIES = ("words", "latency_s", "tokens", "cost")
WITHIN, OVER, OPEN, NO_BUDGET, UNKNOWN = "within", "over", "not shown", "no budget", "not given"
BETTER, WORSE, ALIKE, EQUAL, NONE = COMPARED
SAME = 1e-9


def row(
    metric: str, slice: str, interval: Interval, states: pd.Series | None = None, saturated: str = ""
) -> dict:
    """One row of the scorecard: the interval; `saturated`, that nearly all answers have one value, and which;
    `state` (scored, not_applicable to any case, not_measured); of `states`, how many cases each left out."""
    counted = {} if states is None else {f"n_{name}": int(states.get(name, 0)) for name in LEFT_OUT}
    only_not_applicable = 0 < counted.get("n_not_applicable", 0) == sum(counted.values())
    without = "not_applicable" if only_not_applicable else "not_measured"
    return {
        "metric": metric,
        "slice": slice,
        **asdict(interval),
        "saturated": saturated,
        "state": without if np.isnan(interval.value) else "scored",
        **counted,
    }


def summarize_scores(
    scores: pd.DataFrame, *, rng: np.random.Generator | int, clusters: pd.Series | None = None
) -> pd.DataFrame:
    """One row per metric over all its cases (slice `all`), metrics sorted; the mean in the metric's own
    units.

    `clusters`: by case_id, as `case_clusters(cases)` gives; None takes every case as drawn independently.
        Pass the base cases only: variants of a question are no further evidence on the questions users ask.

    Raises TableError if a column is missing, or the scores are of several systems.

    >>> scores = pd.DataFrame({"case_id": range(4), "metric": "support", "value": [0.2, 0.4, 0.6, 0.8]})
    >>> summarize_scores(scores, rng=0)[["metric", "slice", "value", "n"]].to_numpy().tolist()
    [['support', 'all', 0.5, 4]]
    """
    case_scores.require_columns(scores, case_scores.NEEDED, where="table scores")
    case_scores.require_one_system(scores)
    base, rows = random_base(rng), []
    for metric in sorted(scores["metric"].unique()):
        part = case_scores.metric_scores(scores, metric)
        drawn = part["case_id"] if clusters is None else part["case_id"].map(clusters)
        rows.append(_summarize(part.assign(cluster=drawn), metric, ALL, random_stream(base, metric, ALL)))
    return pd.DataFrame(rows, columns=_ALL_COLUMNS)


def summarize_slices(
    scores: pd.DataFrame,
    cases: pd.DataFrame,
    asked: Iterable[tuple[str, str]],
    *,
    rng: np.random.Generator | int,
) -> pd.DataFrame:
    """One row per metric and slice asked for, such as ("groundedness", "topic=T01"); a metric without scores
    has none. A slice that the cases do not have has no value: `reason` says what is unknown."""
    base, rows, parts = random_base(rng), [], {}
    described = cases.assign(**{SYSTEM: next(iter(scores["system"]), "")})
    measured = set(scores["metric"])
    for metric, name in asked:
        if metric not in measured:
            continue
        if absent := case_scores.why_absent(name, described):
            rows.append(row(metric, name, not_available(absent)))
            continue
        if metric not in parts:
            parts[metric] = case_scores.scores_with_cases(scores, cases, metric)
        mine = parts[metric][case_scores.in_slice(parts[metric], name)]
        rng = case_scores.slice_stream(base, metric, name)
        rows.append(_summarize(mine, metric, name, rng))
    return pd.DataFrame(rows, columns=_ALL_COLUMNS)


def events(scores: pd.DataFrame, metric: str, *, name: str, at_least: float) -> pd.DataFrame:
    """Rows of the scores table with the metric `name`: 1 where the score is at least the limit, else 0. A
    0/1 metric where 1 is bad becomes a rate of bad answers:
    `events(scores, "privacy_leaks", name="privacy_leak_rate", at_least=1)`.

    Raises ParameterError if the limit is outside the metric's range.
    """
    span = case_scores.value_range(metric)
    if span is not None:
        parameter_ranges.check(f"the limit of {name}", at_least, f"in [{span[0]:g}, {span[1]:g}]")
    part = case_scores.metric_scores(scores, metric)
    return part.assign(
        metric=name, value=(part["value"] >= at_least).astype(float).where(part["value"].notna()), detail="[]"
    )


def with_slices(card: pd.DataFrame, *more: pd.DataFrame) -> pd.DataFrame:
    """The card with the rows of slices that it does not have yet."""
    return pd.concat([card, *(each for each in more if len(each))], ignore_index=True).drop_duplicates(
        ["metric", "slice"], ignore_index=True
    )


def estimate_mean(
    rows: pd.DataFrame,
    *,
    rng: np.random.Generator,
    span: tuple[float, float] | None = None,
    level: float = CONFIDENCE,
) -> Interval:
    """Mean of the column `value` of rows with `state` and `cluster`, with its interval."""
    reasons = [None if state == "scored" else state for state in rows["state"]]
    return mean_interval(
        rows["value"], clusters=cluster_ids(rows["cluster"]), rng=rng, reasons=reasons, span=span, level=level
    )


def describe_saturation(values: ArrayLike) -> str:
    """`0 for 335 of 335 scored answers`, where one value is nearly all and tells nothing apart; "" where none
    is, or for fewer than FEWEST.

    values : (n,) of one metric and one system; NaN where an answer has no score
    """
    known = pd.Series(np.asarray(values, dtype=float)).dropna().round(6) + 0.0  # and not -0.0
    counts = known.value_counts()
    if len(known) < FEWEST or counts.iloc[0] <= MOST_ALIKE * len(known):
        return ""
    return f"{counts.index[0]:g} for {counts.iloc[0]} of {len(known)} scored answers"


def bars_from_gates(metric: str) -> bool:
    """Whether one value for all answers bars a metric from gates: it claims to grade quality. What is no
    metric (a rate of harm, a share of people's judgements) is a result whatever its value."""
    return metric in METRICS and METRICS[metric].grades_quality


def _summarize(part: pd.DataFrame, metric: str, name: str, rng: np.random.Generator) -> dict:
    found = estimate_mean(part, rng=rng, span=case_scores.value_range(metric))
    unmeasured = part[part["state"] == "not_measured"]
    whys = {*unmeasured.get("reason", ())} - {""}
    if not found.n and len(whys) == 1:  # one thing is missing for all of them
        found = replace(found, reason=str(*whys))
    return row(metric, name, found, part["state"].value_counts(), describe_saturation(part["value"]))


def summarize_costs(
    answers: pd.DataFrame,
    budgets: Budgets,
    *,
    clusters: pd.Series | None = None,
    rng: np.random.Generator | int,
) -> pd.DataFrame:
    """One row per quantity (words without citations, seconds, tokens, cost), over the first answer
    of each case: the median with its bootstrap interval over clusters; n answers, left_out those without the
    quantity; outcome: `within` if the upper bound is, `over` if the lower bound is not, else `not shown`.

    clusters : by case_id; None takes every case as drawn independently. Source: Lesson sections 8 and 12.

    Example: `summarize_costs(run.read("answers"), Budgets(words=120), rng=0)[["quantity", "outcome"]]`
    """
    first, base = answers[answers["repeat"] == 0], random_base(rng)
    given = first[first["error"].map(is_blank).astype(bool)]
    known = given["case_id"] if clusters is None else given["case_id"].map(clusters)
    limits, rows = {"words": budgets.words, "latency_s": budgets.seconds}, []
    amounts = given.reindex(columns=QUANTITIES).apply(pd.to_numeric, errors="coerce")
    words = [count_words(sample.uncited) for sample in samples(filled(given, "system"), {})]
    amounts = amounts.assign(words=words).astype(float).replace({"words": {0.0: np.nan}})
    for name in QUANTITIES:
        measured, budget = amounts[name].dropna(), limits.get(name)
        groups, stream = cluster_ids(known[measured.index]), random_stream(base, name)
        median = bootstrap(measured, clusters=groups, statistic=np.median, n_boot=1000, rng=stream)
        known_budget = np.nan if budget is None else budget
        rules = {
            UNKNOWN: not median.n,
            NO_BUDGET: budget is None,
            WITHIN: median.high <= known_budget,
            OVER: median.low > known_budget,
        }
        outcome = next((each for each, holds in rules.items() if holds), OPEN)
        rows.append(
            (name, median.value, median.low, median.high, median.n, len(first) - median.n, budget, outcome)
        )
    return pd.DataFrame(rows, columns="quantity median low high n left_out budget outcome".split())


def compare_systems(
    own: pd.DataFrame,
    others: pd.DataFrame,
    cases: pd.DataFrame,
    *,
    metrics: Sequence[str] | None = None,
    rng: np.random.Generator | int,
    names: tuple[str, str] = ("validated system", "challenger"),
) -> pd.DataFrame:
    """One row per metric and challenger: the validated system minus the challenger, question by question.

    difference : mean over the n questions scored on both sides, with a paired bootstrap over clusters
    p, q : sign-flip permutation test by cluster, Benjamini-Hochberg over all rows
    outcome : of the validated system: better or worse where q < SIGNIFICANCE, in the metric's direction; else
        no significant difference, or the same on every question; not compared where no question is scored on
        both sides
    wins, ties, losses : questions on which it scores better, the same, worse
    left_out : questions without a score on either side, and why

    Measured over 400 simulations of 20 conversations of 4 or 5 questions, correlation 0.5 within: the
    interval covers the truth in 0.938 of them, two equal systems are told apart in 0.055.

    own, others : rows of the scores table, of the validated system and of all the others; names : of both
    sides, in reasons; metrics : None takes every metric of `own` that `others` have too

    Raises TableError if `own` is of several systems, a metric named is on neither side, or a case is unknown.

    Example: `compare_systems(run.scores(), run.scores(part="challengers"), run.cases(), rng=0).outcome`
    """
    case_scores.require_one_system(own)
    both = pd.concat([own, others])
    case_scores.require_known_cases(both, cases)
    shared = [name for name in own["metric"].unique() if name in set(others["metric"])]
    chosen = shared if metrics is None else list(metrics)
    if absent := sorted(set(chosen) - set(both["metric"])):
        raise TableError(
            "scores that are to be compared are not there",
            where="table scores",
            found=absent[:5],
            do="score the metric on both sides",
        )
    base, clusters, rows = random_base(rng), case_scores.case_clusters(cases), []
    for name in chosen if len(own) else ():
        for system in sorted(others["system"].unique()):
            pairs = _pairs(own, others[others["system"] == system], name)
            rows.append(
                {"metric": name, "challenger": system, "system": own["system"].iloc[0]}
                | _compare(pairs, clusters, name, random_stream(base, name, system), names)
            )
    return with_outcomes(
        pd.DataFrame(
            rows,
            columns=[
                *("metric", "challenger", "pairs", "n", "own_mean", "challenger_mean", "difference"),
                *("low", "high", "p", "q", "outcome", "wins", "ties", "losses", "left_out", "reason"),
                "system",
            ],
        )
    )


def with_outcomes(found: pd.DataFrame) -> pd.DataFrame:
    """The rows with q and outcome over all of them, as of `compare_systems`: for rows of several calls."""
    q = benjamini_hochberg(found["p"].to_numpy(dtype=float))
    is_better = (found["difference"] > 0) == found["metric"].map(case_scores.higher_is_better)
    is_same = q >= SIGNIFICANCE
    rules = [np.isnan(q), is_same & (found["ties"] == found["n"]), is_same, is_better]
    return found.assign(q=q, outcome=np.select(rules, [NONE, EQUAL, ALIKE, BETTER], WORSE))


def _pairs(own: pd.DataFrame, other: pd.DataFrame, metric: str) -> pd.DataFrame:
    """case_id, and the value and state of both sides; a side without a row is not asked."""
    sides = []
    for rows, name in ((own, "own"), (other, "other")):
        side = rows.loc[rows["metric"] == metric, ["case_id", "value", "state"]]
        side = side.assign(value=side["value"].astype(float).where(side["state"] == "scored"))
        sides.append(side.set_axis(["case_id", name, f"{name}_state"], axis=1))
    pairs = sides[0].merge(sides[1], on="case_id", how="outer", sort=True, validate="one_to_one")
    return pairs.fillna({"own_state": "not asked", "other_state": "not asked"})


def _compare(
    pairs: pd.DataFrame, clusters: pd.Series, metric: str, rng: np.random.Generator, names: tuple[str, str]
) -> dict:
    both = pairs.dropna(subset=["own", "other"])
    where = case_scores.cluster_ids(both["case_id"].map(clusters))
    moved = paired_bootstrap(
        both["other"], both["own"], clusters=where, span=case_scores.difference_range(metric), rng=rng
    )
    gain = (both["own"] - both["other"]).to_numpy() * (1 if case_scores.higher_is_better(metric) else -1)
    return asdict(moved) | {
        "pairs": len(pairs),
        "own_mean": both["own"].mean(),
        "challenger_mean": both["other"].mean(),
        "difference": moved.value,
        "p": paired_permutation(both["own"] - both["other"], clusters=where, rng=rng),
        "wins": int((gain > SAME).sum()),
        "ties": int((np.abs(gain) <= SAME).sum()),
        "losses": int((gain < -SAME).sum()),
        "left_out": len(pairs) - len(both),
        "reason": why_left_out(moved, pairs["own_state"], pairs["other_state"], names),
    }


def why_left_out(moved: Interval, own: pd.Series, other: pd.Series, names: tuple[str, str]) -> str:
    """Why paired differences have no interval, and how many pairs each state of either side left out.

    own, other : the states of both sides, pair by pair; names : of the sides
    """
    own, other = (states.str.replace("_", " ") for states in (own, other))
    lost = (f"{names[0]} " + own).where(own != "scored", f"{names[1]} " + other)
    counts = lost[(own != "scored") | (other != "scored")].value_counts().sort_index()
    no_interval = moved.reason if moved.n and np.isnan(moved.low) else ""
    return "; ".join(filter(None, [no_interval, ", ".join(f"{n} {name}" for name, n in counts.items())]))
