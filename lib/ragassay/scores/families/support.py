"""Support: how well the contexts support the whole answer, by the logistic model of `support_model`."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay.scores import vector_similarity
from ragassay.scores.families import inference
from ragassay.scores.metric import SHOWN, NotApplicable, Result, evidence
from ragassay.scores.numbers.stated_amounts import Line, read_lines
from ragassay.scores.prepared_answer import Sample, Sentence
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.support_model import (
    PER_SENTENCE,
    Findings,
    Model,
    contributions,
    count_met,
    features,
    findings,
    is_long,
    model,
    probability,
    source,
)

TITLE = 12  # words told of what stands before a table, the last ones


def premises(sample: Sample) -> tuple[list[Sentence], list[int]]:
    """The sentences of all passages, then their told rows; and which of the contexts each stands in."""
    told = [(place, row) for place, passage in enumerate(sample.contexts or ()) for row in told_rows(passage)]
    sources = {
        place: one.source for place, one in zip(sample.context_places, sample.context_sentences, strict=True)
    }
    rows = [Sentence(row, sources.get(place)) for place, row in told]
    return [*sample.context_sentences, *rows], [*sample.context_places, *(place for place, _ in told)]


@lru_cache(2048)
def told_rows(passage: str) -> tuple[str, ...]:
    """Every row of the passage's tables as a text of its own; linear in its length."""
    return tuple(tell(line) for line in read_lines(passage) if not line.prose)


def tell(line: Line) -> str:
    """A row: its label, each cell after its heading, then its section and the end of the table's title."""
    pairs = zip(line.headings, line.cells, strict=True)
    cells = "; ".join(f"{heading} {cell}".strip() for heading, cell in pairs)
    title = " ".join(line.caption.split()[-TITLE:])
    around = ", ".join(part for part in (line.section, title) if part and part not in line.headings)
    return (f"{line.label}: " if line.label else "") + cells + (f" ({around})" if around else "")


AGAINST, LISTED = 3, 10  # features named against a sentence; words listed of a kind


def support(sample: Sample, tools: Tools, fitted: Model | None = None) -> Result:
    """How well the contexts support the whole answer, in (0, 1), higher is better; it ranks, and is no
    probability. Each sentence's score is what it would have alone, without what counts in short answers only
    if the answer is long.

    `fitted` takes the place of the one that ships (`model`), and so does a network that the user names.
    """
    if fitted is None and tools.names_support:
        return named_support(sample, tools)
    fitted = fitted or model()
    found, chances, cosine = inspect(sample, tools)
    value = probability(features(found, chances), fitted)
    alone = [features([one], row[None], is_long(found)) for one, row in zip(found, chances, strict=True)]
    scores = np.array([probability(values, fitted) for values in alone])
    places, weakest = vector_similarity.nearest(cosine), vector_similarity.least_met(scores)
    detail = evidence(sample.answer_sentences, premises(sample)[0], scores, places, flagged=weakest)
    reasons = [
        _reasons(one, row, values, fitted) for one, row, values in zip(found, chances, alone, strict=True)
    ]
    return value, [record | reason for record, reason in zip(detail, reasons, strict=True)]


def inspect(sample: Sample, tools: Tools) -> tuple[list[Findings], NDArray, NDArray]:
    """What the model's features are computed from:
    findings per answer sentence (m), probabilities (m, 3), cosines with the premises (m, n).

    Raises NotApplicable if the answer or the contexts hold no sentence.
    """
    these, (those, places) = sample.answer_sentences, premises(sample)
    if not these or not those:
        raise NotApplicable(f"the {'contexts hold' if these else 'answer holds'} no sentence")
    texts, candidates = [one.text for one in these], [one.text for one in those]
    cosine = vector_similarity.cosines(tools.embed(texts), tools.embed(candidates))
    chances = tools.entail_shipped(inference.premise_pairs(these, those, tools)).probabilities
    held, question = source(tuple(candidates), tuple(places), sample.contexts), sample.question or ""
    read = zip(texts, cosine, _tokens_met(texts, candidates, tools), strict=True)
    return [findings(text, held, row, count, question) for text, row, count in read], chances, cosine


def _tokens_met(these: Sequence[str], those: Sequence[str], tools: Tools) -> list[tuple[int, int]]:
    """`count_met` of each of `these`; the evidence are the sentences of `those` nearest to any of them."""
    chosen = inference.choose_premises(these, those, tools)
    near = sorted({those[place] for _, places in chosen for place in places})
    return count_met(tools.tokens(these), np.concatenate(tools.tokens(near)))


def _reasons(found: Findings, chances: NDArray, values: dict[str, float], fitted: Model) -> dict[str, Any]:
    """What was seen in the sentence, and the features that take most from its log-odds of support."""
    parts = contributions(values, fitted)
    against = sorted((name for name in parts if parts[name] < 0), key=lambda name: parts[name])[:AGAINST]
    kinds = (*PER_SENTENCE, "paraphrases", "verbs_reworded")
    return {
        "similarity": round(found.similarity, 6),
        "entailment": round(float(chances[0]), 6),
        "contradiction": round(float(chances[2]), 6),
        "words_found": round(values["words_found"], 6),
        "words_together": round(values["words_together"], 6),
        "tokens_met": round(values["tokens_met"], 6),
        **{kind: [word[:SHOWN] for word in getattr(found, kind)[:LISTED]] for kind in kinds},
        "negation_new": found.negation_new,
        "against": {name: round(parts[name], 6) for name in against},
    }


def named_support(sample: Sample, tools: Tools) -> Result:
    """The least probability, over the answer's sentences, that the whole context supports the sentence, in
    [0, 1]; higher is better. An answer is supported if every sentence of it is.

    Beside each sentence stands the nearest sentence of the contexts, by the encoder: the model does not say
    what it went by.
    """
    these, those = sample.answer_sentences, sample.context_sentences
    if not these or not those:
        raise NotApplicable(f"the {'contexts hold' if these else 'answer holds'} no sentence")
    texts, candidates = [one.text for one in these], [one.text for one in those]
    scores = tools.supported(texts, candidates)
    nearest, least = (
        vector_similarity.nearest(tools.cosines(texts, candidates)),
        vector_similarity.least_met(scores),
    )
    return float(scores.min()), evidence(these, those, scores, nearest, flagged=least)
