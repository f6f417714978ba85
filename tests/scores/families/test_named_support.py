"""Support by a named model, the network replaced by a rule: the least sentence decides, and is the one flagged."""

import pytest
from fake_tools import FakeTools

from ragassay.scores.families.support import support
from ragassay.scores.metric import NotApplicable
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.support_model import model

CONTEXTS = ("The card fee is 12 euros. It is paid by transfer.", "Branches in Port Alder close on Friday.")


def by_words(asked):
    """The share of a text's words that its context holds."""
    return [
        sum(word in " ".join(those) for word in text.split()) / len(text.split()) for those, text in asked
    ]


def sample(answer, contexts=CONTEXTS):
    return Sample("a", "s", answer=answer, contexts=contexts, context_ids=("c0", "c1")[: len(contexts)])


def test_by_hand():
    """Of "Gold is paid." two words of three stand in the passages, of the other sentence all."""
    value, detail = support(sample("The card fee is 12 euros. Gold is paid"), FakeTools(supported=by_words))
    assert value == pytest.approx(2 / 3) and [round(one["score"], 3) for one in detail] == [1.0, 0.667]
    assert [one["weakest"] for one in detail] == [False, True]
    assert detail[0]["evidence"] == "The card fee is 12 euros." and detail[0]["evidence_id"] == "c0"


def test_it_is_asked_only_where_it_is_named_and_no_fit_is_given():
    one = sample("It is paid by transfer.")
    ours = support(one, FakeTools())[0]
    assert support(one, FakeTools(supported=by_words))[0] == 1.0 != ours
    assert support(one, FakeTools(supported=by_words), model())[0] == ours


@pytest.mark.parametrize(("answer", "contexts"), [("", CONTEXTS), ("It is paid.", ())])
def test_what_has_no_sentence_has_no_score(answer, contexts):
    with pytest.raises(NotApplicable, match="no sentence"):
        support(sample(answer, contexts), FakeTools(supported=by_words))
