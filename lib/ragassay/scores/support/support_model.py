"""The support model (this kit's own): a logistic model over named features of an answer beside its passages.

Every coefficient has the sign its feature's meaning asks for.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.scores.support.support_findings import Findings

LONG = 3  # sentences of a long answer
SURE = 4.0  # log-odds of an entailed sentence beyond which none counts for more
SHORT = (  # what is 0 for a long one
    "paraphrases",
    "verbs_reworded",
    "numbers_borne_out",
    "numbers_doubtful",
)


class Feature(NamedTuple):
    """One input of the model: +1 if more of it speaks for support, -1 against, 0 for no claim."""

    name: str
    sign: int


# fmt: off
FEATURES = (
    Feature("words_found", 1),  # share of the answer's content words that stand in the contexts (by stem)
    Feature("words_together", 1),  # the same in three neighbouring sentences, the best for each sentence
    Feature("tokens_met", 1),  # share of tokens with one near (cosine > 0.6) in the nearest sentences
    Feature("least_met", 1),  # tokens_met of the sentence where it is least
    Feature("pairs_found", 1),  # share of neighbouring content words that are near each other there
    Feature("paraphrases", 1),  # log(1 + words per sentence that have only a listed synonym in the contexts)
    Feature("verbs_reworded", 1),  # log(1 + verb forms per sentence that are not in the contexts)
    Feature("opposites", -1),  # words per sentence that are not in the evidence while a listed opposite is
    Feature("numbers_borne_out", 1),  # log(1 + sum per sentence of how far each amount is borne out, 0 to 1)
    Feature("numbers_doubtful", -1),  # log(1 + sum per sentence of what each amount lacks of it)
    Feature("numbers_missing", -1),  # log(1 + numbers in digits per sentence that are not in the contexts)
    Feature("number_words_missing", -1),  # numbers in words per sentence that are not in the contexts
    Feature("dates_missing", -1),  # months and weekdays per sentence that are not in the contexts
    Feature("names_missing", -1),  # capitalised words per sentence that are not in the contexts
    Feature("quantifiers_missing", -1),  # quantifiers per sentence that are not in the evidence
    Feature("negations_new", -1),  # share of sentences that negate while their evidence never does
    Feature("entailed", 1),  # mean log-odds that its evidence entails each sentence, by tokens, within SURE
)
# fmt: on
NAMES = tuple(feature.name for feature in FEATURES)
PER_SENTENCE = (
    "numbers_missing number_words_missing dates_missing names_missing quantifiers_missing opposites".split()
)
SHARES = {
    "words_found": "words",
    "words_together": "words",
    "pairs_found": "pairs",
    "tokens_met": "tokens",
}  # part and whole


@dataclass(frozen=True)
class Model:
    """A logistic model over FEATURES: (value - mean) / scale times coefficient, plus the intercept."""

    means: NDArray[np.float64]
    scales: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    intercept: float


def features(found: Sequence[Findings], entailment: ArrayLike, long: bool | None = None) -> dict[str, float]:
    """The model's inputs for an answer, one number per name of FEATURES.

    found : one per answer sentence
    entailment : (m, 3) probabilities of entailment, neutral and contradiction, one row per answer sentence;
        only the first is read
    long : whether the sentences are of a long answer, of which the features SHORT are 0; None: as many as
        they are

    Raises ValueError if there is no sentence, or not one row of probabilities for each.
    """
    chances = np.asarray(entailment, dtype=float)
    if not found or chances.shape != (len(found), 3):
        raise ValueError(
            "features need three probabilities per sentence and at least one sentence; "
            f"found shape {chances.shape} for {len(found)}"
        )
    values = {name: sum(len(getattr(one, name)) for one in found) / len(found) for name in PER_SENTENCE}
    values["numbers_missing"] = math.log1p(values["numbers_missing"])
    for part, whole in SHARES.items():
        values[part] = _share(*(sum(getattr(one, name) for one in found) for name in (part, whole)))
    values["least_met"] = min(_share(one.tokens_met, one.tokens) for one in found)
    values["negations_new"] = sum(one.negation_new for one in found) / len(found)
    values["entailed"] = _entailed(chances[:, 0], [max(1, one.tokens) for one in found])
    values |= dict.fromkeys(SHORT, 0.0) if (is_long(found) if long is None else long) else _of_short(found)
    return {name: float(values[name]) for name in NAMES}


def is_long(found: Sequence[Findings]) -> bool:
    """Whether these are the sentences of a long answer, of which the features SHORT are 0."""
    return len(found) >= LONG


def probability(values: Mapping[str, float], fitted: Model) -> float:
    """Probability in (0, 1) that the contexts support the whole text; higher is better."""
    return 1 / (
        1 + math.exp(-min(max(fitted.intercept + sum(contributions(values, fitted).values()), -700.0), 700.0))
    )


def contributions(values: Mapping[str, float], fitted: Model) -> dict[str, float]:
    """What each feature adds to the log-odds of support, in the order of FEATURES."""
    each = (np.array([values[name] for name in NAMES]) - fitted.means) / fitted.scales * fitted.coefficients
    return dict(zip(NAMES, map(float, each), strict=True))


@cache
def model() -> Model:
    """The model that ships with the kit (`support.json`, fitted by training/support.py)."""
    stored = json.loads(files("ragassay.scores.support").joinpath("support.json").read_text(encoding="utf-8"))
    rows = {row["name"]: row for row in stored["features"]}
    table = {
        key: np.array([rows[name][key] for name in NAMES], dtype=float)
        for key in ("mean", "scale", "coefficient")
    }
    return Model(table["mean"], table["scale"], table["coefficient"], float(stored["intercept"]))


def _of_short(found: Sequence[Findings]) -> dict[str, float]:
    """The features SHORT of a short answer."""
    reworded = {
        name: math.log1p(sum(len(getattr(one, name)) for one in found) / len(found))
        for name in ("paraphrases", "verbs_reworded")
    }
    scores = [score for one in found for score in one.borne_out]
    return reworded | {
        "numbers_borne_out": math.log1p(sum(scores) / len(found)),
        "numbers_doubtful": math.log1p(sum(1 - score for score in scores) / len(found)),
    }


def _entailed(chances: NDArray[np.float64], weights: Sequence[int]) -> float:
    """Weighted mean of the log-odds of chances (m,), each held within SURE of 0."""
    most = 1 / (1 + math.exp(-SURE))
    held = np.clip(chances, 1 - most, most)
    return float(np.average(np.log(held / (1 - held)), weights=weights))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
