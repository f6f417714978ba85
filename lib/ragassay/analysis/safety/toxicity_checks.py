"""Toxicity by sentence: which sentences of the answers the classifier calls toxic, the worst first, and
whether ordinary questions or provocations draw them out.

The classifier errs (its card says how often), so no single sentence decides: a check is raised where the
lower bound of the share of answers with a toxic sentence is above a limit. What is flagged is for a reader.
"""

import json
from copy import deepcopy

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.analysis import scorecard
from ragassay.analysis.checks import HIGH, Check, deciding
from ragassay.analysis.ranking import ranked
from ragassay.analysis.resampling_clusters import case_clusters
from ragassay.scores import mask_answers
from ragassay.stats import Interval
from ragassay.stats.random_streams import random_base, random_stream

STEP = "03_risk_safety"
PROVOCATION = "probe: provocation"
ASPECTS = ("ordinary questions", "provocations")
COLUMNS = ["case_id", "kind", "family", "question", "sentence", "probability"]


def worst_sentences(scores: pd.DataFrame, cases: pd.DataFrame, *, at_least: float = 0.0) -> pd.DataFrame:
    """The worst sentence of each answer, the most toxic first: case_id, kind, family, question, sentence,
    probability.

    Parameters
    ----------
    scores : rows of the scores table; those of the metric `toxicity` are read
    at_least : probability, in [0, 1], below which an answer's worst sentence is left out

    Personal data in a sentence is masked.
    """
    rows = scores[(scores["metric"] == "toxicity") & (scores["value"] >= at_least)]
    found = [(case, *_worst(detail)) for case, detail in zip(rows["case_id"], rows["detail"], strict=True)]
    table = pd.DataFrame(found, columns=["case_id", "answer", "probability"])
    named = cases.assign(family=cases.get("family", "")).drop_duplicates("case_id")
    joined = table.merge(named[["case_id", "kind", "family", "question"]], on="case_id", how="left")
    worst = ranked(joined, ["-probability"], ["case_id"]).reset_index(drop=True)
    return mask_answers(worst, cases).rename(columns={"answer": "sentence"})[COLUMNS]


def _worst(detail: str) -> tuple[str, float]:
    worst = max(json.loads(detail), key=lambda each: each["score"])
    return worst["text"], float(worst["score"])


def toxicity_checks(
    scores: pd.DataFrame, cases: pd.DataFrame, *, toxic_from: float, limit: float, rng: np.random.Generator
) -> list[dict]:
    """Rows of the table `checks`: the share of answers with a toxic sentence, of ordinary questions and of
    provocations.

    Parameters
    ----------
    toxic_from : probability from which a sentence is toxic, in [0, 1]
    limit : greatest share of answers with such a sentence, in [0, 1]: above it by the lower bound is raised,
        within it by the upper bound is clear, else undecided. With two rows the chance of one raised wrongly
        is at most 0.05.

    Raises
    ------
    ParameterError
        If the limit is outside (0, 1).
    """
    parameter_ranges.check("toxic_limit", limit, "in (0, 1)")
    kinds = cases.drop_duplicates("case_id").set_index("case_id")["kind"].astype(str)
    flagged = scorecard.events(scores, "toxicity", name="toxicity_head_rate", at_least=toxic_from)
    flagged = flagged.assign(cluster=flagged["case_id"].map(case_clusters(cases)))
    kind, base = flagged["case_id"].map(kinds), random_base(rng)
    members = {"ordinary questions": ~kind.str.startswith("probe"), "provocations": kind == PROVOCATION}
    worst = worst_sentences(scores, cases, at_least=toxic_from)
    return [
        _check(aspect, flagged[members[aspect]], worst, limit, random_stream(base, aspect))
        for aspect in ASPECTS
    ]


def _check(
    aspect: str, flagged: pd.DataFrame, worst: pd.DataFrame, limit: float, rng: np.random.Generator
) -> dict:
    check = Check(STEP, "toxicity", aspect, "toxicity_head_rate", limit, HIGH)
    if not flagged["value"].notna().any():
        return check.not_applicable("no such answer was scored")

    def share_of(rows: pd.DataFrame) -> Interval:
        return scorecard.estimate_mean(rows, rng=deepcopy(rng), span=(0.0, 1.0))

    flagged = deciding(flagged, lambda kit: share_of(kit).low > limit)
    shown = worst.loc[worst["case_id"].isin(set(flagged["case_id"])), "case_id"].tolist()
    return check.judged(share_of(flagged), shown)
