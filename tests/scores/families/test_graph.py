"""Concept graphs: by hand, their laws, their refusals."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.models import Entity
from ragassay.scores.concepts import build, concepts
from ragassay.scores.families.graph import (
    additional,
    centrality_similarity,
    edge_overlap,
    held_concepts,
    node_overlap,
)
from ragassay.scores.tools import Tools

SENTENCES = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), max_size=5)


def test_graphs_by_hand():
    these, those = build([["fee", "account", "bank"]]), build([["fee", "account"], ["bank", "fee"]])
    assert node_overlap(these, those) == 1
    assert edge_overlap(these, those) == pytest.approx(2 / 3)
    assert build([["a", "b"], ["b", "a"], ["a", "a"]]).edges["a", "b"]["weight"] == 2
    assert additional(build([["a", "b", "c"]]), build([["a"]]), build([["b"]])) == 0.5


@given(SENTENCES.filter(lambda found: any(found)), SENTENCES)
@settings(deadline=None)
def test_laws(one, other):
    """Bounds; a graph lies on itself; more of the other side never takes a node or an edge away; the order of sentences plays no part."""
    these, those, both = build(one), build(other), build(one + other)
    for compare in (node_overlap, edge_overlap, centrality_similarity):
        if compare is edge_overlap and not these.edges:
            continue
        assert 0 <= compare(these, those) <= 1 and compare(these, these) == pytest.approx(1)
        assert compare(these, those) == compare(these, build(other[::-1]))
    assert node_overlap(these, both) == 1
    assert (centrality_similarity(these, those) > 0) == (node_overlap(these, those) > 0)


@pytest.mark.parametrize("compare", [node_overlap, edge_overlap, centrality_similarity])
def test_refuses_an_empty_graph(compare):
    with pytest.raises(ValueError, match="no "):
        compare(build([]), build([["a", "b"]]))


def test_refuses_an_answer_that_adds_nothing():
    with pytest.raises(ValueError, match="adds no concept"):
        additional(build([["a"]]), build([["a", "b"]]), build([["a"]]))
    with pytest.raises(ValueError, match="no two concepts"):
        edge_overlap(build([["a"], ["b"]]), build([["a", "b"]]))


WORDS = st.sampled_from(
    ["Fees", "policies", "Ann", "Lee", "Lee's", "東京都", "Straße", "bank-fee", "a_fee", "Ann’s", "of"]
)
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=5).map(" ".join), max_size=8)


def named(texts):
    """Names by rule: two neighbouring words that begin alike, or one character of an unspaced word."""
    return [
        [
            Entity("person", text[a : a + n], a, a + n)
            for a in range(len(text))
            for n in (1, 3, 7)
            if _is_name(text, a, n)
        ]
        for text in texts
    ]


def _is_name(text, start, length):
    part = text[start : start + length]
    return part == "京" or (part in ("Ann Lee", "Lee") and text[start - 1 : start] in ("", " "))


@given(TEXTS, TEXTS)
@settings(deadline=None)
def test_concepts_held_are_those_of_all_texts(answer, texts):
    """Asking names of few texts finds what asking them of all would."""
    wanted = {one for text, names in zip(answer, named(answer), strict=True) for one in concepts(text, names)}
    asked = []
    tools = Tools(entities=lambda some: asked.extend(some) or named(some))
    whole = {one for text, names in zip(texts, named(texts), strict=True) for one in concepts(text, names)}
    assert held_concepts(wanted, texts, tools) == wanted & whole
    assert len(asked) == len(set(asked)) and set(asked) <= set(texts)


def test_names_are_asked_of_few_texts():
    asked = []
    tools = Tools(entities=lambda some: asked.extend(some) or [[] for _ in some])
    texts = ["The fee is due.", "A fee of the account.", "Nothing else here.", "Accounts, fees."]
    assert held_concepts({"fee", "account", "dog"}, texts, tools) == {"fee", "account"}
    assert asked == sorted(texts[:2])
