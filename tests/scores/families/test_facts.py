"""Facts, concepts and their graphs, and questions made of sentences: by hand, their laws, their refusals."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.models import Entity
from ragassay.scores.families.facts import (
    build,
    compare_graphs,
    concepts,
    find,
    is_held,
    phrases,
    questions,
    read_source,
)

SOURCE = read_source(
    (
        "The monthly fee is $6.00, or 5 % of 1,250 units, waived within thirty business days.",
        "Due 12 March 2024 at 10 a.m. in the U.S.",
    )
)


@pytest.mark.parametrize(
    "claim, found",
    [
        ("a fee of $6", [True]),
        ("5 per cent", [True]),
        ("30 months", [False]),
        ("in March 2024", [True]),
        ("on a Tuesday", [True]),
        ("at 10:00", [True]),
        ("no fact", []),
    ],
)
def test_each_kind_is_looked_up(claim, found):
    assert [is_held(fact, SOURCE) for fact in find(claim)] == found


@given(st.text(), st.text())
@settings(deadline=None)
def test_a_text_holds_its_own_facts_and_more_text_holds_no_less(one, other):
    for fact in find(one):
        assert is_held(fact, read_source((one,))) and is_held(fact, read_source((other, one)))


@pytest.mark.parametrize(
    "sentence, asked",
    [
        ("The monthly fee is $6.00.", ["What is the monthly fee?", "The monthly fee is what?"]),
        ("It was opened in Germany by engineers.", ["It was opened in Germany by what?"]),
        ("So it is.", []),
        ("fee " * 1000, []),
    ],
)
def test_questions_by_hand(sentence, asked):
    assert questions(sentence) == asked


KINDS = ("nodes", "edges", "centrality")
SENTENCES = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), max_size=5)


def test_concepts_by_hand():
    text = "The bank charges Ann Lee the monthly fees, often 5 policies’ costs in March."
    expected = ["bank", "charg", "ann lee", "month", "fee", "policy", "cost"]
    assert [one for *_, one in concepts(text, [Entity("person", "Ann Lee", 17, 24)])] == expected
    text = "the monthly maintenance fee of Ann Lee, fee"
    assert [text[start:end] for start, end in phrases(text)] == ["monthly maintenance fee", "Ann Lee", "fee"]


@pytest.mark.parametrize("text", ["", "5 %", "not the very of", "must all", "que los las", "\0 🙂"])
def test_texts_without_concepts(text):
    assert concepts(text) == []


def test_graphs_by_hand():
    these, those = build([["fee", "account", "bank"]]), build([["fee", "account"], ["bank", "fee"]])
    assert compare_graphs(these, those, "nodes") == 1
    assert compare_graphs(these, those, "edges") == pytest.approx(2 / 3)
    assert build([["a", "b"], ["b", "a"], ["a", "a"]]).edges["a", "b"]["weight"] == 2


@given(SENTENCES.filter(lambda found: any(found)), SENTENCES)
@settings(deadline=None)
def test_laws_of_graphs(one, other):
    """Bounds; a graph lies on itself; more of the other side never takes a node or an edge away; the order of sentences plays no part."""
    these, those, both = build(one), build(other), build(one + other)
    for kind in KINDS:
        if kind == "edges" and not these.edges:
            continue
        assert 0 <= compare_graphs(these, those, kind) <= 1
        assert compare_graphs(these, these, kind) == pytest.approx(1)
        turned = build(other[::-1])
        assert compare_graphs(these, those, kind) == pytest.approx(compare_graphs(these, turned, kind))
    assert compare_graphs(these, both, "nodes") == 1
    shared = compare_graphs(these, those, "nodes") > 0
    assert (compare_graphs(these, those, "centrality") > 0) == shared


@pytest.mark.parametrize("kind", KINDS)
def test_refuses_an_empty_graph(kind):
    with pytest.raises(ValueError, match="no "):
        compare_graphs(build([]), build([["a", "b"]]), kind)
