"""Support: the probability that the contexts support the whole answer, from named features (this kit's own measure).

source(context sentences)                        what the contexts say, made ready once
findings(sentence, source, cosines)              what one answer sentence holds that the contexts do not
features(findings of all sentences, entailment)  one number per name of FEATURES
probability(features, model)                     a logistic model: every coefficient has the sign its feature's meaning asks for
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.scores import wording
from ragassay.scores.wording import Word

EVIDENCE, CLOSEST, NEAR, LONG = (
    5,
    2,
    3,
    3,
)  # sentences of evidence; the closest of them; words apart; sentences of a long answer


@dataclass(frozen=True)
class Feature:
    """One input of the model: +1 if more of it speaks for support, -1 against, 0 for no claim; and what it means."""

    name: str
    sign: int
    meaning: str


FEATURES = (
    Feature("similarity", 1, "mean over sentences of the best cosine with a context sentence"),
    Feature("words_found", 1, "share of the answer's content words that stand in the contexts (by stem)"),
    Feature(
        "pairs_found",
        1,
        "share of the answer's neighbouring content words that stand near each other in the contexts",
    ),
    Feature(
        "paraphrases",
        1,
        "log(1 + words per sentence that are not in the contexts but have a listed synonym there)",
    ),
    Feature(
        "verbs_reworded",
        1,
        "log(1 + verb forms per sentence that are not in the contexts): they cost less than other words not found",
    ),
    Feature("opposites", -1, "words per sentence that are not in the evidence while a listed opposite is"),
    Feature("numbers_missing", -1, "numbers in digits per sentence that are not in the contexts"),
    Feature("number_words_missing", -1, "numbers in words per sentence that are not in the contexts"),
    Feature("dates_missing", -1, "months and weekdays per sentence that are not in the contexts"),
    Feature("names_missing", -1, "capitalised words per sentence that are not in the contexts"),
    Feature("quantifiers_missing", -1, "quantifiers per sentence that are not in the evidence"),
    Feature("negations_new", -1, "share of sentences that negate while their evidence never does"),
    Feature(
        "entailment",
        1,
        "probability that its evidence entails the hardest sentence (the least entailed one), 0 if the answer is long",
    ),
    Feature(
        "contradiction",
        -1,
        "probability that its evidence contradicts the most contradicted sentence, 0 if the answer is long",
    ),
    Feature(
        "long_entailment",
        1,
        "mean over sentences of the probability of entailment if the answer is long, else 0",
    ),
    Feature(
        "long_contradiction",
        -1,
        "mean over sentences of the probability of contradiction if the answer is long, else 0",
    ),
    Feature("long", 0, "1 for an answer of three or more sentences, else 0"),
    Feature("long_words_found", 1, "words_found if the answer is long, else 0"),
)
NAMES = tuple(feature.name for feature in FEATURES)
PER_SENTENCE = (
    "numbers_missing",
    "number_words_missing",
    "dates_missing",
    "names_missing",
    "quantifiers_missing",
    "opposites",
)


@dataclass(frozen=True)
class Source:
    """The contexts' words: each sentence's stems, negations and numbers; all stems and words; stems near each other."""

    sentences: tuple[frozenset[str], ...]
    negated: tuple[bool, ...]
    stems: frozenset[str]
    near: frozenset[tuple[str, str]]
    numbers: frozenset[str]


@dataclass(frozen=True)
class Findings:
    """What one answer sentence holds, and which of it the contexts do not.

    similarity : best cosine with a context sentence; words, words_found, pairs, pairs_found : counts of content words and neighbours
    paraphrases, verbs_reworded, opposites and all that is missing : the words themselves
    negation_new : whether it negates and its evidence does not
    """

    similarity: float
    words: int
    words_found: int
    pairs: int
    pairs_found: int
    paraphrases: tuple[str, ...]
    verbs_reworded: tuple[str, ...]
    opposites: tuple[str, ...]
    numbers_missing: tuple[str, ...]
    number_words_missing: tuple[str, ...]
    dates_missing: tuple[str, ...]
    names_missing: tuple[str, ...]
    quantifiers_missing: tuple[str, ...]
    negation_new: bool


@dataclass(frozen=True)
class Model:
    """A logistic model over FEATURES: (value - mean) / scale times coefficient, summed, plus the intercept."""

    means: NDArray[np.float64]
    scales: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    intercept: float


@lru_cache(maxsize=64)
def source(texts: tuple[str, ...]) -> Source:
    """The context sentences made ready; linear in their length."""
    read = [wording.words(text) for text in texts]
    return Source(
        sentences=tuple(frozenset(word.stem for word in found) for found in read),
        negated=tuple(wording.negations(found) > 0 for found in read),
        stems=frozenset(word.stem for found in read for word in found),
        near=frozenset(
            pair for found in read for pair in _near([word.stem for word in found if word.content])
        ),
        numbers=frozenset(
            number for text in texts for number in wording.numbers(text) | wording.number_words(text)
        ),
    )


def findings(sentence: str, contexts: Source, cosines: ArrayLike) -> Findings:
    """What one answer sentence holds that the contexts do not.

    Parameters
    ----------
    cosines : (n,) similarities of the sentence with each context sentence; the nearest ones are its evidence

    Raises
    ------
    ValueError
        If there is no context sentence, or not one cosine for each.
    """
    cosine = np.round(np.asarray(cosines, dtype=float), 9)
    if not len(cosine) or len(cosine) != len(contexts.sentences):
        raise ValueError(
            f"findings need one cosine per context sentence and at least one; found {len(cosine)} for {len(contexts.sentences)}"
        )
    order = np.argsort(-cosine, kind="stable")[:EVIDENCE]
    evidence = frozenset[str]().union(*(contexts.sentences[i] for i in order))
    closest = frozenset[str]().union(*(contexts.sentences[i] for i in order[:CLOSEST]))
    found = wording.words(sentence)
    matter = [word for word in found if word.content]
    new = [word for word in matter if word.stem not in contexts.stems]
    pairs = list(pairwise(word.stem for word in matter))
    return Findings(
        similarity=float(cosine[order[0]]),
        words=len(matter),
        words_found=len(matter) - len(new),
        pairs=len(pairs),
        pairs_found=sum(pair in contexts.near or pair[0] == pair[1] for pair in pairs),
        paraphrases=tuple(
            word.lower for word in new if wording.synonyms().get(word.stem, frozenset()) & contexts.stems
        ),
        verbs_reworded=tuple(word.lower for word in new if word.verb),
        opposites=tuple(word.lower for word in _opposed(found, evidence, closest)),
        numbers_missing=tuple(sorted(wording.numbers(sentence) - contexts.numbers)),
        number_words_missing=tuple(sorted(wording.number_words(sentence) - contexts.numbers)),
        dates_missing=tuple(
            word.lower
            for word in found
            if word.lower in wording.kind("date") and word.stem not in contexts.stems
        ),
        names_missing=tuple(word.written for word in new if word.name),
        quantifiers_missing=tuple(
            word.lower
            for word in found
            if word.lower in wording.kind("quantifier") and word.stem not in evidence
        ),
        negation_new=wording.negations(found) > 0 and not any(contexts.negated[i] for i in order),
    )


def features(found: Sequence[Findings], entailment: ArrayLike) -> dict[str, float]:
    """The model's inputs for an answer, one number per name of FEATURES.

    Parameters
    ----------
    found : one per answer sentence
    entailment : (m, 3) probabilities of entailment, neutral and contradiction, one row per answer sentence

    Raises
    ------
    ValueError
        If there is no sentence, or not one row of probabilities for each.
    """
    chances = np.asarray(entailment, dtype=float)
    if not found or chances.shape != (len(found), 3):
        raise ValueError(
            f"features need three probabilities per sentence and at least one sentence; found shape {chances.shape} for {len(found)}"
        )
    values = {name: sum(len(getattr(one, name)) for one in found) / len(found) for name in PER_SENTENCE}
    values["similarity"] = sum(one.similarity for one in found) / len(found)
    values["words_found"] = _share(sum(one.words_found for one in found), sum(one.words for one in found))
    values["pairs_found"] = _share(sum(one.pairs_found for one in found), sum(one.pairs for one in found))
    values |= {
        name: math.log1p(sum(len(getattr(one, name)) for one in found) / len(found))
        for name in ("paraphrases", "verbs_reworded")
    }
    values["negations_new"] = sum(one.negation_new for one in found) / len(found)
    values["long"] = float(len(found) >= LONG)
    hardest = {"entailment": chances[:, 0].min(), "contradiction": chances[:, 2].max()}
    values |= {name: value * (1 - values["long"]) for name, value in hardest.items()}
    means = {
        "words_found": values["words_found"],
        "entailment": chances[:, 0].mean(),
        "contradiction": chances[:, 2].mean(),
    }
    values |= {f"long_{name}": value * values["long"] for name, value in means.items()}
    return {name: float(values[name]) for name in NAMES}


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
    stored = json.loads(files("ragassay.scores").joinpath("support.json").read_text(encoding="utf-8"))
    rows = {row["name"]: row for row in stored["features"]}
    table = {
        key: np.array([rows[name][key] for name in NAMES], dtype=float)
        for key in ("mean", "scale", "coefficient")
    }
    return Model(table["mean"], table["scale"], table["coefficient"], float(stored["intercept"]))


def _opposed(found: Sequence[Word], evidence: frozenset[str], closest: frozenset[str]) -> list[Word]:
    """Words absent from the evidence while a listed opposite, which the sentence itself does not hold, stands in the closest of it."""
    own = {word.stem for word in found}
    synonyms, opposites = wording.synonyms(), wording.opposites()
    return [
        word
        for word in found
        if word.stem not in evidence
        and opposites.get(word.stem, frozenset()) & closest - own
        and not synonyms.get(word.stem, frozenset()) & evidence
    ]


def _near(stems: Sequence[str]) -> list[tuple[str, str]]:
    """All pairs of stems up to NEAR places apart, both ways round."""
    ahead = [
        (one, other) for step in range(1, NEAR + 1) for one, other in zip(stems, stems[step:], strict=False)
    ]
    return ahead + [(other, one) for one, other in ahead]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
