"""What "grounded" by raters counts of answers that assert nothing, or answer a question that the documents
leave open; and the share of grounded ones among the answers that assert something."""

from math import nan
from typing import NamedTuple

import numpy as np
import pandas as pd

from ragassay.analysis import scorecard
from ragassay.analysis.resampling_clusters import case_clusters
from ragassay.analysis.slicing import scorecard_slices
from ragassay.cases.case_origins import with_origin
from ragassay.scores.metric_directions import JUDGED
from ragassay.stats import interval_text

GROUNDED, DECLINES = f"{JUDGED}grounded", "abstains"


class Asserting(NamedTuple):
    """Counts of rated answers: `refused`, questions that the documents answer, declined, and how many of
    these raters call grounded; `replied`, questions without an answer, answered, and the same; `n`, answers
    that do not decline, how many are `grounded`, and their `share` in [0, 1] with its 95 % interval;
    `right_refusals`, questions without an answer, declined, that raters call not grounded."""

    refused: int
    refused_grounded: int
    replied: int
    replied_grounded: int
    n: int
    grounded: int
    share: float
    low: float
    high: float
    right_refusals: int = 0


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
    rightly = rows[rows["declines"] & ~rows["answerable"]]
    found = Asserting(*counts, *(float(share[name]) for name in ("value", "low", "high")))
    return found._replace(right_refusals=int((rightly["value"] == 0).sum()))


def note(found: Asserting | None) -> str:
    """What stands below the table of raters' shares; "" where nothing departs."""
    if found is None:
        return ""
    told = _share(found, decimals=1)
    share = f"Of the {found.n} answers that do not decline {found.grounded} are grounded, {told}."
    return f"Grounded: by the raters' labels {'; '.join(_counts(found))}. {share if found.n else ''}".strip()


def split(found: Asserting | None) -> str:
    """What the answers are that raters call not grounded, each counted once; "" where nothing departs."""
    if found is None:
        return ""
    needless, unsupported = found.refused - found.refused_grounded, found.n - found.grounded
    parts = [
        (needless, "refuse though the documents hold the answer"),
        (found.right_refusals, "refuse where the documents hold none"),
        (unsupported, "tell something unsupported"),
    ]
    told = ", ".join(f"{n} {what}" for n, what in parts if n)
    every = needless + unsupported + found.right_refusals
    return f"of the {every} not grounded {told}" if told else ""


def gate_note(found: Asserting | None, threshold: float = nan) -> str:
    """The same in few words, beside a gate on this measure; the share is information, and passes no gate."""
    if found is None:
        return ""
    counted = f"{found.replied_grounded} of {found.replied} replies to questions without an answer"
    replies = [f"{counted} count as grounded"] if found.replied else []
    told = f"for information: {_share(found, threshold)} of the {found.n} that do not refuse"
    return "; ".join(filter(None, [split(found), *replies, *([told] if found.n else [])]))


def of_gates(
    gates: pd.DataFrame, of_people: pd.DataFrame, measured: pd.DataFrame, cases: pd.DataFrame
) -> pd.DataFrame:
    """`beside` and `split` of each gate on `judged_grounded` of all cases, over the questions of its origin;
    "" of any other gate."""
    known = with_origin(cases)
    found = [
        _of_origin(row["origin"], of_people, measured, known)
        if (row["metric"], row["slice"]) == (GROUNDED, scorecard_slices.ALL)
        else None
        for row in gates.to_dict("records")
    ]
    pairs = zip(found, gates["threshold"], strict=True)
    told = {"beside": [gate_note(one, bar) for one, bar in pairs], "split": [split(one) for one in found]}
    return pd.DataFrame(told, index=gates.index)


def _of_origin(
    origin: str, of_people: pd.DataFrame, measured: pd.DataFrame, cases: pd.DataFrame
) -> Asserting | None:
    chosen = cases if origin == scorecard_slices.ALL else cases[cases["origin"] == origin]
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


def _share(found: Asserting, bar: float = nan, decimals: int | None = None) -> str:
    return interval_text(found.share, found.low, found.high, decimals, percent=True, bar=bar)
