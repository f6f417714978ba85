"""Citations: the shares, what supports a sentence, and answers measured."""

import pytest
from word_tools import WordTools

from ragassay.models import entailment_thresholds
from ragassay.scores.families.citations import (
    citation_correctness,
    citations_entailed,
    citations_present,
    citations_supported,
    citations_valid,
)
from ragassay.scores.prepared_answer import Sample

TOOLS = WordTools()
NEAR = entailment_thresholds.shipped("citation_similarity")
CONTEXTS = ("The wire fee is 25 dollars. It is waived by Ann Lee in March.", "Cards are free.")


def _sample(answer: str) -> Sample:
    return Sample("c1", "s", answer=answer, contexts=CONTEXTS, context_ids=("a#p1", "a#p2"))


@pytest.mark.parametrize(
    "answer, correct, valid, supported",
    [
        ("Cards cost 70 dollars [a#p1][a#p2]. Wires [x#p9].", 2 / 3, 0.0, 0.0),
        ("Cards cost 70 dollars [a#p1].", 1.0, 1.0, 0.0),
        ("Cards are free [a#p2]. The wire fee is 25 dollars [a#p1, x#p9].", 2 / 3, 0.0, 1.0),
        ("Cards are free.", 0.0, 0.0, 0.0),
    ],
)
def test_citation_correctness_is_the_lesson_s_share_and_whether_a_passage_supports_has_another_name(
    answer, correct, valid, supported
):
    """By hand: ids that were retrieved of the ids cited (4.1), all of them (3.1), sentences supported of those citing."""
    sample = _sample(answer)
    assert citation_correctness(sample, TOOLS)[0] == pytest.approx(correct)
    assert citations_valid(sample, TOOLS)[0] == valid
    assert citations_present(sample, TOOLS)[0] == float("[" in answer)
    assert citations_supported(sample, TOOLS)[0] == supported


def test_what_the_reply_names_beside_its_text_is_cited_by_each_sentence_unless_the_text_cites():
    beside = {"contexts": CONTEXTS, "context_ids": ("a#p1", "a#p2"), "citations": ("a#p2",)}
    silent = Sample("c1", "s", answer="Cards are free. The wire fee is 25 dollars.", **beside)
    assert citations_present(silent, TOOLS)[0] == 1.0 and citations_valid(silent, TOOLS)[0] == 1.0
    assert citations_supported(silent, TOOLS)[0] == 0.5
    assert Sample("c1", "s", answer="Free [x#p9].", **beside).cited == [("Free.", ("x#p9",))]


def test_citing_sentences_are_held_against_what_they_cite():
    value, detail = citations_entailed(
        _sample("Cards are free [a#p2]. The fee is 25 dollars [a#p2]. Wires [x#p9]. Yes."), TOOLS
    )
    assert value == pytest.approx(1 / 3) and [record["score"] for record in detail] == [1.0, 0.0, 0.0]
    assert [record["evidence"] for record in detail] == ["Cards are free.", "Cards are free.", None]
    assert citations_entailed(_sample("The fee is 25 dollars."), TOOLS) == (0.0, [])
