"""What a sentence holds that its passages do not: by hand, and the laws of it."""

import numpy as np
import pytest
from number_tables import PAGE

from ragassay.scores.support_model import count_met, findings, source

CONTEXTS = (
    "The Harbour Bank raised its card fee to 12 euros in March.",
    "Customers in Lisbon paid the fee by transfer.",
    "All branches closed on Monday.",
)


def found(sentence, cosines=(0.9, 0.5, 0.1)):
    return findings(sentence, source(CONTEXTS), cosines)


def test_findings_by_hand():
    """Raised is lowered, 12 is 15, March is June, Lisbon is Porto; customers are clients."""
    one = found("The bank lowered its fee to 15 euros in June for all clients in Porto")
    assert one.opposites == ("lowered", "june")
    assert one.numbers_missing == ("15",)
    assert one.dates_missing == ("june",)
    assert one.names_missing == ("Porto",)
    assert one.paraphrases == ("clients",)
    assert one.verbs_reworded == ("lowered",)
    assert (one.words, one.words_found) == (
        8,
        3,
    )  # bank, fee and euros of bank lowered fee 15 euros june clients porto
    assert (one.pairs, one.pairs_found) == (7, 0)


@pytest.mark.parametrize(
    "sentence, missing",
    [
        ("Tea sales were £4.31 million in 2023.", ()),
        ("Tea sales rose by £390 thousand.", ()),
        ("Tea sales were £4.31 billion in 2023.", ("4.31",)),
    ],
)
def test_a_number_is_missing_unless_stated_in_its_scale_or_a_step_away(sentence, missing):
    held = source(tuple(PAGE.splitlines()))
    assert findings(sentence, held, [0.5] * len(held.sentences)).numbers_missing == missing


def test_a_negation_is_new_only_where_the_evidence_has_none():
    assert found("The bank did not raise its fee").negation_new
    contexts = (*CONTEXTS, "The bank did not raise its fee in May.")
    assert not findings("The fee was never raised", source(contexts), (0.9, 0.5, 0.1, 0.4)).negation_new


def test_an_opposite_the_sentence_repeats_with_its_evidence_is_none():
    assert found("The fee was raised, not lowered").opposites == ()


@pytest.mark.parametrize(
    "said, question, borne_out",
    [
        ("Tea sales were £4.31 million in 2023.", "", True),
        ("Tea sales were £4.31 million in 2022.", "", False),
        ("Coffee sales were £4.31 million in 2023.", "", False),
        ("It was £4.31 million.", "What were tea sales in 2023?", True),
    ],
)
def test_an_amount_is_borne_out_by_its_row_and_period(said, question, borne_out):
    held = source((PAGE,), None, (PAGE,))
    (score,) = findings(said, held, [0.5], question=question).borne_out
    assert (score > 0.7) == borne_out


def test_the_scale_of_an_amount_that_is_held_is_no_number_missing():
    held = source((PAGE,), None, (PAGE,))
    assert findings("Tea sales were £4.31 million in 2023.", held, [0.5]).number_words_missing == ()
    assert findings("A million people drink tea.", held, [0.5]).number_words_missing == ("1000000",)


def test_words_together_by_hand():
    """Fee and transfer stand in sentence 2, euros in its neighbour, Monday in sentence 3: bank is left out."""
    sentence, cosines = "Fee transfer euros Monday bank", (0.9, 0.5, 0.1)
    assert findings(sentence, source(CONTEXTS), cosines).words_together == 5
    apart = findings(sentence, source(CONTEXTS, (0, 1, 2)), cosines)
    assert (apart.words_found, apart.words_together) == (5, 3)  # fee, euros and bank of the first passage
    two = findings(sentence, source(CONTEXTS, (0, 1, 1)), cosines)
    assert two.words_together == 3


def test_tokens_met_by_hand():
    """The first token meets the second of the evidence, the second none; no token is none met."""
    evidence = [[0.0, 1.0, 0.0], [2.0, 1.0, 0.0]]
    assert count_met([[[1.0, 0.0, 0.0], [0.0, 0.0, 3.0]], np.empty((0, 3))], evidence) == [(2, 1), (0, 0)]
    assert count_met([[[1.0, 0.0, 0.0]]], np.empty((0, 3))) == [(1, 0)]
