"""The concepts of a text, and the concept graphs of question, answer and passages laid over one another
(Hybrid 2.1 b).

A concept is a name or the singular of a word that is no stop word, verb, adverb or number. An edge joins two
of one sentence with fewer than WINDOW concepts between them; its weight is how often they stand so. The
source names the comparisons (nodes, edges, centrality) and gives no formula; every choice is ours.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ragassay.models import Entity
from ragassay.scores.metric import NotApplicable, Result
from ragassay.scores.prepared_answer import Sample, Sentence
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading import claim_text, word_comparison
from ragassay.scores.vector_similarity import cosines

if TYPE_CHECKING:
    import networkx

WINDOW = 10  # concepts of a sentence farther apart than this are not joined
DAMPING, TOLERANCE, STEPS = 0.85, 1e-12, 1000  # of PageRank
LISTED = 20  # concepts or facts named as evidence
REMEMBERED = 64  # texts whose graphs are kept: the metrics of one answer come one after the other
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LY_NOUNS = frozenset(
    ("monthly", "weekly", "daily", "yearly", "quarterly", "family", "supply", "reply", "assembly", "anomaly")
) | {"monopoly"}
_VAGUE = frozenset(["much", "please", "lot", "thing", "way", "kind", "example", "etc", "yes", "okay"])
_SPACE = re.compile(r"[\W_]+")
Span = tuple[int, int]
NamedTexts = tuple[tuple[str, tuple[Entity, ...]], ...]  # texts with their entities


def concepts(text: str, names: Sequence[Entity] = ()) -> list[str]:
    """The concepts of a text in the order they stand, repeated ones each time; `names` are its entities, one
    concept each."""
    return [concept for _, _, concept in _placed(text, names)]


def phrases(text: str, names: Sequence[Entity] = ()) -> list[Span]:
    """Where concepts stand side by side: `the monthly maintenance fee of Ann Lee` has `monthly maintenance
    fee` and `Ann Lee`."""
    runs: list[Span] = []
    for start, end, _ in _placed(text, names):
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
        for i, one in enumerate(sentence):
            for other in sentence[i + 1 : i + 1 + WINDOW]:
                if one != other:
                    known = found.get_edge_data(one, other, {"weight": 0})
                    found.add_edge(one, other, weight=known["weight"] + 1)
    return found


def node_overlap(these: "networkx.Graph", those: "networkx.Graph") -> float:
    """Share of the nodes of `these` that `those` has too, in [0, 1]; higher is better.

    Raises ValueError if there is none.
    """
    if not these.nodes:
        raise ValueError("no concept to look for")
    return float(np.mean([one in those for one in these.nodes]))


def edge_overlap(these: "networkx.Graph", those: "networkx.Graph") -> float:
    """Share of the edges of `these` that `those` has too, in [0, 1]; higher is better.

    Raises ValueError if there is none.
    """
    if not these.edges:
        raise ValueError("no two concepts stand together")
    return float(np.mean([one in those.edges for one in these.edges]))


def centrality_similarity(these: "networkx.Graph", those: "networkx.Graph") -> float:
    """Cosine of the PageRanks of the nodes of `these` in both graphs, in [0, 1]; higher is better; 0 if no
    node is shared.

    Raises ValueError if `these` has no node. Source: Hybrid 2.1 b names "graph centrality"; PageRank (Brin &
    Page 1998), edges weighted by how often two concepts stand together, is our choice.
    """
    import networkx

    if not these.nodes:
        raise ValueError("no concept to look for")
    one, other = (
        networkx.pagerank(graph, alpha=DAMPING, tol=TOLERANCE, max_iter=STEPS) for graph in (these, those)
    )
    ranks = np.array([(one[node], other.get(node, 0.0)) for node in sorted(these.nodes)])
    return float(cosines(ranks[:, :1].T, ranks[:, 1:].T)[0, 0]) if ranks[:, 1].any() else 0.0


COMPARISONS: dict[str, Callable[..., float]] = {
    "nodes": node_overlap,
    "edges": edge_overlap,
    "centrality": centrality_similarity,
}


def overlap(sample: Sample, tools: Tools, kind: str, side: str) -> Result:
    """The question's concepts in the answer, or the answer's in the contexts: nodes, edges, or their
    centrality."""
    answer = with_entities(sample.answer_sentences, tools)
    other = with_entities(sample.sentences_of(side), tools)
    these, those = (other, answer) if side == "question" else (answer, other)
    held = _graph(those)
    found = sorted((node in held, node) for node in _graph(these))[:LISTED]
    try:
        value = COMPARISONS[kind](_graph(these), held)
    except ValueError as nothing:
        raise NotApplicable(str(nothing)) from None
    return value, [{"concept": node, "score": float(shared)} for shared, node in found]


def graph_additional(sample: Sample, tools: Tools) -> Result:
    """Share of the concepts that the answer adds to the question's which the contexts hold, in [0, 1]; higher
    is better; a name is looked up by its words. Source: Hybrid 2.1 b, "additional contextual information in
    the response"."""
    if not sample.context_sentences:
        raise NotApplicable("no passage was retrieved")
    asked = _graph(with_entities(sample.question_sentences, tools))
    added = set(_graph(with_entities(sample.answer_sentences, tools))) - set(asked)
    if not added:
        raise NotApplicable("the answer adds no concept to the question's")
    contexts = sample.contexts or ()
    words, evidence = {one for text in contexts for one in concepts(text)}, claim_text.read_evidence(contexts)
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
    return build(concepts(text, names) for text, names in sentences)


def _placed(text: str, names: Sequence[Entity]) -> list[tuple[int, int, str]]:
    taken = bytearray(len(text))
    found = []
    for name in names:
        key = _SPACE.sub(" ", text[name.start : name.end]).strip().casefold()
        if key and not any(taken[name.start : name.end]):
            taken[name.start : name.end] = b"\1" * (name.end - name.start)
            found.append((name.start, name.end, key))
    for word in _WORD.finditer(text):
        if not taken[word.start()] and _is_concept(word[0]):
            found.append((*word.span(), _singular(word[0])))
    return sorted(one for one in found if one[2])


def _is_concept(word: str) -> bool:
    lower = _bare(word)
    adverb = lower.endswith("ly") and lower not in _LY_NOUNS
    return len(lower) > 1 and not adverb and lower not in _others()


def _singular(word: str) -> str:
    """The word in lower case without a plural or possessive ending: `fee's` -> `fee`, `policies` ->
    `policy`."""
    lower = _bare(word)
    if len(lower) > 4 and lower.endswith("ies"):
        return lower[:-3] + "y"
    if lower.endswith(("sses", "xes", "ches", "shes")):
        return lower[:-2]
    plural = len(lower) > 3 and lower.endswith("s") and not lower.endswith(("ss", "us", "is"))
    return lower[:-1] if plural else lower


def _bare(word: str) -> str:
    return word.lower().replace("’", "'").removesuffix("'s")


@cache
def _others() -> frozenset[str]:
    """Stop words of three languages, negations, quantifiers, months, numbers, and the verbs of our list that
    are not nouns as well."""
    from ragassay.cases.rule_questions import word_forms

    verbs = word_forms.verbs()
    forms = verbs | set(word_forms.third_person()) | set(word_forms.gerunds()) | word_forms.AUXILIARIES
    forms |= {_past(verb) for verb in verbs}
    nouns = word_forms.NOUNS_TOO | {noun.removesuffix("s") for noun in word_forms.NOUNS_TOO}
    listed = json.loads((word_forms.DATA / "stop_words.json").read_text(encoding="utf-8")).values()
    kinds = [word_comparison.kind(name) for name in ("stop", "negation", "quantifier", "date")]
    others = [*kinds, *(text.split() for text in listed), word_forms.NUMBER_WORDS.split("|"), _VAGUE]
    return frozenset((forms - nouns).union(*others))


def _past(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    return verb[:-1] + "ied" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else verb + "ed"
