"""The support model (this kit's own): what one answer sentence holds that its passages do not, and a logistic
model over these features of an answer. Every coefficient has the sign its feature's meaning asks for.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from ragassay.scores.families.similarity import choose_premises
from ragassay.scores.metric import NotApplicable, Result, Tools, cosines, evidence
from ragassay.scores.numbers import dates
from ragassay.scores.numbers.amounts import stated_numbers
from ragassay.scores.numbers.number_tracing import GIVEN, trace, unsupported
from ragassay.scores.numbers.stated_amounts import crossed, read_lines, told_rows
from ragassay.scores.prepared_answer import Sample, Sentence
from ragassay.scores.text_reading import word_lists
from ragassay.scores.text_reading.claim_text import WORD, Evidence, find_departure, read_evidence

EVIDENCE = 5  # sentences of evidence
NEAR = 3  # words apart
BESIDE = 1  # sentences of the same passage, before and after, that make a place with one
MET = 0.6  # cosine above which a token meets another: 0.53 to 0.63 serve MTRAG alike (bench/support.py)
LONG = 3  # sentences of a long answer
DEPARTS = 2.0  # log-odds that an answer loses whose every sentence departs; too rare to be learned
SURE = 4.0  # log-odds of an entailed sentence beyond which none counts for more
SHORT = ("numbers_borne_out", "numbers_doubtful")  # 0 for a long answer


# the inputs of the model: +1 if more of it speaks for support, -1 against
# fmt: off
FEATURES = {
    "words_found": 1,  # share of the answer's content words that stand in the contexts (by stem)
    "words_together": 1,  # the same in three neighbouring sentences, the best for each sentence
    "tokens_met": 1,  # share of tokens with one near (cosine > 0.6) in the nearest sentences
    "least_met": 1,  # tokens_met of the sentence where it is least
    "pairs_found": 1,  # share of neighbouring content words that are near each other there
    "numbers_borne_out": 1,  # log(1 + sum per sentence of how far each amount is borne out, 0 to 1)
    "numbers_doubtful": -1,  # log(1 + sum per sentence of what each amount lacks of it)
    "numbers_missing": -1,  # log(1 + numbers in digits per sentence that are not in the contexts)
    "dates_missing": -1,  # months and weekdays per sentence that are not in the contexts
    "names_missing": -1,  # capitalised words per sentence that are not in the contexts
    "negations_new": -1,  # share of sentences that negate while their evidence never does
    "departures": -1,  # share of sentences that depart from the one whose words they use; by hand
    "entailed": 1,  # mean log-odds that its evidence entails each sentence, by tokens, within SURE
}
# fmt: on
NAMES = tuple(FEATURES)
PER_SENTENCE = ("numbers_missing", "dates_missing", "names_missing")
# part and whole
SHARES = {"words_found": "words", "words_together": "words", "pairs_found": "pairs", "tokens_met": "tokens"}


# What one answer sentence holds, and which of it the contexts do not, by name:
#   words, words_found, pairs, pairs_found : counts of content words and of neighbours; words_together : those
#       of words found in the one place that holds most; tokens, tokens_met : counts of tokens
#   borne_out : how far the passages bear out each amount it states, but what the question gives, in [0, 1]
#   all that is missing : the words themselves
#   negation_new : whether it negates and its evidence does not; departure : what `find_departure` says
Findings = dict[str, Any]


class Source(NamedTuple):
    """The contexts' words: whether each sentence negates; stems near each other; the places where each
    stem stands (a sentence with its neighbours); and the passages as evidence."""

    texts: tuple[str, ...]
    places: dict[str, set[int]]
    negated: tuple[bool, ...]
    near: set[tuple[str, str]]
    evidence: Evidence


@dataclass(frozen=True)
class Model:
    """A logistic model over FEATURES: (value - mean) / scale times coefficient, plus the intercept."""

    means: NDArray[np.float64]
    scales: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    intercept: float


@lru_cache(maxsize=512)
def source(texts: tuple[str, ...], passages: tuple[int, ...], contexts: tuple[str, ...]) -> Source:
    """The context sentences made ready; linear in their length.

    passages : which passage each stands in
    contexts : the passages as they come, whose numbers stand in rows and columns
    """
    read = [word_lists.words(text) for text in texts]
    near, places = set[tuple[str, str]](), defaultdict[str, set[int]](set)
    for i, found in enumerate(read):
        around = range(max(0, i - BESIDE), min(len(texts), i + BESIDE + 1))
        for word in found:
            places[word.stem].update(one for one in around if passages[one] == passages[i])
        matter = [word.stem for word in found if word.content]
        for step in range(1, NEAR + 1):
            near |= {*zip(matter, matter[step:], strict=False), *zip(matter[step:], matter, strict=False)}
    return Source(
        texts,
        dict(places),
        tuple(word_lists.negations(found) > 0 for found in read),
        near,
        read_evidence(contexts),
    )


def findings(
    sentence: str, contexts: Source, cosines: ArrayLike, tokens: tuple[int, int] = (0, 0), question: str = ""
) -> Findings:
    """What one answer sentence holds that the contexts do not.

    cosines : (n,) similarities of the sentence with each context sentence; the nearest ones are its evidence
    tokens : how many tokens it has, and how many of them have a cosine above MET with one of the evidence
    question : its words tell which line item a number is of; its numbers are given
    """
    order = np.argsort(-np.round(np.asarray(cosines, dtype=float), 9), kind="stable")[:EVIDENCE]
    words = word_lists.words(sentence)
    matter = [word for word in words if word.content]
    new = [word for word in matter if word.stem not in contexts.places]
    pairs = list(pairwise(word.stem for word in matter))
    held = Counter(place for word in matter for place in contexts.places.get(word.stem, ()))
    traces = trace(sentence, contexts.evidence.texts, question)
    numbers = stated_numbers(sentence) - {"1"} - contexts.evidence.numbers  # 1 says little
    return {
        "words": len(matter),
        "words_found": len(matter) - len(new),
        "words_together": max(held.values(), default=0),
        "pairs": len(pairs),
        "pairs_found": sum(pair in contexts.near or pair[0] == pair[1] for pair in pairs),
        "numbers_missing": sorted(unsupported(numbers, traces)),
        "dates_missing": sorted(dates.months_and_weekdays(sentence) - contexts.evidence.moments),
        "names_missing": [word.written for word in new if word.name],
        "negation_new": word_lists.negations(words) > 0 and not any(contexts.negated[i] for i in order),
        "departure": find_departure(sentence, contexts.texts),
        "tokens": tokens[0],
        "tokens_met": tokens[1],
        "borne_out": [one.score for one in traces if one.verdict != GIVEN],
    }


def features(found: Sequence[Findings], entailment: ArrayLike, long: bool | None = None) -> dict[str, float]:
    """The model's inputs for an answer, one number per name of FEATURES.

    found : one per answer sentence
    entailment : (m, 3) probabilities, one row per answer sentence; entailment alone is read
    long : whether the features SHORT are 0; None: if there are LONG sentences
    """
    chances, n = np.asarray(entailment, dtype=float), len(found)
    lacking = {name: sum(len(one[name]) for one in found) / n for name in PER_SENTENCE}
    shares = {
        part: _share(sum(one[part] for one in found), sum(one[whole] for one in found))
        for part, whole in SHARES.items()
    }
    held = np.clip(chances[:, 0], 1 - expit(SURE), expit(SURE))
    scores = [score for one in found for score in one["borne_out"]]
    counts = not (n >= LONG if long is None else long)
    values: dict[str, float] = (
        lacking
        | shares
        | {
            "numbers_missing": math.log1p(lacking["numbers_missing"]),
            "numbers_borne_out": counts * math.log1p(sum(scores) / n),
            "numbers_doubtful": counts * math.log1p(sum(1 - score for score in scores) / n),
            "least_met": min(_share(one["tokens_met"], one["tokens"]) for one in found),
            "negations_new": sum(one["negation_new"] for one in found) / n,
            "departures": sum(bool(one["departure"]) for one in found) / n,
            "entailed": np.average(logit(held), weights=[max(1, one["tokens"]) for one in found]),
        }
    )
    return {name: float(values[name]) for name in NAMES}


def probability(values: Mapping[str, float], fitted: Model) -> float:
    """Probability in (0, 1) that the contexts support the whole text; higher is better."""
    row = np.array([values[name] for name in NAMES])
    return float(expit(fitted.intercept + (row - fitted.means) / fitted.scales @ fitted.coefficients))


@cache
def model() -> Model:
    """The model that ships with the kit (`support.json`, fitted by training/support.py)."""
    stored = json.loads(files("ragassay.scores").joinpath("support.json").read_text(encoding="utf-8"))
    rows = {row["name"]: row for row in stored["features"]}
    means, scales, coefficients = (
        np.array([rows[name][key] for name in NAMES]) for key in ("mean", "scale", "coefficient")
    )
    return Model(means, scales, coefficients, float(stored["intercept"]))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


LISTED = 10  # words listed of a kind


def support(sample: Sample, tools: Tools, fitted: Model | None = None) -> Result:
    """How well the contexts support the whole answer, in (0, 1), higher is better; it ranks, and is no
    probability. Each sentence's score is what it would have alone, without what counts in short answers only
    if the answer is long.

    `fitted` takes the place of the one that ships (`model`), and so does a network that the user names.
    """
    if fitted is None and tools.names_support:
        # the least probability of a sentence by the whole context; each beside the nearest one of it
        these, those = sample.answer_sentences, sample.context_sentences
        texts, candidates = [one.text for one in these], [one.text for one in those]
        scores = np.array(tools.ask("supported", [(tuple(candidates), text) for text in texts]))
        return float(scores.min()), evidence(these, those, scores, tools.match(texts, candidates)[1])
    fitted = fitted or model()
    found, chances, cosine = inspect(sample, tools)
    alone = [features([one], row[None], len(found) >= LONG) for one, row in zip(found, chances, strict=True)]
    scores = np.array([probability(values, fitted) for values in alone])
    detail = evidence(sample.answer_sentences, premises(sample), scores, cosine.argmax(axis=1))
    for record, one, row, values in zip(detail, found, chances, alone, strict=True):
        record |= {name: values[name] for name in ("words_found", "words_together", "tokens_met")} | {
            "entailment": row[0],
            "contradiction": row[2],
            "negation_new": one["negation_new"],
            "departure": one["departure"],
            **{kind: one[kind][:LISTED] for kind in PER_SENTENCE},
        }
    return probability(features(found, chances), fitted), detail


def inspect(sample: Sample, tools: Tools) -> tuple[list[Findings], NDArray, NDArray]:
    """What the model's features are computed from: findings per answer sentence (m), probabilities (m, 3),
    cosines with the premises (m, n). Raises NotApplicable if the answer or the contexts hold no sentence."""
    these, those = sample.answer_sentences, premises(sample)
    if not these or not those:
        raise NotApplicable(f"the {'contexts hold' if these else 'answer holds'} no sentence")
    texts, candidates = [one.text for one in these], [one.text for one in those]
    cosine = tools.cosines(texts, candidates)
    chosen = choose_premises(texts, candidates, tools)
    pairs = [(held, text) for text, (held, _) in zip(texts, chosen, strict=True)]
    chances = tools.entail(pairs, "entail_shipped").probabilities
    near = np.concatenate(
        tools.ask("tokens", sorted({candidates[place] for _, found in chosen for place in found}))
    )
    met = [
        (len(one), int((cosines(one, near).max(axis=1, initial=-1.0) > MET).sum()))
        for one in tools.ask("tokens", texts)
    ]
    places = tuple(one.place for one in those)
    held, question = source(tuple(candidates), places, sample.contexts or ()), sample.question or ""
    read = zip(texts, cosine, met, strict=True)
    found = [findings(text, held, row, count, question) for text, row, count in read]
    lines = [line for line in read_lines(sample.table) if line.cells]
    for line, is_crossed in zip(lines, crossed(lines, candidates), strict=True):
        for text, one in zip(texts, found, strict=True) if is_crossed else ():
            if text.startswith("|") and all(part in text for part in (line.label, *line.cells)):
                one["departure"] = WORD
    return found, chances, cosine


def premises(sample: Sample) -> list[Sentence]:
    """The sentences of all passages, then the rows of their tables as texts."""
    sources = {one.place: one.source for one in sample.context_sentences}
    return sample.context_sentences + [
        Sentence(row, sources.get(place), place)
        for place, passage in enumerate(sample.contexts or ())
        for row in told_rows(passage)
    ]
