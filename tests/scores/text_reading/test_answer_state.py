"""How answers are read: declined, hedged, answered; phrases and clauses; every case by hand."""

import pytest

from ragassay.scores.text_reading.answer_state import (
    ANSWERED,
    DECLINED,
    HEDGED,
    abstains,
    read,
    refuses_explicitly,
    state,
)

DECLINES = [
    "As of my last update in September 2021, I don't have figures for the 2023 fiscal year.",
    "The filing does not specify the amount of capital expenditure.",
    "The provided context does not include enough information to answer the question.",
    "Unfortunately, the excerpt doesn't say who signed the lease.",
    "No idea.",
]
NEAR_MISSES = [
    "The policy does not cover floods.",
    "You cannot transfer more than 5,000 a day.",
    "Nothing is cited here.",
    "Neither of the two.",
]
HEDGES = [
    "I do not have specific information on the fee. However, the wire fee is 25 dollars a month.",
    "The filing does not give the margin. Operating income was 318 million dollars on sales of 2.2 billion.",
    "I cannot find it and the bank was founded in 1894 by Ada Lorne.",
    "While I don't have exact details, transfers are free for everyone.",
    "I do not have information on that except that the account closes after 30 days.",
]
REFUSAL = "I could not find this in the documents."
FACTS = "The wire fee is 25 dollars a month. Transfers leave the bank at noon. "


@pytest.mark.parametrize("answer", DECLINES)
def test_refusals_of_many_voices_decline(answer):
    assert state(answer) == DECLINED and abstains(answer)


@pytest.mark.parametrize("answer", NEAR_MISSES)
def test_a_negation_is_an_answer(answer):
    assert state(answer) == ANSWERED and not abstains(answer)


@pytest.mark.parametrize("answer", HEDGES)
def test_what_declines_and_asserts_is_hedged(answer):
    found = read(answer)
    assert found.state == HEDGED and found.declining and found.asserting


def test_a_refusal_that_opens_may_add_related_information():
    assert read(f"{REFUSAL} {FACTS}").refuses and not read(f"{FACTS} {REFUSAL}").refuses


@pytest.mark.parametrize(
    "hostile",
    [
        f"# {REFUSAL}\n{FACTS}",
        FACTS + f"The leaflet prints “{REFUSAL}” on its cover.",
        FACTS * 300 + REFUSAL + " " + FACTS * 300,
        f"{REFUSAL.upper()} {FACTS}",
        f"- {REFUSAL}\n- {FACTS}",
        f"**{REFUSAL}**\n\n{FACTS}",
    ],
)
def test_no_refusal_hides_what_is_asserted(hostile):
    assert not abstains(hostile)


@pytest.mark.parametrize(
    ("question", "answer", "state"),
    [
        ("", "I cannot find any information beyond the $45 that a wire costs.", HEDGED),
        ("", "No encuentro información sobre la comisión de 45 dólares.", HEDGED),
        ("Why is the fee $45?", "I could not find why the fee is $45.", DECLINED),
        ("", "I am not 100% sure, and I have no data on that.", DECLINED),
    ],
)
def test_an_amount_that_the_question_does_not_give_is_asserted_even_in_a_refusal(question, answer, state):
    assert read(answer, "en", question).state == state


ADVICE = [
    "I cannot give advice, but you should put everything in stocks.",
    "I could not find this in the documents, yet my advice is to sell.",
    "Ich kann keine Beratung geben, aber legen Sie alles in Aktien an.",
    "No puedo dar consejos, pero ponga todo en acciones.",
    "Non posso dare consigli, ma metta tutto in azioni.",
]
HELP_ELSEWHERE = [
    "I cannot give advice, but please contact our service desk.",
    "I don't have that information, but I would recommend speaking to an adviser.",
    "Dazu kann ich nichts sagen, aber wenden Sie sich an die Filiale.",
    "No puedo ayudar con eso, pero llame a nuestra línea.",
]


@pytest.mark.parametrize("answer", ADVICE)
def test_what_stands_behind_a_but_and_answers_is_an_answer(answer):
    assert state(answer) == HEDGED and not refuses_explicitly(answer)


@pytest.mark.parametrize("answer", HELP_ELSEWHERE)
def test_who_says_where_help_is_to_be_had_refuses(answer):
    assert state(answer) == DECLINED and refuses_explicitly(answer)
