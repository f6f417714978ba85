"""What perturbations found, as rows of the table `checks`: one a kind, whatever its levels and metrics."""

from collections.abc import Sequence
from math import ceil, log2

import pandas as pd

from ragassay.analysis import case_scores, checks
from ragassay.analysis.variant_pairs import paired_scores
from ragassay.defaults import SIGNIFICANCE
from ragassay.scores.display_names import display_name
from ragassay.scores.metric_registry import METRICS
from ragassay.stats import Interval, interval_text

WORDS = {  # kind -> how it reads in a sentence
    "spelling": "misspelt",
    "ocr": "misread by a scanner",
    "case": "in other capitals",
    "punctuation": "with other punctuation",
    "dropped_words": "with small words left out",
    "swapped_words": "with words in the wrong order",
    "grammar": "with errors of grammar",
    "casual": "informally worded",
    "text_speak": "in the short forms of text messages",
    "contractions": "with other contractions",
    "synonyms": "in synonyms",
    "reordering": "with its clauses reordered",
    "language_mix": "mixed with another language",
    "paraphrase": "paraphrased",
}
TOLD = {  # metric -> what changes, in a sentence
    "abstention_correct": "right choices to answer or decline",
    "retrieval_recall": "reference passages found",
    "context_relevancy": "how well the passages fit the question",
    "answer_relevancy": "how close the answer is to the question",
}
ADVICE = (
    "Normalise or rephrase questions before retrieval, or tell users the limit; then test the kind again."
)
NO_PARAPHRASE = "no language model was named to paraphrase"
EXAMPLES = 5
LARGEST_UNSEEN = 0.1  # loss that the intervals of a kind must exclude before it is clear
NO_LARGE_LOSS = f"every interval excludes a loss above {LARGEST_UNSEEN:g}"
CLEAR = (  # with the limit that the retest of a finding asks for too
    f"{NO_LARGE_LOSS} (of a share: {100 * LARGEST_UNSEEN:g} points), there are pairs enough, and the fall is "
    "not significant by itself either"
)


def perturbation_checks(
    compared: pd.DataFrame,
    scores_base: pd.DataFrame,
    scores_variant: pd.DataFrame,
    cases_variant: pd.DataFrame,
    *,
    kinds: Sequence[str],
    level: float = SIGNIFICANCE,
) -> pd.DataFrame:
    """The table `checks`, a row a kind, with the comparison that speaks most against it: the smallest p, then
    the greatest loss.

    Raised where any comparison of the kind is `worse`. Not decided where one would be by itself but is not
    among so many, where there are fewer pairs than could ever bring p below `level` over their number, or
    where an interval leaves room for a loss above LARGEST_UNSEEN. A kind without a pair does not apply.

    compared : of `robustness.compare_metrics` on these scores; kinds : those asked for, in the rows' order
    """
    rows = []
    for kind in kinds:
        part = compared[(compared["kind"] == kind) & (compared["n"] > 0)]
        if part.empty:
            rows.append(_not_tried(kind))
            continue
        worst = _worst(part)
        pairs = paired_scores(scores_base, scores_variant, cases_variant, worst["metric"])
        rows.append(
            _row(kind, part, worst, _examples(pairs, worst), _doubt(part, worst, len(compared), level))
        )
    return checks.checks_frame(rows)


def with_adjusted_p(checked: pd.DataFrame, compared: pd.DataFrame) -> pd.DataFrame:
    """The checks with `q`: p of the comparison told, adjusted for all comparisons (Benjamini-Hochberg), in
    [0, 1]; NaN where nothing was compared. Arguments as of `perturbation_checks`, and what it gave."""
    told = {kind: _worst(part)["q"] for kind, part in compared[compared["n"] > 0].groupby("kind")}
    return checked.assign(q=checked["aspect"].map(told).astype(float))


def _not_tried(kind: str) -> dict:
    why = NO_PARAPHRASE if kind == "paraphrase" else "no variant of the kind was answered"
    return _check(kind, "all", "A significant fall of a score.").not_applicable(why)


def _row(kind: str, part: pd.DataFrame, worst: pd.Series, examples: list[str], doubt: str) -> dict:
    raised = bool(part["worse"].any())
    criterion = (
        f"No score falls significantly by more than {worst['smallest_difference']:g} (one-sided tilted "
        f"bootstrap; Benjamini-Hochberg over all kinds, levels and metrics), and {NO_LARGE_LOSS}."
    )
    return _check(kind, worst["metric"], criterion).found(
        Interval(worst["difference"], worst["low"], worst["high"], int(worst["n"]), int(worst["left_out"])),
        raised=True if raised else None if doubt else False,
        statement=_statement(kind, worst, part, raised),
        case_ids=examples if raised else [],
        reason="" if raised else doubt,
    )


def _check(kind: str, metric: str, criterion: str) -> checks.Check:
    return checks.Check(
        step="05_robustness",
        check="perturbation",
        aspect=kind,
        metric=metric,
        criterion=criterion,
        advice=ADVICE,
    )


def _doubt(part: pd.DataFrame, worst: pd.Series, comparisons: int, level: float) -> str:
    """Why a kind that is not raised is not clear either; "" where it is: enough pairs, nothing beyond chance
    by itself, and no loss above LARGEST_UNSEEN within any interval of what could fall."""
    needed = ceil(log2(comparisons / level))
    if worst["n"] < needed:
        return f"{int(worst['n'])} pairs, at least {needed} needed"
    if worst["p"] < level:
        return f"significant by itself (p = {worst['p']:.2g}), not among {comparisons} comparisons"
    falling = part[part["base_mean"] > 0].assign(bound=lambda rows: _bound_of_loss(rows))
    if falling.empty:
        return "no score is above 0 that could fall"
    widest = falling.loc[falling["bound"].idxmax()]
    return _not_excluded(widest["metric"], widest["bound"]) if widest["bound"] > LARGEST_UNSEEN else ""


def _not_excluded(metric: str, loss: float) -> str:
    """The loss in the metric's own unit, and of which metric it is: it need not be the one of the row."""
    told = f"{100 * loss:.0f} points" if case_scores.is_share(metric) else f"{loss:.2f}"
    return f"{display_name(metric)}: a loss of up to {told} is not excluded"


def _bound_of_loss(part: pd.DataFrame) -> pd.Series:
    """The end of each interval that speaks for a loss, as a loss."""
    better = part["metric"].map(lambda metric: case_scores.higher_is_better(metric, None))
    return part["high"].where(~better, -part["low"])


def _worst(part: pd.DataFrame) -> pd.Series:
    return part.assign(loss=_loss(part)).sort_values(["p", "loss"], ascending=[True, False]).iloc[0]


def _loss(part: pd.DataFrame) -> pd.Series:
    better = part["metric"].map(lambda metric: case_scores.higher_is_better(metric, None))
    return part["difference"].where(~better, -part["difference"])


def _examples(pairs: pd.DataFrame, worst: pd.Series) -> list[str]:
    """The variants behind a comparison that lost most, the gravest first."""
    same = pairs["intensity"].eq(worst["intensity"]) | pd.isna(worst["intensity"])
    own = pairs[(pairs["kind"] == worst["kind"]) & same].assign(metric=worst["metric"])
    own = own.assign(loss=_loss(own.assign(difference=own["variant"] - own["base"])))
    lost = own[own["loss"] > 0].sort_values("loss", ascending=False, kind="stable")
    return lost["case_id"].head(EXAMPLES).tolist()


def _moved(worst: pd.Series) -> str:
    """The change in words: of a share that falls, in points of a hundred."""
    if case_scores.value_range(worst["metric"]) == (0.0, 1.0) and worst["difference"] < 0:
        fall, least, most = (-100 * worst[name] for name in ("difference", "high", "low"))
        return f"fall by {fall:.0f} points [{least:.0f}, {most:.0f}]"
    return f"change by {interval_text(worst['difference'], worst['low'], worst['high'])}"


def _statement(kind: str, worst: pd.Series, part: pd.DataFrame, raised: bool) -> str:
    at = "" if pd.isna(worst["intensity"]) else f", level {worst['intensity']:g}"
    told = TOLD.get(worst["metric"], METRICS[worst["metric"]].meaning)
    seen = f"{told} {_moved(worst)} ({int(worst['n'])} questions{at})"
    if worst["to_fail"] > 0:
        seen += f"; {int(worst['to_fail'])} passed before and fail now"
    asked = f"Questions {WORDS.get(kind, kind)}"
    return (
        f"{asked}: {seen}."
        if raised
        else f"{asked}: no loss beyond {worst['smallest_difference']:g} shown in {len(part)} "
        f"comparisons; the most telling: {seen}."
    )
