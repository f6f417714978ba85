"""Concepts and their graphs: by hand, their laws, their refusals."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.models import Entity
from ragassay.scores.families.graph import (
    build,
    centrality_similarity,
    concepts,
    edge_overlap,
    node_overlap,
    phrases,
)

SENTENCES = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), max_size=5)


def test_concepts_by_hand():
    text = "The bank charges Ann Lee the monthly fees, usually 5 policies’ costs in March."
    expected = ["bank", "charge", "ann lee", "monthly", "fee", "policy", "cost"]
    assert concepts(text, [Entity("person", "Ann Lee", 17, 24)]) == expected
    text = "the monthly maintenance fee of Ann Lee, fee"
    assert [text[start:end] for start, end in phrases(text)] == ["monthly maintenance fee", "Ann Lee", "fee"]


@pytest.mark.parametrize(
    "text",
    ["", "5 %", "not the very of", "quickly", "must pay", "closing closed closes", "que los las", "\0 🙂"],
)
def test_texts_without_concepts(text):
    assert concepts(text) == []


def test_graphs_by_hand():
    these, those = build([["fee", "account", "bank"]]), build([["fee", "account"], ["bank", "fee"]])
    assert node_overlap(these, those) == 1
    assert edge_overlap(these, those) == pytest.approx(2 / 3)
    assert build([["a", "b"], ["b", "a"], ["a", "a"]]).edges["a", "b"]["weight"] == 2


@given(SENTENCES.filter(lambda found: any(found)), SENTENCES)
@settings(deadline=None)
def test_laws(one, other):
    """Bounds; a graph lies on itself; more of the other side never takes a node or an edge away; the order of sentences plays no part."""
    these, those, both = build(one), build(other), build(one + other)
    for compare in (node_overlap, edge_overlap, centrality_similarity):
        if compare is edge_overlap and not these.edges:
            continue
        assert 0 <= compare(these, those) <= 1 and compare(these, these) == pytest.approx(1)
        assert compare(these, those) == pytest.approx(compare(these, build(other[::-1])))
    assert node_overlap(these, both) == 1
    assert (centrality_similarity(these, those) > 0) == (node_overlap(these, those) > 0)


@pytest.mark.parametrize("compare", [node_overlap, edge_overlap, centrality_similarity])
def test_refuses_an_empty_graph(compare):
    with pytest.raises(ValueError, match="no "):
        compare(build([]), build([["a", "b"]]))
