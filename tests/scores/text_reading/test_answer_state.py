"""How answers are read: answered, hedged, declined, evaded; the rule by hand, replies by kind, what hides."""

import numpy as np
import pytest

from ragassay.scores.text_reading import answer_state
from ragassay.scores.text_reading.answer_state import (
    ANSWERED,
    DECLINED,
    EVADED,
    HEDGED,
    abstains,
    declines,
    mark,
    read,
    read_ahead,
    refuses_explicitly,
)

DECLINE, ASSERT, NEITHER = [5.0, -6.0, -6.0], [-6.0, 6.0, -6.0], [-6.0, -6.0, 5.0]


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        ([ASSERT], ANSWERED),
        ([NEITHER, ASSERT], ANSWERED),
        ([ASSERT, DECLINE], ANSWERED),
        ([DECLINE], DECLINED),
        ([NEITHER, DECLINE, NEITHER], DECLINED),
        ([DECLINE, NEITHER, ASSERT], HEDGED),
        ([DECLINE, *[NEITHER] * 9, ASSERT], DECLINED),
        ([NEITHER, NEITHER], EVADED),
    ],
)
def test_the_state_by_hand(sentences, expected):
    assert mark(np.array(sentences), len(sentences))[0] == expected


def test_the_more_sentences_the_less_one_is_believed():
    weak = np.array([[0.8, -1.0, -1.0]])
    assert mark(weak, 1)[0] == DECLINED and mark(weak, 100)[0] != DECLINED


DECLINING = [
    "When the next rate change comes is anybody's guess.",
    "You would need to ask somebody with access to the system. I am stumped.",
    "As of my last update in September 2021, I don't have figures for the 2023 fiscal year.",
    "The filing does not specify the amount of capital expenditure.",
    "The provided context does not include enough information to answer the question.",
    "The statement of cash flows isn't part of the excerpt, so I can't give the figure. Capital expenditure is "
    "usually listed there under investing activities. Please share it and I will look.",
    "To calculate the ratio, current assets are divided by current liabilities. However, neither is given in the "
    "context, so it is not possible to compute it.",
    "I could not find this in the documents. I'd recommend speaking to an adviser.",
    "Los documentos no mencionan esa comisión.",
    "Não consegui encontrar a resposta.",
    "Dazu kann ich Ihnen leider nichts sagen.",
    "Je n'ai rien trouvé à ce sujet.",
    "",
    "...",
]
ANSWERING = [
    "The policy does not cover floods.",
    "You cannot transfer more than 5,000 a day.",
    "Nothing is cited here.",
    "Never, under section 4.",
    "No.",
    "There is no fee for closing the account [1].",
    "Customers who do not have information on file must visit a branch.",
    "No se cobra comisión.",
    "Die Gebühr wird nicht erstattet.",
    "Les frais ne sont pas remboursables.",
    "The fee is $25 a month. The documents do not say whether students pay it.",
    "Replacement cheque books are not posted abroad.",
    "The letter shows the old and new payment and the date on which the change begins.",
    "The leaflet prints “I could not find this in the documents.” on its cover.",
]


@pytest.mark.parametrize("answer", DECLINING)
def test_what_declines_abstains_however_long_it_explains(answer):
    assert read(answer).state == DECLINED and abstains(answer)


@pytest.mark.parametrize(
    "answer, language",
    [("Dazu kann ich Ihnen leider nichts sagen.", "de"), ("Je n'ai pas trouvé cette information.", "fr")],
)
def test_another_language_than_the_encoders_is_read_by_its_words(answer, language):
    assert abstains(answer, language) and not abstains("Esta guía está dirigida a las personas.", "es")


@pytest.mark.parametrize("answer", ANSWERING)
def test_negative_answers_and_caveats_answer(answer):
    assert read(answer).state == ANSWERED and not abstains(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "I cannot give advice, but you should put everything in stocks.",
        "I could not find this in the documents. The wire fee is 25 dollars a month.",
        "I do not have specific information on the fee. However, the wire fee is 25 dollars a month.",
    ],
)
def test_what_declines_and_then_answers_is_hedged(answer):
    found = read(answer)
    assert found.state == HEDGED and found.declining and found.asserting and found.refuses
    assert not refuses_explicitly(answer)


def test_what_was_read_ahead_is_not_read_again(monkeypatch):
    """The encoder would fill a batch for every sentence; lists and another language are read as they are asked for."""
    answers = [("I could not find it. The fee of 7 is due.", "en"), ("1. Go to desk 7.", "en"), ("Cuesta 7 al mes.", "es")]  # fmt: skip
    read_ahead(answers)
    monkeypatch.setattr(answer_state, "refusals", None)
    assert [read(*one).state for one in answers] == [HEDGED, ANSWERED, ANSWERED]
    assert not declines("Go to desk 7.") and not abstains(answers[2][0])


def test_a_sentence_alone():
    assert declines("I could not find this.") and not declines("The fee is $5.") and not declines("[1]")


@pytest.mark.parametrize("answer", ["I can't help with that request.", "I won't give advice on shares."])
def test_a_refusal_in_so_many_words(answer):
    assert refuses_explicitly(answer) and not refuses_explicitly(f"{answer} Put everything in stocks.")


@pytest.mark.parametrize("language", ["es", "pt", "de"])
def test_who_is_asked_in_another_language_may_decline_in_english(language):
    assert answer_state.read("I am sorry, I could not find this in our documents.", language).abstains
    assert not answer_state.read("The monthly fee of this account is six dollars.", language).abstains
