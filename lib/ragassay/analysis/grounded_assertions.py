"""What "grounded" by raters counts of answers that assert nothing, or answer a question that the documents
leave open; and the share of grounded ones among the answers that assert something."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from ragassay.analysis import scorecard, slices
from ragassay.analysis.clusters import case_clusters
from ragassay.cases.origins import with_origin
from ragassay.scores.directions import JUDGED
from ragassay.stats import interval_text

GROUNDED, DECLINES = f"{JUDGED}grounded", "abstains"


class Asserting(NamedTuple):
    """Counts of rated answers: `refused`, questions that the documents answer, declined, and how many of
    these raters call grounded; `replied`, questions without an answer, answered, and the same; `n`, answers
    that do not decline, how many are `grounded`, and their `share` in [0, 1] with its 95 % interval."""

    refused: int
    refused_grounded: int
    replied: int
    replied_grounded: int
    n: int
    grounded: int
    share: float
    low: float
    high: float


def grounded_among(
    of_people: pd.DataFrame, measured: pd.DataFrame, cases: pd.DataFrame, *, rng: np.random.Generator
) -> Asserting | None:
    """What raters call grounded, by whether the answer declines and the documents answer; None where they
    did not judge it, or no judged answer declines and none replies to a question without an answer.

    of_people : scores of one system with `judged_grounded`; measured : with `abstains`; cases : case_id,
        answerable, and what tells clusters. The interval is that of the scorecard, over the same clusters.
    """
    rows = _judged(of_people, measured, cases)
    refused, replied = (
        rows[rows["declines"] & rows["answerable"]],
        rows[~rows["declines"] & ~rows["answerable"]],
    )
    if not len(refused) + len(replied):
        return None
    asserting = rows[~rows["declines"]]
    ids = set(asserting["case_id"])
    scores = of_people[(of_people["metric"] == GROUNDED) & of_people["case_id"].isin(ids)]
    card = scorecard.summarize_scores(scores, rng=rng, clusters=case_clusters(cases)).to_dict("records")
    share = card[0] if card else dict.fromkeys(("value", "low", "high"), float("nan"))
    counts = [
        int(each) for part in (refused, replied, asserting) for each in (len(part), part["value"].sum())
    ]
    return Asserting(*counts, *(float(share[name]) for name in ("value", "low", "high")))


def note(found: Asserting | None) -> str:
    """What stands below the table of raters' shares; "" where nothing departs."""
    if found is None:
        return ""
    share = f"Of the {found.n} answers that do not decline {found.grounded} are grounded, {_share(found)}."
    return f"Grounded: by the raters' guide {'; '.join(_counts(found))}. {share if found.n else ''}".strip()


def beside(found: Asserting | None) -> str:
    """The same in few words, beside a gate on this measure."""
    if found is None:
        return ""
    share = [f"{_share(found)} of the {found.n} that do not decline"] if found.n else []
    return ", ".join([*share, *_counts(found)])


def beside_gates(
    gates: pd.DataFrame, of_people: pd.DataFrame, measured: pd.DataFrame, cases: pd.DataFrame
) -> list[str]:
    """`beside` of each gate on `judged_grounded`, over the questions of its origin; "" of any other gate."""
    known = with_origin(cases)
    return [
        beside(_of_origin(row["origin"], of_people, measured, known))
        if (row["metric"], row["slice"]) == (GROUNDED, slices.ALL)
        else ""
        for row in gates.to_dict("records")
    ]


def _of_origin(
    origin: str, of_people: pd.DataFrame, measured: pd.DataFrame, cases: pd.DataFrame
) -> Asserting | None:
    chosen = cases if origin == slices.ALL else cases[cases["origin"] == origin]
    return grounded_among(of_people, measured, chosen, rng=np.random.default_rng(0))


def _judged(of_people: pd.DataFrame, measured: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """The judged answers of which it is known whether they decline: case_id, value, declines, answerable."""
    judged = of_people[(of_people["metric"] == GROUNDED) & of_people["value"].notna()][
        ["case_id", "system", "value"]
    ]
    said = measured[(measured["metric"] == DECLINES) & measured["value"].notna()]
    said = said[["case_id", "system", "value"]].rename(columns={"value": "declines"})
    rows = judged.merge(said, on=["case_id", "system"]).merge(cases[["case_id", "answerable"]], on="case_id")
    return rows.assign(declines=rows["declines"] > 0, answerable=rows["answerable"].astype(bool))


def _counts(found: Asserting) -> list[str]:
    not_grounded = found.refused - found.refused_grounded
    parts = [
        (found.refused, f"{not_grounded} of {found.refused} needless refusals count as not grounded"),
        (
            found.replied,
            f"{found.replied_grounded} of {found.replied} answers to questions without an answer as grounded",
        ),
    ]
    return [text for n, text in parts if n]


def _share(found: Asserting) -> str:
    return interval_text(found.share, found.low, found.high, percent=True)
