"""What of a text can be checked by reading: its facts, numbers, dates and times, and places, and whether
other texts hold them; its concepts, and the concept graphs of question, answer and passages laid over one
another; and the round trip from a sentence to questions and back (Hybrid 2.1 b, c, 2.6 b).

A number is a value with its unit: `5 %` is not `$5`, but `5` may be either. A date is held by a fuller one. A
concept is a name, or the stem of a word that is no stop word or number. An edge joins two of one sentence
with fewer than WINDOW concepts between them; its weight is how often they stand so. The source names the
comparisons (nodes, edges, centrality) and gives no formula; every choice is ours. It uses models for the
round trip; ours asks by rules and answers with the context sentence nearest to the question.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isclose
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ragassay.models import Entity
from ragassay.scores.families.retrieval import stop_words
from ragassay.scores.metric import NotApplicable, Result, Tools, cosines
from ragassay.scores.numbers import dates
from ragassay.scores.numbers.amounts import Amount, find_amounts, ratio
from ragassay.scores.prepared_answer import Sample, Sentence
from ragassay.scores.text_reading import claim_text, word_lists
from ragassay.scores.text_reading.claim_text import folded

if TYPE_CHECKING:
    import networkx

NUMBER, TIME, PLACE = "number", "time", "place"
KINDS = (NUMBER, TIME, PLACE)
LISTED = 20  # concepts or facts named as evidence
REMEMBERED = 512  # texts whose graphs are kept: those of a batch of answers
_SIGN = re.compile(r"(?:[$€£]|\b(?:usd|eur|gbp))[ \xa0]?\Z", re.IGNORECASE)
_THOUSANDS = re.compile(r"[1-9]\d{0,2}\.\d{3}(?!\d|[.,]\d)")


@dataclass(frozen=True)
class Fact:
    """A fact of a text, its characters from `start` up to `end`, and what it may mean: quantities, moments,
    or the name of a place."""

    kind: str
    text: str
    start: int
    end: int
    readings: tuple[Amount | dates.Moment | str, ...]


class Source(NamedTuple):
    """What texts hold: every number, the dates and times, and their words without case, accents and signs,
    one space around each."""

    numbers: list[Amount]
    moments: frozenset[dates.Moment]
    folded: str


@lru_cache(REMEMBERED)
def read_source(texts: tuple[str, ...]) -> Source:
    """The texts, in which facts are looked up."""
    return Source(
        [reading for text in texts for one in find_amounts(text, True) for reading in _readings(text, one)],
        frozenset(moment for text in texts for one in dates.find(text) for moment in one.readings),
        f" {' '.join(map(folded, texts))} ",
    )


def facts_consistency(sample: Sample, tools: Tools, kind: str = "") -> Result:
    """Share of the answer's facts that stand in the question or the contexts, of one kind; without a kind,
    the mean over the kinds that it states; in [0, 1], higher is better.

    Source: Hybrid 2.1 c ("extract and match similarities between numerical, location and temporal facts"),
    which gives no formula.
    """
    stated = [
        fact
        for text, names in with_entities(sample.answer_sentences, tools)
        for fact in find(text, names)
        if kind in ("", fact.kind)
    ]
    if not stated:
        raise NotApplicable(f"the answer states no {kind or 'fact: no number, place, date or time'}")
    source = read_source((*(one.text for one in sample.question_sentences), *(sample.contexts or ())))
    looked_up = sorted([(fact, is_held(fact, source)) for fact in stated], key=lambda pair: pair[1])
    kinds = [[found for fact, found in looked_up if fact.kind == one] for one in KINDS]
    return float(np.mean([sum(some) / len(some) for some in kinds if some])), [
        {"kind": fact.kind, "text": fact.text.strip(), "score": float(found)}
        for fact, found in looked_up[:LISTED]
    ]


def find(text: str, names: Sequence[Entity] = ()) -> list[Fact]:
    """The facts of a text in order; the digits of a date are no numbers besides, the mark of a numbered step
    ("2. ") is none either.

    names : entities of the text; those of kind place and address are places
    """
    moments = [Fact(TIME, text[start:end], start, end, readings) for start, end, readings in dates.find(text)]
    numbers = []
    for one in find_amounts(text, True):
        sign = _SIGN.search(text[: one.start])
        start = sign.start() if sign else one.start
        numbers.append(Fact(NUMBER, text[start : one.end], start, one.end, _readings(text, one)))
    spans = dict.fromkeys((one.start, one.end) for one in names if one.kind in ("place", "address"))
    places = [Fact(PLACE, text[a:b], a, b, (text[a:b],)) for a, b in spans if folded(text[a:b])]
    return sorted([*moments, *numbers, *places], key=lambda fact: (fact.start, fact.end))


def is_held(fact: Fact, source: Source) -> bool:
    """Whether the texts hold the fact in one of its readings."""
    for reading in fact.readings:
        if isinstance(reading, Amount):
            # 0.412 billion is 412 million, 2.5 % is 250 basis points, 5 may be of any unit
            for one in source.numbers:
                size = ratio(reading.unit, one.unit) if reading.unit and one.unit else 1.0
                size = size or float(reading.unit == one.unit)
                if size and isclose(one.value * size, reading.value):
                    return True
        elif isinstance(reading, dates.Moment):
            is_year = reading == dates.Moment(year=reading.year)
            years = [one.value for one in source.numbers if is_year]
            if reading.year in years or any(dates.meets(reading, one) for one in source.moments):
                return True
        elif f" {folded(reading)} " in source.folded:
            return True
    return False


def _readings(text: str, one: Amount) -> tuple[Amount, ...]:
    """What a number may mean: 1.250 is 1.25 or 1250."""
    groups = _THOUSANDS.match(text, one.start)
    return (one, one._replace(value=one.value * 1000)) if groups else (one,)


LONGEST = 2000  # characters of a sentence beyond which nothing is asked


@lru_cache(2048)
def questions(sentence: str, names: tuple[Entity, ...] = ()) -> list[str]:
    """At most two questions that a sentence answers: by the patterns that write cases (`What is the fee?`),
    and a gap (`The fee is what?`).

    names : entities of the sentence. A sentence without a fact, a name and a concept has no question, nor has
        one that asks itself.
    """
    from ragassay.cases.rule_questions import askable_units, sentence_questions

    text = sentence.strip()
    if not text or len(text) > LONGEST or text.endswith("?"):
        return []
    unit = askable_units.Unit("", "", None, "en", "", "", text if text[-1] in ".!" else f"{text}.")
    made = [one.question for one in sentence_questions.questions(unit, askable_units.small_words([text]))][:1]
    found = find(text, names)  # the sentence with its first fact, else its last name or concept, asked for
    spans = [(fact.start, fact.end) for fact in found[:1]] or phrases(text, names)[-1:]
    if spans and spans[0] != (0, len(text.rstrip(" .!;:"))):
        word = {TIME: "when", PLACE: "where"}.get(found[0].kind, "what") if found else "what"
        made.append(f"{text[: spans[0][0]]}{word}{text[spans[0][1] :]}".rstrip(" .!;:") + "?")
    return list(dict.fromkeys(made))


def lost_in_round_trip(sample: Sample, tools: Tools) -> Result:
    """1 less the mean cosine of each answer sentence with the context sentence nearest to a question made of
    it, one below 0 counting as 0; in [0, 1], lower is better.

    Source: Hybrid 2.6 b.
    """
    made = [
        (text, asked)
        for text, names in with_entities(sample.answer_sentences, tools)
        for asked in questions(text, names)
    ]
    if not made:
        raise NotApplicable("no question could be made of the answer")
    said, asked = zip(*made, strict=True)
    candidates = [one.text for one in sample.context_sentences]
    places = tools.match(asked, candidates)[1]
    scores = np.maximum(tools.cosines(said, candidates)[np.arange(len(said)), places], 0.0)
    return 1 - float(scores.mean()), [
        {"text": text, "question": question, "evidence": candidates[place], "score": score}
        for text, question, place, score in zip(said, asked, places, scores, strict=True)
    ]


WINDOW = 10  # concepts of a sentence farther apart than this are not joined
DAMPING, TOLERANCE, STEPS = 0.85, 1e-12, 1000  # of PageRank
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SPACE = re.compile(r"[\W_]+")
Span = tuple[int, int]
NamedTexts = tuple[tuple[str, tuple[Entity, ...]], ...]  # texts with their entities


def phrases(text: str, names: Sequence[Entity] = ()) -> list[Span]:
    """Where concepts stand side by side: `the monthly maintenance fee of Ann Lee` has `monthly maintenance
    fee` and `Ann Lee`."""
    runs: list[Span] = []
    for start, end, _ in concepts(text, names):
        if runs and text[runs[-1][1] : start] == " ":
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    return runs


def build(sentences: Iterable[Sequence[str]]) -> "networkx.Graph":
    """The graph of a text, from the concepts of its sentences."""
    import networkx

    found = networkx.Graph()
    for sentence in sentences:
        found.add_nodes_from(sentence)
        near = ((one, other) for i, one in enumerate(sentence) for other in sentence[i + 1 : i + 1 + WINDOW])
        for one, other in near:
            if one != other:
                known = found.get_edge_data(one, other, {"weight": 0})
                found.add_edge(one, other, weight=known["weight"] + 1)
    return found


def compare_graphs(these: "networkx.Graph", those: "networkx.Graph", kind: str) -> float:
    """Share of the nodes, or of the edges, of `these` that `those` has too; or, by centrality, the cosine of
    the PageRanks of the nodes of `these` in both graphs, 0 if none is shared; in [0, 1]; higher is better.

    Raises NotApplicable if `these` has no node, or no edge to look for. Source: Hybrid 2.1 b names "graph
    centrality"; PageRank (Brin & Page 1998), edges weighted by how often two concepts stand together, is our
    choice.
    """
    import networkx

    if not these.nodes or (kind == "edges" and not these.edges):
        raise NotApplicable("no two concepts stand together" if these.nodes else "no concept to look for")
    if kind in ("nodes", "edges"):
        return float(np.mean([one in getattr(those, kind) for one in getattr(these, kind)]))
    one, other = (
        networkx.pagerank(graph, alpha=DAMPING, tol=TOLERANCE, max_iter=STEPS) for graph in (these, those)
    )
    ranks = np.array([(one[node], other.get(node, 0.0)) for node in sorted(these.nodes)])
    return float(cosines(ranks[:, :1].T, ranks[:, 1:].T)[0, 0]) if ranks[:, 1].any() else 0.0


def overlap(sample: Sample, tools: Tools, kind: str, side: str) -> Result:
    """The question's concepts in the answer, or the answer's in the contexts: nodes, edges, or their
    centrality."""
    sides = [with_entities(one, tools) for one in (sample.answer_sentences, sample.sentences_of(side))]
    these, those = map(_graph, sides[::-1] if side == "question" else sides)
    found = sorted((node in those, node) for node in these)[:LISTED]
    return compare_graphs(these, those, kind), [
        {"concept": node, "score": float(shared)} for shared, node in found
    ]


def graph_additional(sample: Sample, tools: Tools) -> Result:
    """Share of the concepts that the answer adds to the question's which the contexts hold, in [0, 1]; higher
    is better; a name is looked up by its words. Source: Hybrid 2.1 b, "additional contextual information in
    the response"."""
    if not sample.context_sentences:
        raise NotApplicable("no passage was retrieved")
    asked, said = (
        with_entities(each, tools) for each in (sample.question_sentences, sample.answer_sentences)
    )
    added = set(_graph(said)) - set(_graph(asked))
    if not added:
        raise NotApplicable("the answer adds no concept to the question's")
    contexts = sample.contexts or ()
    words = {one for text in contexts for _, _, one in concepts(text)}
    evidence = claim_text.read_evidence(contexts)
    held = {one for one in added if one in words or claim_text.is_name_in_passages(one, evidence)}
    listed = sorted((node in held, node) for node in added)[:LISTED]
    return len(held) / len(added), [{"concept": node, "score": float(shared)} for shared, node in listed]


def with_entities(sentences: Sequence[Sentence], tools: Tools) -> NamedTexts:
    """The sentences' texts, each with the entities it names."""
    texts = [one.text for one in sentences]
    return tuple(
        (text, tuple(found)) for text, found in zip(texts, tools.ask("entities", texts), strict=True)
    )


@lru_cache(REMEMBERED)
def _graph(sentences: NamedTexts) -> "networkx.Graph":
    return build([one for _, _, one in concepts(text, names)] for text, names in sentences)


def concepts(text: str, names: Sequence[Entity] = ()) -> list[tuple[int, int, str]]:
    """The concepts of a text in the order they stand, repeated ones each time, with first character and end;
    `names` are its entities, one concept each."""
    none = stop_words().union(*map(word_lists.kind, ("stop", "negation", "quantifier", "date")))
    taken, found = bytearray(len(text)), []
    for name in names:
        key = _SPACE.sub(" ", text[name.start : name.end]).strip().casefold()
        if key and not any(taken[name.start : name.end]):
            taken[name.start : name.end] = b"\1" * (name.end - name.start)
            found.append((name.start, name.end, key))
    for word in _WORD.finditer(text):
        lower = word[0].lower().replace("’", "'").removesuffix("'s")
        if not taken[word.start()] and len(lower) > 1 and lower not in none:
            found.append((*word.span(), word_lists.stem(lower)))
    return sorted(one for one in found if one[2])
