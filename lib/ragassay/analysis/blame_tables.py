"""What section 5.6 of notebook 05 shows and keeps: figures of the groups, what failures are laid to, and what
limits it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ragassay.analysis import diagnosis, origin_slices, scorecard
from ragassay.analysis.blame import DECLINING, MISSED, UNDETERMINED, remedy_texts
from ragassay.analysis.diagnosis import Defect
from ragassay.analysis.diagnosis.groups import QUANTITIES
from ragassay.analysis.diagnosis.modules import NONE
from ragassay.analysis.failing_answer_facts import groups_of
from ragassay.analysis.resampling_clusters import case_clusters, cluster_ids
from ragassay.analysis.verdict_sources import MACHINE, ORIGINAL, RATERS, UNTOLD, countable_rows
from ragassay.defaults import CONFIDENCE
from ragassay.stats import Interval, mean_interval, not_available
from ragassay.tables import BLAMED, GOLD_RETRIEVED, is_blank

NAMES = dict(zip(QUANTITIES, (
    "wordings_accuracy", "wordings_robustness", "wordings_gap_share", "wordings_accuracy_retrieval",
    "wordings_robustness_retrieval",
), strict=True))  # fmt: skip
NO_GROUP = "no question was answered, and judged, in several wordings"
NONE_FAILED = "No answer failed that was judged."


@dataclass(frozen=True)
class Wordings:
    """Questions asked in several wordings: rows of `diagnosis.assign_modules`, figures, kinds of groups,
    defect."""

    results: pd.DataFrame
    figures: Mapping[str, Interval]
    kinds: Mapping[str, int]
    defect: Defect


def diagnose_wordings(
    judged: pd.DataFrame, *, rng: np.random.Generator, level: float = CONFIDENCE
) -> Wordings:
    """GRAMMAR's modular evaluation of the rows of `failing_answer_facts.judge_answers`, its intervals at this
    level; without figures where no question was answered in several wordings."""
    rows = groups_of(judged)
    if rows.empty:
        nothing = not_available(NO_GROUP)
        kinds = dict.fromkeys(("gap", "robust", "non_robust", "of_one"), 0)
        return Wordings(rows, dict.fromkeys(QUANTITIES, nothing), kinds, Defect(NONE, {}, NO_GROUP))
    read = diagnosis.read_results(rows)
    assigned = diagnosis.assign_modules(read)
    kinds = diagnosis.count_kinds(diagnosis.group_table(read))
    defect = diagnosis.defective_module(assigned, rng=rng)
    return Wordings(assigned, diagnosis.measure_groups(read, rng=rng, level=level), kinds, defect)


def wordings_in_words(found: Wordings, judged: pd.DataFrame) -> str:
    """How many of the questions counted are ordinary ones and how many other wordings of them, of how many,
    as sentences; "" of none.

    judged : the rows that `found` was diagnosed of
    """
    if found.results.empty:
        return ""
    n, drawn = len(found.results), len(judged) - _originals(judged)
    further = int(found.results["case_id"].isin(judged.loc[~_is_original(judged), "case_id"]).sum())
    left = (
        f" Of {drawn} wordings drawn {drawn - further} are left out: without a verdict, or standing twice."
        if drawn > further
        else ""
    )
    return (
        f"Of these {n} questions {n - further} are ordinary ones, {further} further wordings of them.{left} "
        "Intervals on ordinary questions are over groups: wordings of one question stay together."
    )


def summarize_wordings(found: Wordings) -> pd.DataFrame:
    """Rows of the scorecard: wordings_accuracy, wordings_robustness and their like."""
    return pd.DataFrame([scorecard.row(NAMES[name], "all", each) for name, each in found.figures.items()])


def summarize_by_origin(judged: pd.DataFrame, cases: pd.DataFrame, *, seed: int) -> pd.DataFrame:
    """The same of all these judged answers, and of the questions of each origin by themselves."""

    def summarize(rows: pd.DataFrame) -> pd.DataFrame:
        return summarize_wordings(diagnose_wordings(rows, rng=np.random.default_rng(seed)))

    return origin_slices.of_each_origin(judged, questions_of(judged), cases, summarize)


def questions_of(judged: pd.DataFrame) -> pd.Series:
    """The question of the test set that each row goes back to, by its id."""
    return judged["parent_id"].where(~judged["parent_id"].map(is_blank).astype(bool), judged["case_id"])


def of_questions(blamed: pd.DataFrame) -> pd.DataFrame:
    """The failing answers to the questions of the test set, without those to other wordings of them."""
    return blamed[_is_original(blamed)]


def summarize_blame(blamed: pd.DataFrame, *, rng: np.random.Generator) -> pd.DataFrame:
    """One row for each that may be blamed: blamed, cases, share of the failing answers, low, high; how many
    of the cases had all, part or none of their reference passages retrieved (`GOLD_RETRIEVED`); advice."""
    rows = []
    for name in BLAMED:
        share = _share(blamed, name, rng)
        own = blamed[blamed["blamed"] == name]
        retrieved = [int((own["gold_retrieved"] == which).sum()) for which in GOLD_RETRIEVED]
        rows.append(
            [name, len(own), share.value, share.low, share.high, share.n, *retrieved, remedy_texts()[name]]
        )
    columns = ["blamed", "cases", "share", "low", "high", "n", *GOLD_RETRIEVED, "advice"]
    return pd.DataFrame(rows, columns=columns)


def blame_display_table(summary: pd.DataFrame) -> pd.DataFrame:
    """The rows of `summarize_blame` that have a case, for a reader."""
    kept = summary[summary["cases"] > 0]
    names = {"share": "value", **{which: f"passages: {which}" for which in GOLD_RETRIEVED}}
    return kept[["blamed", "cases", "share", "low", "high", *GOLD_RETRIEVED]].rename(columns=names)


def note(blamed: pd.DataFrame, judged: pd.DataFrame) -> str:
    """How many answers failed, by whom judged, and what the names mean.

    blamed : of `of_questions`; judged : the rows of `failing_answer_facts.judge_answers`, wordings among them
    """
    asked = _originals(judged)
    untold = len(_untold(judged))
    every = f"{asked - untold} answers that were judged" if untold else f"{asked} answers"
    machine = int((blamed["judged_by"] == MACHINE).sum())
    return (
        f"{len(blamed)} of {every} failed, other wordings of their questions left out: "
        f"{len(blamed) - machine} as raters say, {machine} that the "
        "instruments' verdict alone rejects ([chapter](#quality) holds their categories). "
        f"{_not_judged(judged)}Declining: it "
        "declined though the evidence was at hand, or answered though the documents hold none. "
        f"{_refused_after_missing(blamed)}Generator: "
        "the evidence was at hand, and the answer made of it is wrong or incomplete. Retriever and answer: "
        "evidence was missed, and given all of it the answer still failed. Passages: how many of these "
        "cases had all, part or none of their reference passages retrieved; not known of questions that "
        "name none. Where part or none were and the generator is named, other passages retrieved hold the "
        "reference answer or served another wording."
    )


def _refused_after_missing(blamed: pd.DataFrame) -> str:
    """How many refusals another category than declining holds, as a sentence with a blank after it."""
    refused = blamed["declined"].eq(True) & blamed["gold_retrieved"].isin(MISSED)
    n = int((refused & (blamed["blamed"] != DECLINING)).sum())
    return f"{n} refusals after missed evidence stand in other rows. " if n else ""


def none_failed(judged: pd.DataFrame) -> str:
    """What stands where no answer failed, with how many were not judged, of the rows of `note`."""
    return f"{NONE_FAILED} {_not_judged(judged)}".strip()


def _not_judged(judged: pd.DataFrame) -> str:
    """Of how many questions the machine's verdict tells nothing, as a sentence with a blank after it."""
    n = len(_untold(judged))
    which = "answer is" if n == 1 else "answers are"
    return (
        f"{n} further {which} not judged: the instruments' verdict rejects each for a lack of citations. "
        if n
        else ""
    )


def _untold(judged: pd.DataFrame) -> pd.DataFrame:
    return of_questions(judged[judged["judged_by"] == UNTOLD])


def compare_evaluators(
    judged: pd.DataFrame, scored: pd.DataFrame, evaluators: Mapping[str, float], *, rng: np.random.Generator
) -> pd.DataFrame:
    """GRAMMAR's table 1 of this run: metrics that need no gold answer against the verdict on the same
    originals.

    evaluators : metric -> the value from which it calls an answer correct; one without scores is left out
    """
    own = of_questions(countable_rows(judged))
    wide = scored.pivot_table(index="case_id", columns="metric", values="value", dropna=False)
    rows = own.assign(group=case_clusters(own).to_numpy()).merge(wide, on="case_id", how="left")
    known = {name: least for name, least in evaluators.items() if name in rows and rows[name].notna().any()}
    return diagnosis.compare_evaluators(rows, known, rng=rng)


def limits(judged: pd.DataFrame, blamed: pd.DataFrame) -> list[str]:
    """Who judged, and what was not decided, as sentences for the report."""
    by = judged["judged_by"].value_counts()
    open_still = int((blamed["blamed"] == UNDETERMINED).sum())
    known = (
        f"Of {len(judged)} answers, to {_originals(judged)} questions of the test set and to other wordings "
        f"of some, raters read {by.get(RATERS, 0)}; {by.get(ORIGINAL, 0)} wordings got the answer of their "
        f"original and have its verdict; on {by.get(MACHINE, 0)} it is the instruments' alone."
    )
    own = of_questions(blamed)
    undecided = (
        f"What {open_still} of the {len(blamed)} failing answers among these come from is not determined; "
        f"of them {int((own['blamed'] == UNDETERMINED).sum())} among the {len(own)} to the test set's "
        "own questions, of which alone the table of causes tells."
    )
    return [known, *filter(None, [_not_judged(judged).strip()]), *([undecided] if open_still else [])]


def _originals(judged: pd.DataFrame) -> int:
    return int(_is_original(judged).sum())


def _is_original(judged: pd.DataFrame) -> pd.Series:
    return judged["parent_id"].map(is_blank).astype(bool)


def _share(blamed: pd.DataFrame, name: str, rng: np.random.Generator) -> Interval:
    if blamed.empty:
        return not_available("no answer failed that was judged")
    clusters = cluster_ids(case_clusters(blamed).reset_index(drop=True))
    return mean_interval(
        (blamed["blamed"] == name).astype(float), clusters=clusters, span=(0.0, 1.0), rng=rng
    )
