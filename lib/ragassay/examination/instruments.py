"""The instruments of a run examined: what each may be believed, as one frame a question; which metrics may
not stand in a gate, and why: an instrument that fails its examination measures something else. Scorers beside
each other: do two judges give the same marks (GroUSE table 4: Spearman for grades, macro-F1 for checks with
null); does a judge reward length (Lesson 13.5).

Minimal pairs: which change of an answer does a metric see? A pair holds two answers to one question over the
same references that differ in one number, date, negation or the like; the metric must score the better
strictly better (`told`). Equal scores are `tied`, the opposite is `wrong`. Where the metric has no value for
one of the two the pair is `unscored`: it counts in no share, and is counted apart.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from ragassay import provenance
from ragassay.answers import tool_scores
from ragassay.calibration import calibration_pipeline
from ragassay.calibration.probability_metrics import error_rates
from ragassay.errors import NotMeasuredError, ParameterError
from ragassay.examination.examine import (
    ALL_MARKS,
    BUNDLED,
    FOLDER,
    GRADES,
    METRIC_OF,
    PASSED,
    SEED,
    UNPARSED,
    Examination,
    Marks,
    Scorer,
    UnitTest,
    by_failure_mode,
    every_mark,
    examine,
    judged_by,
    offline,
    read_suite,
    rules_alone,
)
from ragassay.models.judge import make_judge
from ragassay.scores import METRICS
from ragassay.scores.score import score
from ragassay.stats import (
    bootstrap,
    clopper_pearson,
    interval_text,
    not_available,
    paired_bootstrap,
    percent_text,
    share_text,
)

LEAST, LEAST_BEYOND_RULES, FEWEST = 0.8, 0.45, 16
CHANCE = 0.5
NULL = 2.0  # the third class of a check
AGREEMENT = ["mark", "measure", "value", "low", "high", "n", "left_out", "identical", "reason"]
PAIRS = FOLDER / "minimal_pairs.jsonl"
TOLD, TIED, WRONG, UNSCORED = "told", "tied", "wrong", "unscored"
FAITHFUL = (  # metrics that claim to see any statement that the references do not hold
    *("groundedness", "groundedness:weighted", "groundedness:min"),
    *("groundedness_nli", "groundedness_nli:weighted", "groundedness_nli:min"),
    *("support", "citations_supported", "citations_supported:entailed"),
    *("supported_claims_rate", "supported_claims_rate:entailed"),
    *("factual_accuracy", "context_consistency", "hallucination", "grouse_faithfulness"),
)
FATAL = ("number", "date", "negation", "entity")  # kinds that change what is said
PAIR_COLUMNS = ["pair", "kind", "metric", "first", "second", "outcome"]
VERBOSITY = FOLDER / "verbosity.jsonl"
VERBOSITY_JUDGED = (
    *("judge_groundedness", "judge_completeness", "judge_directness", "judge_style"),
    "judge_conciseness",
    *("grouse_answer_relevancy:judge", "grouse_completeness:judge", "grouse_faithfulness:judge"),
)
VERBOSITY_OFFLINE = ("grouse_answer_relevancy", "grouse_completeness", "grouse_faithfulness")


def excluded_metrics(found: Examination, rules: Examination, pairs: pd.DataFrame) -> dict[str, str]:
    """Metric -> why it may not stand in a gate, as `decision.gates.evaluate` takes it;
    a metric that is not in it passed, or was not examined.

    found : what a scorer did with a suite; rules : the same suite by rules alone (`examine.rules_alone`)
    pairs : of `examine_pairs`
    """
    right, hard = found.checks["outcome"] == PASSED, rules.checks["outcome"] != PASSED
    marked = found.checks[["metric"]].assign(passed=right, tests=1, hard_passed=right & hard, hard_tests=hard)
    marked = marked.groupby("metric", sort=False).sum().reset_index()
    told = pairs_by_metric(pairs[pairs["metric"].isin(FAITHFUL)])
    reasons = [(METRIC_OF[row.metric], _why_by_suite(row)) for row in marked.itertuples()]
    why: dict[str, list[str]] = {}
    for metric, reason in [*reasons, *((row.metric, _why_by_pairs(row)) for row in told.itertuples())]:
        why.setdefault(metric, []).append(reason)
    return {metric: "; ".join(filter(None, each)) for metric, each in why.items() if any(each)}


def _why_by_suite(row: Any) -> str:
    if row.tests < FEWEST:
        return f"examined on {row.tests} unit tests, at least {FEWEST} needed"
    bars = (
        (row.passed, row.tests, LEAST, "unit tests"),
        (row.hard_passed, row.hard_tests, LEAST_BEYOND_RULES, "unit tests that rules alone get wrong"),
    )
    for right, tests, least, what in bars:
        if tests and right / tests < least:
            of = f"{right} of {tests} {what} ({share_text(right / tests, least)})"
            return f"right on {of}, at least {percent_text(least)} needed"
    return ""


def _why_by_pairs(row: Any) -> str:
    what = "changed numbers, dates, negations or entities"
    if not row.n:
        return f"could score none of {row.unscored} pairs of answers with {what}"
    share = interval_text(row.value, row.low, row.high, percent=True, bar=CHANCE)
    needed = f"lower bound above {percent_text(CHANCE)} needed"
    return (
        "" if row.low > CHANCE else f"tells {share} of {row.n} pairs of answers with {what} apart, {needed}"
    )


MARKS = ["mark", "n", "value", "low", "high"]
OF_RULES = ["rules", "rules_low", "rules_high"]
OF_JUDGE = [*MARKS, "measure", "agreement", "agreement_low", "agreement_high", "identical"]
NUMBERS = [name for name in OF_JUDGE if name not in ("mark", "measure")]
BOUNDS = ["type_1", "type_1_low", "type_1_high", "n_rejected", "type_2", "type_2_low", "type_2_high"]
ERRORS = ["score", "dimension", "decided_by", *BOUNDS, "n_accepted", "reason"]
OWN, CALIBRATED = "its own verdict", "calibrated, one half"


class Instruments(NamedTuple):
    """What an examination found; frames without a row where nothing was examined.

    marks : of the offline metrics of GroUSE, the share of unit tests marked rightly (value) beside that of
        two rules which read nothing (rules); all six marks first
    failure_modes : share found of each failure, and of false alarms among faultless tests
    pairs : by metric, the share of pairs of answers with a changed number, date, negation or name that it
        tells apart, least first; 0.5 is guessing; barred: whether it failed
    barred : metric, reason: which failed, and may stand in no gate (`excluded_metrics`)
    """

    marks: pd.DataFrame
    failure_modes: pd.DataFrame
    pairs: pd.DataFrame
    barred: pd.DataFrame


def examine_instruments(
    suite: str = "", *, metrics: Iterable[str] = FAITHFUL, wanted: bool = True
) -> Instruments:
    """The offline metrics on unit tests, and on minimal pairs those of `metrics` that claim to see whatever
    the passages do not hold.

    suite : unit tests in GroUSE's format; "" stands for the bundled 144
    wanted : False examines nothing

    Example: `examine_instruments().marks`

    Source: GroUSE sections 4.1 and 4.2, table 6.
    """
    tests, known = _tests(suite) if wanted else [], set(metrics)
    rules = examine(tests, rules_alone)
    found = examine(tests, offline) if tests else rules
    asked_of = [name for name in FAITHFUL if tests and name in known]
    checks = examine_pairs([pair for pair in read_pairs() if asked_of and pair["kind"] in FATAL], asked_of)
    excluded = excluded_metrics(found, rules, checks) if tests else {}
    of_rules = rules.summary()[["value", "low", "high"]].set_axis(OF_RULES, axis=1)
    marks = found.summary().rename(columns={"name": "mark"}).join(of_rules)
    marks = marks[marks["what"] != "type"][[*MARKS, *OF_RULES]].reset_index(drop=True)
    modes, rows = by_failure_mode(found), None if tests else 0
    pairs = pairs_by_metric(checks).sort_values("value", kind="stable", ignore_index=True)
    pairs = pairs.assign(barred=pairs["metric"].isin(excluded))
    return Instruments(
        marks[:rows], modes[:rows], pairs, pd.DataFrame(list(excluded.items()), columns=["metric", "reason"])
    )


def examine_judge(
    suite: str, endpoint: str, model: str, *, seed: int = 0, wanted: bool = True
) -> pd.DataFrame:
    """What a language model marks rightly on the unit tests, and how far it agrees with the offline metrics:
    OF_JUDGE, a row a mark; no row where none is named. `measure`: Spearman of grades, macro-F1 of the others;
    identical: share of tests with the same mark.

    Example: `examine_judge("", "http://localhost:8000/v1", "my-model")[["mark", "value", "identical"]]`
    """
    judge = make_judge(endpoint, model, seed=seed)
    if judge is None or not wanted:
        return pd.DataFrame(columns=OF_JUDGE).astype(dict.fromkeys(NUMBERS, float))
    tests = _tests(suite)
    found = examine(tests, judged_by(judge))
    alike = between_judges(
        *(marks_of_suite(each) for each in (found, examine(tests, offline))), rng=np.random.default_rng(SEED)
    ).drop(columns=["n", "left_out", "reason"])
    names = {"value": "agreement", "low": "agreement_low", "high": "agreement_high"}
    marks = found.summary().rename(columns={"name": "mark"})
    return marks[marks["what"] == "metric"].merge(alike.rename(columns=names), on="mark")[OF_JUDGE]


def tool_score_errors(
    scores: pd.DataFrame,
    judged: pd.DataFrame,
    pairs: Mapping[str, str],
    *,
    clusters: Mapping[str, str] | pd.Series | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Errors against the raters of scores that a tool gave with the log, one row each, ERRORS: `type_1`, the
    share of what raters reject that it accepts, and `type_2`, of what they accept that it rejects, in [0, 1],
    lower is better, Clopper-Pearson intervals.

    A score of 0 and 1 alone is a verdict and judges every labelled answer as it stands, turned where lower is
    better; another is calibrated as ours are, and judges the held-out half at a probability of one half.

    judged : of `raters.accepted`; pairs : score -> the judgement it should predict

    Example: `tool_score_errors(scores, judged, {"ragas:faithfulness": "grounded"})[["type_1", "type_2"]]`
    """
    rows = []
    for given, dimension in pairs.items():
        data = calibration_pipeline.join(scores, judged, metric=given, dimension=dimension, clusters=clusters)
        row = {"score": given, "dimension": dimension, "decided_by": "", "reason": ""}
        try:
            if len(data) and data["value"].isin((0, 1)).all():
                row["decided_by"], label, verdict = OWN, data["label"], data["value"]
                verdict = 1 - verdict if tool_scores.card(given).better == "lower" else verdict
            else:
                held = calibration_pipeline.calibrate(data, given, dimension, seed=seed).held_out
                row["decided_by"], label, verdict = CALIBRATED, held["label"], held["probability"]
        except NotMeasuredError as problem:
            rows.append(row | dict.fromkeys(BOUNDS, nan) | {"reason": problem.what})
            continue
        rates = error_rates(verdict, label).set_index("measure")[["value", "low", "high", "n"]]
        numbers = [*rates.loc["type_1"], *rates.loc["type_2"]]
        rows.append(row | dict(zip([*BOUNDS, "n_accepted"], numbers, strict=True)))
    return pd.DataFrame(rows, columns=ERRORS).astype(dict.fromkeys(BOUNDS, float))


def _tests(suite: str) -> list[UnitTest]:
    return read_suite(provenance.reads_input(suite) if suite else BUNDLED)


def spearman(first: ArrayLike, second: ArrayLike) -> float:
    """Rank correlation of two series of grades (n,), in [-1, 1], ties at their mean rank; NaN where one of
    them is constant."""
    ranks = [scipy.stats.rankdata(np.asarray(series, dtype=float)) for series in (first, second)]
    if min(map(np.ptp, ranks), default=0) == 0:
        return float("nan")
    return float(np.corrcoef(*ranks)[0, 1])


def macro_f1(first: ArrayLike, second: ArrayLike) -> float:
    """Mean over the classes that occur in either series (n,) of 2 both / (first + second), in [0, 1]; higher
    is better, and the two may trade places. scikit-learn's f1_score is the same, too slow to resample."""
    one, other = np.asarray(first), np.asarray(second)
    shares = [
        2 * np.sum((one == each) & (other == each)) / (np.sum(one == each) + np.sum(other == each))
        for each in np.union1d(one, other)
    ]
    return float(np.mean(shares)) if shares else float("nan")


def between_judges(first: pd.DataFrame, second: pd.DataFrame, *, rng: np.random.Generator) -> pd.DataFrame:
    """One row per mark, AGREEMENT: how far two judges of the same items agree, bootstrap over clusters.

    first, second : marks as `marks_of_suite` gives them; items that only one has, or
        whose mark one could not read, are left out, and for grades those that one leaves null
    identical : share of the items both read, null included, with the same mark

    Source: GroUSE 5.1 and table 4.
    """
    both = first.merge(second, on=["item", "mark"], how="outer", suffixes=("", "_second"))
    rows = []
    for mark in [mark for mark in ALL_MARKS if mark in set(both["mark"])]:
        of_mark = both[both["mark"] == mark]
        read = of_mark[of_mark["cluster"].notna() & of_mark["cluster_second"].notna()]
        one, other = (read[name].to_numpy(dtype=float) for name in ("value", "value_second"))
        same = (one == other) | (np.isnan(one) & np.isnan(other))
        if mark in GRADES:
            measure, agreement, kept = "Spearman", spearman, ~(np.isnan(one) | np.isnan(other))
        else:
            measure, agreement, kept = "macro-F1", macro_f1, np.ones(len(read), dtype=bool)
            one, other = (np.nan_to_num(series, nan=NULL) for series in (one, other))
        pair, clusters, n = np.array([one, other])[:, kept], read["cluster"].to_numpy()[kept], int(kept.sum())
        value = agreement(*pair) if n else np.nan
        if np.isnan(value):
            found = not_available(
                "one of the two gives every item the same value" if n else "no item has both", n=n
            )
        else:
            found = bootstrap(
                np.arange(n, dtype=float),
                clusters=clusters,
                statistic=lambda places, pair=pair, agreement=agreement: agreement(
                    *pair[:, places.astype(int)]
                ),
                n_boot=1000,
                rng=rng,
            )
        identical = float(same.mean()) if len(same) else np.nan
        left_out = len(of_mark) - n
        rows.append((mark, measure, value, found.low, found.high, n, left_out, identical, found.reason))
    return pd.DataFrame(rows, columns=AGREEMENT)


def marks_of_suite(found: Examination) -> pd.DataFrame:
    """The marks of an examination: item, mark, value (NaN for null), cluster; those that were read."""
    checks = found.checks[found.checks["outcome"] != UNPARSED]
    names = {"test": "item", "mark": "value", "metric": "mark", "question": "cluster"}
    return checks[list(names)].rename(columns=names).reset_index(drop=True)


def marks_of_rows(rows: Sequence[Mapping[str, Any]], marks: Sequence[Marks]) -> pd.DataFrame:
    """The marks given to rows of a suite, the derived ones too; as `marks_of_suite`, clusters by question."""
    found = [
        (place, mark, np.nan if value is None else float(value), row["input"])
        for place, (row, of_row) in enumerate(zip(rows, marks, strict=True))
        for mark, value in every_mark(of_row).items()
    ]
    return pd.DataFrame(found, columns=["item", "mark", "value", "cluster"])


def further_tables(
    tests: Sequence[UnitTest],
    found: Examination,
    *,
    judge: Any = None,
    against: Scorer | None = None,
    length: bool = False,
) -> dict[str, pd.DataFrame]:
    """What an examination says beside its pass rates, name -> table: `failure_modes` always; `agreement`
    and `verbosity` where they are asked for.

    Parameters
    ----------
    tests, found : the tests, and what a scorer did with them
    judge : a language model (`models.judge.Judge`); with one, length is its own
    against : another scorer, whose marks of the same tests are compared
    length : whether the ten pairs of a short and a long answer are scored
    """
    tables = {"failure_modes": by_failure_mode(found)}
    if against is not None:
        marks = (marks_of_suite(each) for each in (found, examine(tests, against)))
        tables["agreement"] = between_judges(*marks, rng=np.random.default_rng(SEED))
    if length:
        metrics = VERBOSITY_OFFLINE if judge is None else VERBOSITY_JUDGED
        checks = examine_pairs(read_pairs(VERBOSITY), metrics, instruments={"judge": judge})
        tables["verbosity"] = summarize_verbosity(checks, rng=np.random.default_rng(SEED))
    return tables


def read_pairs(path: Path = PAIRS) -> list[dict[str, Any]]:
    """The bundled pairs; of `VERBOSITY` those of a short and a long answer: place (its line), kind (what
    differs), input (the question), references, answers (the better and the worse; the short and the long)."""
    rows = [
        json.loads(line) | {"place": place}
        for place, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
    ]
    return [row | {"answers": row.get("equal") or [row["better"], row["worse"]]} for row in rows]


def examine_pairs(
    pairs: Sequence[Mapping[str, Any]], metrics: Sequence[str] = FAITHFUL, **settings: Any
) -> pd.DataFrame:
    """Every pair by every metric: PAIR_COLUMNS, first and second being the two scores (NaN: there is none).

    settings : of `scores.score`

    Raises ParameterError if a metric is unknown.
    """
    if unknown := [name for name in metrics if name not in METRICS]:
        raise ParameterError(f"unknown metric {unknown[0]!r}", expected=", ".join(METRICS))
    rows: list[tuple] = []
    if pairs:
        sides = [(pair, place) for pair in pairs for place in (0, 1)]
        answers = pd.DataFrame(
            {
                "case_id": [f"{pair['place']}-{'ab'[place]}" for pair, place in sides],
                "question": [pair["input"] for pair, _ in sides],
                "answer": [pair["answers"][place] for pair, place in sides],
                "contexts": [list(pair["references"]) for pair, _ in sides],
                "system": "probe",
                "repeat": 0,
            }
        )
        values = score(answers, metrics=list(metrics), **settings).pivot(
            index="case_id", columns="metric", values="value"
        )
    for pair in pairs:
        for metric in metrics:
            first, second = (float(values.loc[f"{pair['place']}-{side}", metric]) for side in "ab")
            ahead = first - second if METRICS[metric].higher_is_better else second - first
            outcome = {0: TIED, 1: TOLD, -1: WRONG}.get(np.sign(ahead), UNSCORED)
            rows.append((pair["place"], pair["kind"], metric, first, second, outcome))
    return pd.DataFrame(rows, columns=PAIR_COLUMNS)


def pairs_by_metric(checks: pd.DataFrame) -> pd.DataFrame:
    """Share of the pairs of `FATAL` kinds told apart by each metric: metric, value, low, high
    (Clopper-Pearson), n, tied, unscored.
    """
    rows = []
    for metric, part in checks[checks["kind"].isin(FATAL)].groupby("metric", sort=False):
        counts = part["outcome"].value_counts()
        unscored = int(counts.get(UNSCORED, 0))
        found = clopper_pearson(int(counts.get(TOLD, 0)), len(part) - unscored)
        rows.append((metric, found.value, found.low, found.high, found.n, int(counts.get(TIED, 0)), unscored))
    return pd.DataFrame(rows, columns=["metric", "value", "low", "high", "n", "tied", "unscored"])


def summarize_verbosity(checks: pd.DataFrame, *, rng: np.random.Generator) -> pd.DataFrame:
    """One row per metric: of how many pairs the longer answer scores better, worse, the
    same.

    difference : mean of the longer answer's score less the shorter one's, in the metric's units, above 0
        where length is rewarded (for a metric that is better when low, the signs are turned); bootstrap over
        pairs, n of them
    sign_p : chance of counts of longer and shorter as uneven as these, were length nothing (exact sign test)

    Source: Lesson sections 9.3 and 13.5.
    """
    rows = []
    for metric, part in checks.groupby("metric", sort=False):
        card = METRICS[str(metric)]
        sign = 1 if card.higher_is_better else -1
        short, long = (sign * part[side].to_numpy(dtype=float) for side in ("first", "second"))
        found = paired_bootstrap(short, long, span=(card.low - card.high, card.high - card.low), rng=rng)
        unscored = np.isnan(long - short)
        counts = [int(np.sum(each)) for each in (long > short, long < short, long == short, unscored)]
        uneven = counts[0] + counts[1]
        p_value = float(scipy.stats.binomtest(counts[0], uneven).pvalue) if uneven else 1.0
        rows.append((metric, *counts, found.value, found.low, found.high, int((~unscored).sum()), p_value))
    return pd.DataFrame(
        rows, columns="metric longer shorter same unscored difference low high n sign_p".split()
    )
