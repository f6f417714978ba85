"""The grammar of citations: which sentence cites what, and what is left without them."""

import pytest

from ragassay.scores.text_reading.citation_grammar import parse


def ids(answer: str, known=()) -> list[str]:
    return [one for _, cited in parse(answer, known=known) for one in cited]


@pytest.mark.parametrize(
    "answer, expected",
    [
        ("The fee is 5. [a#p1][b#p2]", ["a#p1", "b#p2"]),
        ("The fee is 5 [a#p1; 3].", ["a#p1", "3"]),
        ("The fee is 5 [see annex] [p. 3] [#p1] [a#p] [a#q1] [2024] [].", []),
        ("Twice [1] and [1].", ["1", "1"]),
        ("Half open [a#p1 here.", []),
    ],
)
def test_the_grammar_by_hand(answer, expected):
    assert ids(answer) == expected


@pytest.mark.parametrize(
    "answer, expected",
    [
        ("Fees are 5 [a#p1]. Wires are free.", [("Fees are 5.", ("a#p1",)), ("Wires are free.", ())]),
        ("[a#p1] Fees are 5.", [("Fees are 5.", ("a#p1",))]),
        ("Fees [1] and wires [2] differ.", [("Fees and wires differ.", ("1", "2"))]),
        ("", []),
    ],
)
def test_a_citation_belongs_to_the_sentence_before_it(answer, expected):
    assert parse(answer) == expected
