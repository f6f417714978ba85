"""Who judged an answer, and whether the instruments' verdict tells anything of it."""

from collections.abc import Callable, Sequence

import pandas as pd

from ragassay.tables import is_blank

RATERS, MACHINE, ORIGINAL = "raters", "machine", "as its original"
UNTOLD = "nobody: the instruments' verdict tells nothing"
CITES, DECLINES = "citations_present", "abstains"
Score = Callable[..., pd.DataFrame]


def telling(verdicts: pd.Series, cites: pd.Series, declines: pd.Series) -> pd.Series:
    """The verdicts, unless they reject every answer that does not decline for a lack of citations: of a
    system that gives none. Then NaN for these; whether one that declines was right to is known without them.

    verdicts : 1 accepted, 0 rejected, NaN where there is none; cites : share of its sentences that cite, NaN
        where the answer has none to cite; declines : 1 where it declines
    """
    answered = cites.notna() & (declines != 1)
    tells = (verdicts[answered] == 1).any() or not (cites == 0).any() or (cites > 0).any()
    return verdicts if tells else verdicts.where(~answered)


def only_telling(judged: pd.DataFrame, score: Score) -> pd.DataFrame:
    """The rows of `failing_answer_facts.judge_answers`; where the instruments' verdict tells nothing of an
    answer, `correct` is NaN and `judged_by` is UNTOLD."""
    machine = judged["correct"].where(judged["judged_by"] == MACHINE)
    came = judged["answer"].notna() & judged["error"].map(is_blank).astype(bool)
    if machine.isna().all() or not came.any():
        return judged
    cites, declines = _of_each(judged, score(judged[came], metrics=[CITES, DECLINES]), (CITES, DECLINES))
    untold = machine.notna() & telling(machine, cites, declines).isna()
    untold |= (judged["judged_by"] == ORIGINAL) & judged["parent_id"].isin(judged.loc[untold, "case_id"])
    return judged.assign(
        correct=judged["correct"].mask(untold), judged_by=judged["judged_by"].mask(untold, UNTOLD)
    )


def countable_rows(judged: pd.DataFrame) -> pd.DataFrame:
    """The rows that shares of right answers are counted of. Where the instruments' verdict tells of refusals
    alone, those that raters judged: a share of the others would be one of refusals."""
    if not (judged["judged_by"] == UNTOLD).any():
        return judged
    rated = judged["judged_by"] == RATERS
    alike = (judged["judged_by"] == ORIGINAL) & judged["parent_id"].isin(judged.loc[rated, "case_id"])
    return judged[rated | alike]


def _of_each(rows: pd.DataFrame, scored: pd.DataFrame, metrics: Sequence[str]) -> list[pd.Series]:
    return [
        rows["case_id"].map(scored[scored["metric"] == name].set_index("case_id")["value"]).astype(float)
        for name in metrics
    ]
