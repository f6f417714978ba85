"""Support: how well the contexts support the whole answer, by the logistic model of `support_model`."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ragassay.scores.families import inference
from ragassay.scores.metric import NotApplicable, Result, evidence
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
    alone = [features([one], row[None], is_long(found)) for one, row in zip(found, chances, strict=True)]
    scores = np.array([probability(values, fitted) for values in alone])
    detail = evidence(sample.answer_sentences, premises(sample)[0], scores, cosine.argmax(axis=1))
    for record, one, row, values in zip(detail, found, chances, alone, strict=True):
        parts = contributions(values, fitted)
        against = sorted((value, name) for name, value in parts.items() if value < 0)[:AGAINST]
        record["entailment"], record["contradiction"] = row[0], row[2]
        record |= {name: values[name] for name in ("words_found", "words_together", "tokens_met")}
        for kind in (*PER_SENTENCE, "paraphrases", "verbs_reworded"):
            record[kind] = one[kind][:LISTED]
        record["negation_new"] = one["negation_new"]
        record["against"] = {name: value for value, name in against}
    return probability(features(found, chances), fitted), detail


def inspect(sample: Sample, tools: Tools) -> tuple[list[Findings], NDArray, NDArray]:
    """What the model's features are computed from: findings per answer sentence (m), probabilities (m, 3),
    cosines with the premises (m, n).

    Raises NotApplicable if the answer or the contexts hold no sentence.
    """
    these, (those, places) = sample.answer_sentences, premises(sample)
    if not these or not those:
        raise NotApplicable(f"the {'contexts hold' if these else 'answer holds'} no sentence")
    texts, candidates = [one.text for one in these], [one.text for one in those]
    cosine = tools.cosines(texts, candidates)
    pairs = inference.premise_pairs(these, those, tools)
    chances = tools.entail(pairs, "entail_shipped").probabilities
    chosen = inference.choose_premises(texts, candidates, tools)
    near = sorted({candidates[place] for _, found in chosen for place in found})
    met = count_met(tools.ask("tokens", texts), np.concatenate(tools.ask("tokens", near)))
    held, question = source(tuple(candidates), tuple(places), sample.contexts), sample.question or ""
    read = zip(texts, cosine, met, strict=True)
    return [findings(text, held, row, count, question) for text, row, count in read], chances, cosine


def premises(sample: Sample) -> tuple[list[Sentence], list[int]]:
    """The sentences of all passages, then the rows of their tables as texts; and which of the contexts each
    stands in."""
    sources = dict(zip(sample.context_places, (one.source for one in sample.context_sentences), strict=True))
    rows, places = list(sample.context_sentences), list(sample.context_places)
    for place, passage in enumerate(sample.contexts or ()):
        told = told_rows(passage)
        rows += [Sentence(row, sources.get(place)) for row in told]
        places += [place] * len(told)
    return rows, places


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


def named_support(sample: Sample, tools: Tools) -> Result:
    """The least probability, over the answer's sentences, that the whole context supports the sentence, in
    [0, 1]; higher is better. An answer is supported if every sentence of it is.

    Beside each sentence stands the nearest sentence of the contexts, by the encoder: the model does not say
    what it went by.
    """
    these, those = sample.answer_sentences, sample.context_sentences
    texts, candidates = [one.text for one in these], [one.text for one in those]
    scores = np.array(tools.ask("supported", [(tuple(candidates), text) for text in texts]))
    return float(scores.min()), evidence(these, those, scores, tools.match(texts, candidates)[1])
