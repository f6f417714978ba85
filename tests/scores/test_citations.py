"""Citations: the grammar, which sentence cites what, and the three shares."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.scores.citations import (
    citation_correctness,
    citations_present,
    citations_valid,
    missing_numbers,
    numbers,
    parse,
    strip,
    supports,
)


def ids(answer: str, known=()) -> list[str]:
    return [one for _, cited in parse(answer, known=known) for one in cited]


@pytest.mark.parametrize(
    "answer, expected",
    [
        ("The fee is 5. [a#p1][b#p2]", ["a#p1", "b#p2"]),
        ("The fee is 5 [a#p1, b#p2].", ["a#p1", "b#p2"]),
        ("The fee is 5 [a#p1; 3].", ["a#p1", "3"]),
        ("The fee [sic] is 5.", []),
        ("The fee is 5 [see annex] [p. 3] [#p1] [a#p] [a#q1] [2024] [].", []),
        ("The fee is 5 [doc_1.v2-b#p12].", ["doc_1.v2-b#p12"]),
        ("Twice [1] and [1].", ["1", "1"]),
        ("Nested [[a#p1]] here.", ["a#p1"]),
        ("Half open [a#p1 here.", []),
        ("Spaces [ a#p1 ,b#p2 ] here.", ["a#p1", "b#p2"]),
    ],
)
def test_the_grammar_by_hand(answer, expected):
    assert ids(answer) == expected


def test_a_retrieved_id_outside_the_grammar_is_an_id_only_when_known():
    assert ids("So it is [rule 7-b].") == []
    assert ids("So it is [rule 7-b; sic].", known={"rule 7-b"}) == ["rule 7-b"]


@pytest.mark.parametrize(
    "answer, expected",
    [
        ("Fees are 5 [a#p1]. Wires are free.", [("Fees are 5.", ("a#p1",)), ("Wires are free.", ())]),
        (
            "Fees are 5. [a#p1] Wires are free. [b#p2]",
            [("Fees are 5.", ("a#p1",)), ("Wires are free.", ("b#p2",))],
        ),
        ("[a#p1] Fees are 5.", [("Fees are 5.", ("a#p1",))]),
        (
            "- Fees are 5. [a#p1]\n- Wires are free. [b#p2]",
            [("Fees are 5.", ("a#p1",)), ("Wires are free.", ("b#p2",))],
        ),
        ("Fees [1] and wires [2] differ.", [("Fees and wires differ.", ("1", "2"))]),
        ("[a#p1][b#p2]", []),
        ("", []),
        ("... !! [a#p1]", []),
    ],
)
def test_a_citation_belongs_to_the_sentence_before_it(answer, expected):
    assert parse(answer) == expected


@pytest.mark.parametrize(
    "answer, plain",
    [
        ("Fees are 5 [a#p1].", "Fees are 5."),
        ("Fees [sic] are 5. [1][2]", "Fees [sic] are 5."),
        ("one[1]two", "one two"),
        ("[1]", ""),
        ("a [1], b", "a, b"),
    ],
)
def test_strip_by_hand(answer, plain):
    assert strip(answer) == plain


@given(
    st.lists(
        st.sampled_from(
            ["Fees are 5.", "[a#p1]", "[1, 2]", "[sic]", "\n", " ", "Wires are free!", "e.g. this"]
        )
    ).map(" ".join)
)
def test_no_citation_survives_and_none_is_lost(answer):
    assert ids(strip(answer)) == []
    brackets = [part.strip() for found in re.findall(r"\[([^\[\]]+)\]", answer) for part in found.split(",")]
    assert not parse(answer) or ids(answer) == [one for one in brackets if one in ("a#p1", "1", "2")]


def test_shares_by_hand():
    cited = [("a#p1",), (), ("a#p1", "x#p9"), ("3",)]
    assert citations_present(cited) == 0.75
    assert citations_valid(cited, {"a#p1", "b#p2"}) == 0.5
    assert citation_correctness([True, False, True]) == pytest.approx(2 / 3)


def test_nothing_cited_scores_zero_and_no_sentence_no_score():
    assert (
        citations_present([(), ()]) == citations_valid([(), ()], {"a#p1"}) == citation_correctness([]) == 0.0
    )
    with pytest.raises(ValueError, match="empty"):
        citations_present([])


@given(
    st.lists(st.lists(st.sampled_from(["a#p1", "b#p2", "x#p9", "1"]))),
    st.sets(st.sampled_from(["a#p1", "b#p2", "1"])),
)
def test_validity_agrees_with_the_lesson_and_never_falls_when_more_is_retrieved(cited, retrieved):
    answer = "".join(f"s {''.join(f'[{one}]' for one in ids)} " for ids in cited)
    found = re.findall(r"\[([^\]]+)\]", answer)
    as_printed = sum(1 for cid in found if cid in retrieved) / len(found) if found else 0.0
    assert citations_valid(cited, retrieved) == as_printed
    assert citations_valid(cited, retrieved | {"x#p9"}) >= citations_valid(cited, retrieved)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("1,250.50", {"1250.5"}),
        ("1.250,50", {"1250.5"}),
        ("$1250.5", {"1250.5"}),
        ("1,250", {"1250"}),
        ("007", {"7"}),
        ("3.50%", {"3.5"}),
        ("5 to 10", {"5", "10"}),
        ("none", set()),
        ("12,345,678", {"12345678"}),
        ("٣", {"3"}),
        ("0.00", {"0"}),
    ],
)
def test_numbers_have_one_spelling(text, expected):
    assert numbers(text) == expected


def test_support_needs_closeness_and_every_number():
    passages = ["The fee is $1,250.00 a year.", "It is waived at 30 days."]
    assert supports([0.2, 0.6], "The fee is 1250 dollars.", passages)
    assert not supports([0.2, 0.59], "The fee is 1250 dollars.", passages)
    assert not supports([0.9], "The fee is 1350 dollars.", passages)
    assert supports([0.9], "2. The fee is 1250 dollars, waived at 30 days.", passages)
    assert supports([0.5], "The fee.", passages, threshold=0.5)
    assert not supports([], "The fee.", [])
    assert missing_numbers("Pay 7 of 30.", passages) == {"7"}
