"""The concept graphs of question, answer and passages, laid over one another (Hybrid section 2.1 b).

The source names the comparisons (nodes, edges, centrality) and gives no formula for them; every choice below
is ours.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ragassay.scores.families.hybrid_parts import LISTED, REMEMBERED, NamedTexts, with_entities
from ragassay.scores.metric import SHOWN, NotApplicable, Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading import claim_text
from ragassay.scores.text_reading.concept_graph import build, concepts

if TYPE_CHECKING:
    import networkx

DAMPING, TOLERANCE, STEPS = 0.85, 1e-12, 1000  # of PageRank


def overlap(sample: Sample, tools: Tools, kind: str, side: str) -> Result:
    """The question's concepts in the answer, or the answer's in the contexts:
    nodes, edges, or their centrality.
    """
    these, those = _sides(sample, tools, side)
    held = _graph(those)
    found = sorted((node in held, node) for node in _graph(these))[:LISTED]
    value = _compare(COMPARISONS[kind], these, those)
    return value, [{"concept": node[:SHOWN], "score": float(shared)} for shared, node in found]


def graph_additional(sample: Sample, tools: Tools) -> Result:
    """Concepts that the answer adds to the question's and the contexts hold."""
    if not sample.context_sentences:
        raise NotApplicable("no passage was retrieved")
    asked, answer = map(_graph, _sides(sample, tools, "question"))
    added = set(answer) - set(asked)
    held = held_concepts(added, sample.contexts or ())
    listed = sorted((node in held, node) for node in added)[:LISTED]
    return _applicable(additional, answer, asked, held), [
        {"concept": node[:SHOWN], "score": float(shared)} for shared, node in listed
    ]


def held_concepts(wanted: Iterable[str], texts: Sequence[str]) -> set[str]:
    """Those of the wanted concepts that stand in the texts, a name by its words: no names are looked for in
    the texts, which would take a network as long as all the rest.
    """
    words, evidence = _read(tuple(texts))
    return {one for one in wanted if one in words or claim_text.is_name_in_passages(one, evidence)}


@lru_cache(REMEMBERED)
def _read(texts: tuple[str, ...]) -> tuple[frozenset[str], claim_text.Evidence]:
    return frozenset(one for text in texts for one in concepts(text)), claim_text.read_evidence(texts)


def node_overlap(these: "networkx.Graph", those: "networkx.Graph") -> float:
    """Share of the nodes of `these` that `those` has too, in [0, 1]; higher is better.

    Raises ValueError if there is none.
    """
    return _share(these.nodes, those.nodes, "no concept to look for")


def edge_overlap(these: "networkx.Graph", those: "networkx.Graph") -> float:
    """Share of the edges of `these` that `those` has too, in [0, 1]; higher is better.

    Raises ValueError if there is none.
    """
    return _share(these.edges, those.edges, "no two concepts stand together")


def centrality_similarity(these: "networkx.Graph", those: "networkx.Graph") -> float:
    """Cosine of the PageRanks of the nodes of `these` in both graphs, in [0, 1]; higher is better;
    0 if no node is shared.

    Raises ValueError if `these` has no node. Source: Hybrid 2.1 b names "graph centrality"; PageRank (Brin &
    Page 1998), edges weighted by how often two concepts stand together, is our choice.
    """
    import networkx

    nodes = sorted(these.nodes)
    if not nodes:
        raise ValueError("no concept to look for")
    both = [
        networkx.pagerank(graph, alpha=DAMPING, tol=TOLERANCE, max_iter=STEPS) for graph in (these, those)
    ]
    one, other = (np.array([ranks.get(node, 0.0) for node in nodes]) for ranks in both)
    length = np.linalg.norm(one) * np.linalg.norm(other)
    return float(min(one @ other / length, 1.0)) if length else 0.0


def additional(answer: Iterable[str], question: Iterable[str], contexts: Collection[str]) -> float:
    """Share of the concepts that the answer adds to the question's which the contexts hold, in [0, 1];
    higher is better. Each is a graph, or its nodes.

    Raises ValueError if the answer adds none. Source: Hybrid 2.1 b, "additional contextual information in the
    response".
    """
    return _share(set(answer) - set(question), contexts, "the answer adds no concept to the question's")


def _share(these: Collection, those: Collection, complaint: str) -> float:
    if not these:
        raise ValueError(complaint)
    return sum(one in those for one in these) / len(these)


COMPARISONS: dict[str, Callable[..., float]] = {
    "nodes": node_overlap,
    "edges": edge_overlap,
    "centrality": centrality_similarity,
}


def _sides(sample: Sample, tools: Tools, side: str) -> tuple[NamedTexts, NamedTexts]:
    """What is looked for, and where: the question's concepts in the answer, or vice versa for contexts."""
    answer = with_entities(sample.answer_sentences, tools)
    other = with_entities(sample.sentences_of(side), tools)
    return (other, answer) if side == "question" else (answer, other)


@lru_cache(4 * REMEMBERED)
def _compare(compare: Callable[..., float], *texts: NamedTexts) -> float:
    return _applicable(compare, *map(_graph, texts))


def _applicable(compare: Callable[..., float], *parts: Collection[str]) -> float:
    try:
        return compare(*parts)
    except ValueError as nothing:
        raise NotApplicable(str(nothing)) from None


@lru_cache(REMEMBERED)
def _graph(sentences: NamedTexts) -> "networkx.Graph":
    return build(concepts(text, names) for text, names in sentences)
