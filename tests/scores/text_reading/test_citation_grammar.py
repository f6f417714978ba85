"""The grammar of citations: which sentence cites what, and what is left without them."""

import pytest

from ragassay.scores.text_reading.citation_grammar import parse, strip


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
