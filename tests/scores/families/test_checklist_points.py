"""The points of the checklist as they see an answer."""

from word_tools import WordTools

from ragassay.scores.families.checklist import View, says_not_found
from ragassay.scores.prepared_answer import Sample

TOOLS = WordTools()


def test_only_the_nearest_sentences_are_asked_for():
    contexts = (
        " ".join(f"The fee {word} is 5 unless lost." for word in ("one", "two", "three", "four", "five")),
    )
    view = View(
        Sample("c1", "s", answer="No.", question="What is the fee unless lost?", contexts=contexts), TOOLS
    )
    assert view.wanted("exception") == [0, 1, 2]


def test_an_empty_answer_says_nothing():
    told = [
        says_not_found(View(Sample("c1", "s", answer=answer), TOOLS))[0]
        for answer in ("I could not find this in the documents.", "", "The fee is 5.")
    ]
    assert told == [True, False, False]
