"""Robustness: whether an answer holds when its question is put less well (in pairs, HCAT section 6.1 type 3),
asked again or in a conversation, given other passages (type 1, by the key figure of the question), or worded
anew (GRAMMAR's modular evaluation of the questions of a run). Questions outside the documents stand in
`declined_questions`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.analysis import case_scores, diagnosis, origin_slices
from ragassay.analysis.blame import groups_of
from ragassay.analysis.checks import HIGH, LOW, Check, checks_frame, exact_share, mark_by_design
from ragassay.analysis.scorecard import why_left_out
from ragassay.cases.passage_changes import DISTRACTORS, DROPPED, FOLLOW_UP, MISLEADING, REPEAT
from ragassay.defaults import CONFIDENCE, SIGNIFICANCE
from ragassay.errors import TableError
from ragassay.scores.families.same_answer import Agreement, compare_answers
from ragassay.scores.numbers.amounts import find_amounts
from ragassay.scores.text_reading.answer_state import abstains
from ragassay.stats import (
    Interval,
    benjamini_hochberg,
    exceeds,
    not_available,
    paired_bootstrap,
    random_stream,
)
from ragassay.tables import is_blank, is_missing

COLUMNS = [
    "metric", "variation", "kind", "intensity", "pairs", "n", "base_mean", "variant_mean", "difference",
    "low", "high", "p", "q", "worse", "to_fail", "left_out", "reason", "case_ids",
]  # fmt: skip
PAIRS = ["case_id", "parent_id", "kind", "intensity", "variant", "variant_state", "base", "base_state"]
POOLED = "any perturbation"  # the kind of rows over every kind
EXAMPLES = 5
LARGEST_UNSEEN = 0.15  # fall that the intervals of a kind must exclude before it is clear
LEAST_FOLLOW_UP = 0.7  # share of follow-ups that must be answered like the whole question
REPEATED = {REPEAT: "repeated_same_answer", FOLLOW_UP: "follow_up_same_answer"}
RATES = {  # kind of the cases -> what is measured of them
    DISTRACTORS: "states_key_figure",
    MISLEADING: "follows_misleading_passage",
    DROPPED: "answers_without_evidence",
}
CHECKS = {  # kind of the cases -> name of the check, aspect
    DISTRACTORS: ("passages_changed", DISTRACTORS),
    MISLEADING: ("misled", MISLEADING),
    DROPPED: ("evidence_removed", "all"),
}
LEVEL = 1 - 2 * SIGNIFICANCE / len(RATES)  # so that one of the rows is wrongly raised with that error at most
OTHER_PASSAGES = "the answer names passages that it was not given"
NAMES = dict(zip(diagnosis.QUANTITIES, (
    "wordings_accuracy", "wordings_robustness", "wordings_gap_share", "wordings_accuracy_retrieval",
    "wordings_robustness_retrieval",
), strict=True))  # fmt: skip
LEAST_ROBUST = 0.8  # share of the wordings, of questions answered rightly in one, that must be


def compare(
    before: pd.DataFrame,
    after: pd.DataFrame,
    variants: pd.DataFrame,
    metrics: Mapping[str, float | None],
    *,
    smallest_difference: float = 0.0,
    seed: int = 0,
) -> pd.DataFrame:
    """What a variation does to the scores of the same questions: for each metric a row of every kind over its
    levels, one of all kinds together (POOLED), and one of all kinds at each level (`intensity`).

    difference : mean of variant minus original over the n pairs scored on both sides, with a paired bootstrap
    p, q : one-sided test (tilted bootstrap) that the score does not move the wrong way; Benjamini-Hochberg
        over the metrics, of all kinds together, of single kinds, of levels by themselves
    worse : q < SIGNIFICANCE, and the score moves by `smallest_difference` or more, in its units: of 40
        questions in three kinds each, 97 % of falls of 0.15 are found so, 76 % of those of 0.1
    to_fail : pairs that pass the metric's threshold before and not after; NaN without a threshold
    left_out, reason : pairs without a score on either side, and why
    case_ids : the variants that lost most, the gravest first

    before, after : rows of `scores`, of the questions varied and of the variants; of a metric that is not
        the kit's higher is better
    variants : case_id, parent_id, kind; intensity where there are levels
    metrics : metric -> the value from which an answer passes, or None

    Raises TableError if a variant has no parent, no score matches, or the scores are of several systems.

    >>> before = pd.DataFrame({"case_id": range(40), "metric": "support", "value": 0.9})
    >>> after = pd.DataFrame({"case_id": range(40, 80), "metric": "support", "value": [0.4, 0.8] * 20})
    >>> variants = pd.DataFrame({"case_id": range(40, 80), "parent_id": range(40), "kind": "typos"})
    >>> compare(before, after, variants, {"support": 0.5})[["kind", "difference", "to_fail", "worse"]]
                   kind  difference  to_fail  worse
    0             typos        -0.3     20.0   True
    1  any perturbation        -0.3     20.0   True

    Source: Sudjianto et al. (2024), HCAT, section 6.1; Benjamini, Hochberg (1995), JRSS B 57.
    """
    parameter_ranges.check("smallest_difference", smallest_difference, "in [0, 1)")
    rows = []
    for metric, threshold in metrics.items():
        pairs = paired_scores(before, after, variants, metric)
        parts = [
            *((str(kind), np.nan, part) for kind, part in pairs.groupby("kind")),
            *([(POOLED, np.nan, pairs)] if len(pairs) else []),
            *((POOLED, float(str(level)), part) for level, part in pairs.groupby("intensity")),
        ]
        for kind, intensity, part in parts:
            stream = random_stream(seed, metric, kind, f"{intensity:g}")
            variation = kind if np.isnan(intensity) else f"{kind}, intensity {intensity:g}"
            named = {"metric": metric, "variation": variation, "kind": kind, "intensity": intensity}
            rows.append(named | _row(part, metric, threshold, stream))
    table = pd.DataFrame(rows, columns=[*(name for name in COLUMNS if name not in ("q", "worse")), "loss"])
    table = table.astype({"p": float, "loss": float, "intensity": float})
    q = table.groupby((table["kind"] == POOLED).astype(int) + table["intensity"].notna())["p"].transform(
        lambda p: benjamini_hochberg(p.to_numpy())
    )
    return table.assign(q=q, worse=(q < SIGNIFICANCE) & (table["loss"] >= smallest_difference))[COLUMNS]


def perturbation_checks(
    compared: pd.DataFrame, kinds: Sequence[str], *, smallest_difference: float = 0.0
) -> pd.DataFrame:
    """Rows of the table `checks`, one of all kinds together and one a kind, with the metric that falls most,
    of those that are `worse` if any is.

    Raised where a metric is `worse`. Not decided where one falls by `smallest_difference` significantly by
    itself but not among all comparisons, or where an interval leaves room for a fall above LARGEST_UNSEEN. A
    kind without a pair does not apply.

    compared : of `compare` with this `smallest_difference`; kinds : those asked for, in the rows' order

    Example: `perturbation_checks(compared, ["typos"], smallest_difference=0.05).query("outcome == 'raised'")`
    """
    made, found = compared[(compared["n"] > 0) & compared["intensity"].isna()], []
    better = made["metric"].map(case_scores.higher_is_better).astype(bool)
    made = made.assign(
        better=better,
        loss=np.where(better, -made["difference"], made["difference"]),
        most=np.where(better, -made["low"], made["high"]),
    )
    for kind in [POOLED, *kinds]:
        rows = made[made["kind"] == kind]
        check = Check("05_robustness", "perturbation", kind, "all", -LARGEST_UNSEEN, LOW)
        if rows.empty:
            found.append(check.not_applicable("no variant of the kind was answered"))
            continue
        worst = case_scores.rank_rows(rows, ["-worse", "-loss"], ["metric"]).iloc[0]
        by_itself, may_fall = rows.query("p < @SIGNIFICANCE")["loss"], rows.query("base_mean > 0")["most"]
        doubts = {
            "significant by itself, not among all comparisons": (by_itself >= smallest_difference).any(),
            "no score is above 0 that could fall": may_fall.empty,
            f"{int(rows['n'].max())} pairs leave room for a larger fall": any(~(may_fall <= LARGEST_UNSEEN)),
        }
        doubt = "" if worst["worse"] else next((text for text, holds in doubts.items() if holds), "")
        limit, bound = (-LARGEST_UNSEEN, LOW) if worst["better"] else (LARGEST_UNSEEN, HIGH)
        found.append(
            replace(check, metric=worst["metric"], limit=limit, bound=bound).row(
                Interval(worst["difference"], worst["low"], worst["high"], worst["n"], worst["left_out"]),
                raised=None if doubt else bool(worst["worse"]),
                cases=worst["to_fail"],
                case_ids=worst["case_ids"] if worst["worse"] else [],
                reason=doubt,
                q=worst["q"],
            )
        )
    return checks_frame(found)


def paired_scores(
    before: pd.DataFrame, after: pd.DataFrame, variants: pd.DataFrame, metric: str
) -> pd.DataFrame:
    """A row a variant: case_id, parent_id, kind, intensity, the values `base` and `variant`, NaN where a side
    was not measured, and why: `base_state`, `variant_state`; errors as of `compare`."""
    if variants.empty:
        return pd.DataFrame(columns=PAIRS)
    sides = case_scores.metric_scores(before, metric), case_scores.metric_scores(after, metric)
    case_scores.require_one_system(pd.concat(sides))
    for lost in variants.loc[variants["parent_id"].isna(), "case_id"]:
        raise TableError("a variant has no parent_id", where="table cases", found=lost)
    pairs = variants.reindex(columns=PAIRS[:4]).astype({"intensity": float})
    for rows, key, name in ((sides[1], "case_id", "variant"), (sides[0], "parent_id", "base")):
        side = rows[["case_id", "value", "state"]].set_axis([key, name, f"{name}_state"], axis=1)
        pairs = pairs.merge(side, on=key, how="left")
    states = ["variant_state", "base_state"]
    if pairs[states].isna().any(axis=1).all():
        raise TableError(
            "no variant has a score beside its parent's",
            where="table scores",
            do="score base cases and variants alike",
        )
    pairs[states] = pairs[states].fillna("not_asked")
    return pairs.sort_values("case_id", kind="stable", ignore_index=True)


def _row(part: pd.DataFrame, metric: str, threshold: float | None, rng: np.random.Generator) -> dict:
    both, span = part.dropna(subset=["base", "variant"]), case_scores.difference_range(metric)
    clusters = case_scores.cluster_ids(both["parent_id"])
    moved = paired_bootstrap(both["base"], both["variant"], clusters=clusters, span=span, rng=rng)
    sign = 1 if case_scores.higher_is_better(metric) else -1
    loss = sign * (both["base"] - both["variant"])
    limit = np.nan if threshold is None else sign * threshold
    falls = (sign * both["base"] >= limit) & (sign * both["variant"] < limit)
    lost = case_scores.rank_rows(both.assign(loss=loss)[loss > 0], ["-loss"], ["case_id"])
    return asdict(moved) | {
        "pairs": len(part),
        "base_mean": both["base"].mean(),
        "variant_mean": both["variant"].mean(),
        "difference": moved.value,
        "p": exceeds(loss.to_numpy(dtype=float), 0.0, clusters=clusters, rng=rng),
        "to_fail": np.nan if threshold is None else float(falls.sum()),
        "loss": loss.mean(),
        "left_out": len(part) - len(both),
        "reason": why_left_out(moved, part["base_state"], part["variant_state"], ("base", "variant")),
        "case_ids": lost["case_id"].head(EXAMPLES).tolist(),
    }


def pair_answers(
    answers: pd.DataFrame,
    again: pd.DataFrame,
    variants: pd.DataFrame,
    asked: pd.DataFrame,
    compare: Callable[..., list[Agreement]] = compare_answers,
) -> pd.DataFrame:
    """One row per answer given again, beside the first answer to its parent question: same_answer
    (`scores.same_answer`), True or False; None where an answer is missing (`reason` says why).

    answers : of the parent questions; later ones of a log are pairs of kind `repeat` too; asked : the parent
    questions, with their language; again : of `variants`, which have case_id, parent_id, kind and language

    Example: `pair_answers(run.answers(), run.ask(again, "repeats"), again, run.cases()).same_answer.mean()`
    """
    first = answers.loc[answers["repeat"] == 0, ["case_id", "answer", "error"]].rename(
        columns={"case_id": "parent_id"}
    )
    known = variants[variants["kind"].isin(list(REPEATED))][["case_id", "parent_id", "kind", "language"]]
    given = again[["case_id", "answer", "error"]].merge(known, on="case_id")
    logged = answers.loc[answers["repeat"] > 0, ["case_id", "answer", "error"]]
    languages = asked.drop_duplicates("case_id").set_index("case_id")["language"]
    logged = logged.assign(
        parent_id=logged["case_id"], kind=REPEAT, language=logged["case_id"].map(languages).fillna("en")
    )
    pairs = pd.concat([part for part in (given, logged) if len(part)] or [given], ignore_index=True).merge(
        first, on="parent_id", how="left", suffixes=("_again", "")
    )
    lost = pairs["error"].where(~pairs["error"].map(is_blank), pairs["error_again"])
    lost = lost.where(~lost.map(is_blank), "")
    pairs["reason"] = lost.where(pairs["answer"].notna(), "the question itself was not asked")
    both = pairs[pairs["reason"] == ""]
    texts = list(zip(both["answer"], both["answer_again"], strict=True))
    agreements = compare(texts, both["language"].tolist()) if texts else []
    same = pd.Series([each.same for each in agreements], index=both.index, dtype=object)
    return pairs.assign(same_answer=same.reindex(pairs.index))


def share_repeated(pairs: pd.DataFrame, kind: str) -> Interval:
    """Share of the questions whose every answer of this kind agrees with the first, in [0, 1], higher is
    better; Clopper-Pearson over questions, those with a missing answer left out and counted."""
    part = pairs[pairs["kind"] == kind]
    whole = part.groupby("parent_id")["same_answer"].agg(
        lambda each: None if each.isna().any() else bool(all(each))
    )
    reasons = part.loc[part["reason"] != "", "reason"]
    return exact_share(whole, nothing=next(iter(reasons), "no question was asked again"))


def summarize_repeats(pairs: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """Rows of the scorecard, repeated_same_answer and follow_up_same_answer: of all questions, and of those
    of each origin by themselves; cases : those asked again.

    Example: `summarize_repeats(pairs, run.cases())[["metric", "value", "low", "high", "n"]]`
    """
    return origin_slices.summarize_each_origin(
        pairs,
        pairs["parent_id"],
        cases,
        lambda rows: {rate: share_repeated(rows, kind) for kind, rate in REPEATED.items()},
    )


def repeat_checks(pairs: pd.DataFrame, *, least: float, generates: bool = True) -> pd.DataFrame:
    """Rows of the table `checks`: at least the share `least` of the questions asked again must be answered
    alike, and LEAST_FOLLOW_UP of the follow-ups, which leave out their subject, like the whole question; of
    an assistant that only quotes (`generates`), a pass is one by design. ParameterError if `least` is outside
    [0, 1].

    >>> pairs = pd.DataFrame({"parent_id": range(6), "kind": REPEAT, "same_answer": False, "reason": ""})
    >>> repeat_checks(pairs, least=0.9)[["check", "outcome", "value"]].to_numpy().tolist()
    [['repeatability', 'raised', 0.0], ['conversation', 'not applicable', nan]]
    """
    parameter_ranges.check("least_repeated", least, "in [0, 1]")
    again = Check("05_robustness", "repeatability", "all", REPEATED[REPEAT], least, LOW)
    later = Check("05_robustness", "conversation", "all", REPEATED[FOLLOW_UP], LEAST_FOLLOW_UP, LOW)
    rows = []
    for kind, check in ((REPEAT, again), (FOLLOW_UP, later)):
        changed = pairs.loc[(pairs["kind"] == kind) & pairs["same_answer"].eq(False), "parent_id"]
        rows.append(check.judge(share_repeated(pairs, kind), changed.unique().tolist()))
    return mark_by_design(checks_frame(rows), generates)


def measure_changes(answers: pd.DataFrame, variants: pd.DataFrame) -> pd.DataFrame:
    """What the key figure tells of each answer, as rows of the scores table, 1 or 0: states_key_figure, among
    distractors, of questions whose first answer states it (higher is better); follows_misleading_passage, the
    false figure and not the true one; answers_without_evidence, not declined though no passage states it
    (lower is better). An answer that names passages which it was not given is not measured.

    answers : to these; variants : of `cases.adversarial_cases`

    Example: `measure_changes(run.ask(stressed, "adversarial"), stressed).groupby("metric").value.mean()`
    """
    rows = []
    for case in variants.merge(answers.drop(columns="question"), on="case_id").to_dict("records"):
        if case["kind"] == DISTRACTORS and not case["stated"]:
            continue
        error = "" if is_blank(case["error"]) else case["error"]
        if not error and not is_missing(case["passages"]) and not is_missing(case["contexts"]):
            # passages named that are not among those given, nor a part of one of them
            given = [" ".join(str(text).split()) for text in case["passages"]]
            named = [" ".join(str(text).split()) for text in case["contexts"]]
            if any(not any(name in text for text in given) for name in named):
                error = OTHER_PASSAGES
        value, state = (np.nan, "not_measured") if error else (float(_holds(case)), "scored")
        rows.append((case["case_id"], case["system"], RATES[case["kind"]], value, state, error[:200], "[]"))
    return pd.DataFrame(rows, columns=["case_id", "system", "metric", "value", "state", "reason", "detail"])


def summarize_changes(scores: pd.DataFrame, variants: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """The shares as rows of the scorecard: of all questions, and of each origin by itself.

    scores : of `measure_changes`; cases : the questions whose passages were changed

    Example: `summarize_changes(changes, stressed, run.cases())[["metric", "value", "low", "high", "n"]]`
    """
    return origin_slices.summarize_each_origin(
        scores,
        scores["case_id"].map(variants.set_index("case_id")["parent_id"]),
        cases,
        lambda rows: {metric: _share(rows, metric, CONFIDENCE) for metric in RATES.values()},
    )


def passage_checks(scores: pd.DataFrame, *, most: float) -> pd.DataFrame:
    """Rows of the table `checks`, one for each change of passages, with an error of `SIGNIFICANCE` over all.

    most : largest share of answers that may lose the figure, or follow what they should not, in [0, 1], else
        ParameterError

    >>> scores = pd.DataFrame({"case_id": range(40), "metric": RATES[MISLEADING], "value": [1.0, 0.0] * 20})
    >>> passage_checks(scores.assign(state="scored", reason=""), most=0.25)["outcome"].tolist()
    ['not applicable', 'raised', 'not applicable']
    """
    parameter_ranges.check("most_followed", most, "in [0, 1]")
    rows = []
    for kind, metric in RATES.items():
        limit, bound, failed = (1 - most, LOW, 0) if kind == DISTRACTORS else (most, HIGH, 1)
        shown = scores.loc[(scores["metric"] == metric) & (scores["value"] == failed), "case_id"]
        check = Check("05_robustness", *CHECKS[kind], metric, limit, bound)
        rows.append(check.judge(_share(scores, metric, LEVEL), shown.tolist()))
    return checks_frame(rows)


def _share(scores: pd.DataFrame, metric: str, level: float) -> Interval:
    rows = scores[scores["metric"] == metric]
    nothing = [*rows["reason"].mode(), "no question with a key figure was asked so"]
    return exact_share(rows["value"], level, nothing=nothing[0])


def _holds(case: dict) -> bool:
    """Whether what the kind's rate counts is true of the answer; figures in digits or in words."""
    if case["kind"] == DROPPED:
        return not abstains(case["answer"])
    said, true, false = (
        {one.value for one in find_amounts(case[name] or "", True)}
        for name in ("answer", "fact", "false_fact")
    )
    return bool(said & false) and not said & true if case["kind"] == MISLEADING else bool(said & true)


def measure_wordings(judged: pd.DataFrame, *, seed: int, level: float = CONFIDENCE) -> dict[str, Interval]:
    """`diagnosis.measure_groups` of the rows of `blame.judge_answers`; not available where no
    question was answered in several wordings."""
    assigned = _assigned(judged)
    if assigned.empty:
        return dict.fromkeys(
            diagnosis.QUANTITIES, not_available("no question was answered, and judged, in several wordings")
        )
    return diagnosis.measure_groups(assigned, rng=np.random.default_rng(seed), level=level)


def summarize_wordings(judged: pd.DataFrame, cases: pd.DataFrame, *, seed: int) -> pd.DataFrame:
    """Rows of the scorecard, wordings_accuracy, wordings_robustness and their like: of all these answers, and
    of the questions of each origin by themselves.

    Example: `summarize_wordings(judged, run.cases(), seed=0)[["metric", "slice", "value", "low", "high"]]`
    """
    return origin_slices.summarize_each_origin(
        judged,
        _questions_of(judged),
        cases,
        lambda rows: {NAMES[name]: one for name, one in measure_wordings(rows, seed=seed).items()},
    )


def wordings_checks(judged: pd.DataFrame, cases: pd.DataFrame, *, seed: int) -> pd.DataFrame:
    """Rows of the table `checks`: one for each origin whose questions were judged in several wordings, with
    an error of `SIGNIFICANCE` over all; one that says why where there is none.

    Raised where the upper bound of R is below LEAST_ROBUST, clear where the lower bound reaches it.

    judged : rows of `blame.judge_answers`; cases : the test set

    Example: `wordings_checks(judged, run.cases(), seed=0)[["aspect", "outcome", "value", "high"]]`
    """
    parts = {
        name: rows
        for name, rows in origin_slices.split_by_origin(judged, _questions_of(judged), cases)
        if measure_wordings(rows, seed=seed)["robustness"].n
    }
    parts = parts if len(parts) > 1 else {"all": judged}
    found = []
    for origin, rows in parts.items():
        robust = measure_wordings(rows, seed=seed, level=1 - SIGNIFICANCE / len(parts))["robustness"]
        check = Check("05_robustness", "wordings", origin, NAMES["robustness"], LEAST_ROBUST, LOW)
        failed = _assigned(rows).query("module != '' and kind != 'gap'")["case_id"] if robust.n else []
        found.append(check.judge(robust, list(failed)))
    return checks_frame(found)


def failing_modules(judged: pd.DataFrame, *, seed: int) -> pd.DataFrame:
    """Of the failing answers to questions that are answered rightly in another wording, the share that each
    module failed: module, value, low, high, n; without a row where none failed so.

    Example: `failing_modules(judged, seed=0).query("value > 0")`

    Source: GRAMMAR, section 3.3.
    """
    assigned, rng = _assigned(judged), np.random.default_rng(seed)
    shares = {} if assigned.empty else diagnosis.defective_module(assigned, rng=rng).shares
    rows = [(name, share.value, share.low, share.high, share.n) for name, share in shares.items() if share.n]
    columns = ["module", "value", "low", "high", "n"]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(columns[1:], float))


def _assigned(judged: pd.DataFrame) -> pd.DataFrame:
    """Rows of `diagnosis.modules`; empty where no question was answered in several wordings."""
    rows = groups_of(judged)
    return rows if rows.empty else diagnosis.modules(diagnosis.read_results(rows))


def _questions_of(judged: pd.DataFrame) -> pd.Series:
    """The question of the test set that each row goes back to, by its id."""
    return judged["parent_id"].where(~judged["parent_id"].map(is_blank).astype(bool), judged["case_id"])
