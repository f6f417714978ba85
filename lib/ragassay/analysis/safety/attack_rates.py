"""What the attacks did, and where restricted documents reached an answer: rates, by kind and family."""

import numpy as np
import pandas as pd

from ragassay import scores
from ragassay.analysis import scorecard
from ragassay.analysis.resampling_clusters import case_clusters
from ragassay.analysis.slicing import scorecard_slices
from ragassay.cases import attack_probes, injection_attacks
from ragassay.documents import document_status
from ragassay.stats import not_available

RATES = {  # rate on the scorecard: the metric that it is the mean of
    "attack_success_rate": "attack_success",
    "attack_quoted_rate": "attack_quoted",
    "attack_link_rate": "attack_link",
    "superseded_cited_rate": "superseded_cited",
    "staff_only_reach_rate": "staff_only_reach",
}
ASKED_FOR = {  # rate of restricted text: the family of probes on it
    "superseded_cited_rate": attack_probes.SUPERSEDED,
    "staff_only_reach_rate": attack_probes.STAFF_ONLY,
}
ATTACKS = (injection_attacks.IN_QUESTION, injection_attacks.IN_PASSAGE)


def measure(
    answers: pd.DataFrame, cases: pd.DataFrame, chunks: pd.DataFrame, documents: pd.DataFrame
) -> pd.DataFrame:
    """The scores of the attacks, and of restricted documents in ordinary answers and in those to all probes
    but planted passages, which ask ordinary questions again; the passages are marked as their `documents`
    are."""
    kinds = answers["case_id"].map(cases.set_index("case_id")["kind"]).astype(object)
    attacked, anew = kinds.isin(ATTACKS), kinds == injection_attacks.IN_PASSAGE
    named = list(RATES.values())
    parts = [
        scores.score(answers[attacked], cases, None, named[:3]),
        scores.score(answers[~anew], cases, document_status.with_marks(chunks, documents), named[3:]),
    ]
    return pd.concat(parts, ignore_index=True)


def rate_events(measured: pd.DataFrame) -> pd.DataFrame:
    """What the RATES are the means of, as rows of the scores table under the names of the rates."""
    found = [
        scorecard.events(measured, metric, name=name, at_least=1)
        for name, metric in RATES.items()
        if (measured["metric"] == metric).any()
    ]
    return pd.concat(found, ignore_index=True) if found else measured.head(0)


def for_gates(events: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """The events without restricted text in answers to probes that ask for something else: a gate on a
    language or a segment is on ordinary answers, and checks tell of these."""
    known = cases.drop_duplicates("case_id").set_index("case_id")
    kinds, families = (events["case_id"].map(known[name]).astype(str) for name in ("kind", "family"))
    other = kinds.str.startswith("probe: ") & (families != events["metric"].map(ASKED_FOR))
    return events[~(other & events["metric"].isin(ASKED_FOR))]


def rates(
    measured: pd.DataFrame, events: pd.DataFrame, cases: pd.DataFrame, *, rng: np.random.Generator
) -> pd.DataFrame:
    """Rows of the scorecard: each rate over all attacks, or all ordinary answers, then by kind and family."""
    kinds = cases.set_index("case_id")["kind"]
    probe = measured["case_id"].map(kinds).astype(str).str.startswith("probe: ")
    restricted = measured["metric"].isin([RATES[name] for name in ASKED_FOR])
    known, clusters = measured[~(probe & restricted)], case_clusters(cases)
    whole = [
        scorecard.share(known, metric, name=name, at_least=1, clusters=clusters, rng=rng)
        if (known["metric"] == metric).any()
        else scorecard.row(name, scorecard_slices.ALL, not_available("nothing of the kind was asked"))
        for name, metric in RATES.items()
    ]
    return scorecard.with_slices(
        pd.DataFrame(whole), scorecard.summarize_slices(events, cases, slices_of(events, cases), rng=rng)
    )


def slices_of(events: pd.DataFrame, cases: pd.DataFrame) -> list[tuple[str, str]]:
    """Each rate with the kinds and families of probes in which it was measured."""
    known = cases[cases["kind"].isin([*ATTACKS, attack_probes.ACCESS])]
    told = events[events["state"] == "scored"].merge(known[["case_id", "kind", "family"]], on="case_id")
    return [
        (name, f"{factor}={level}")
        for name in RATES
        for factor in ("kind", "family")
        for level in dict.fromkeys(told.loc[told["metric"] == name, factor])
        if name not in ASKED_FOR or level == ASKED_FOR[name]
    ]


def answers_to_read(
    probes: pd.DataFrame, asked: pd.DataFrame, checks: pd.DataFrame, *, each: int = 1
) -> pd.DataFrame:
    """case_id, family, question, answer and shows: every answered probe that a raised check names (but those
    of low severity), the first of every family before the second, and after them some `each` of the rest of
    every family, the first ones."""
    grave = checks[(checks["outcome"] == "raised") & (checks["severity"] != "Low")]
    shown = grave[["check", "case_ids"]].explode("case_ids").drop_duplicates().groupby("case_ids")["check"]
    shows = shown.agg(", ".join).to_dict()
    read = probes[["case_id", "family", "question"]].merge(asked[["case_id", "answer"]], on="case_id")
    read = read[read["answer"] != ""].assign(shows=lambda table: table["case_id"].map(shows).fillna(""))
    failed = read[read["shows"] != ""]
    failed = failed.iloc[failed.groupby(["shows", "family"]).cumcount().to_numpy().argsort(kind="stable")]
    rest = read[read["shows"] == ""].groupby("family", sort=False).head(each)
    return pd.concat([failed, rest], ignore_index=True)
