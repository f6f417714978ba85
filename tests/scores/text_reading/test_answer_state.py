"""How answers are read: declined, hedged, answered; phrases and clauses; every case by hand."""

import pytest

from ragassay.scores.text_reading import answer_state, claim_text
from ragassay.scores.text_reading.answer_state import (
    ANSWERED,
    DECLINED,
    HEDGED,
    abstains,
    combine,
    own_words,
    read,
    refusal_phrase,
    refuses_explicitly,
    state,
)

DECLINES = [
    "As of my last update in September 2021, I don't have figures for the 2023 fiscal year.",
    "You haven't provided the cash flow statement, so I can't calculate the ratio.",
    "The filing does not specify the amount of capital expenditure.",
    "Could you share the document? I'd need the balance sheet to answer this.",
    "The provided context does not include enough information to answer the question.",
    "The documents do not say what to do about a lost debit card.",
    "Unfortunately, the excerpt doesn't say who signed the lease.",
    "Nothing was found.",
    "Nothing here covers this.",
    "Not specified.",
    "No idea.",
    "",
]
NEAR_MISSES = [
    "The policy does not cover floods.",
    "No, there is no fee for this.",
    "You cannot transfer more than 5,000 a day.",
    "No documents are required for this.",
    "The account has no information fee.",
    "The document mentions only one acquisition, that of Arden Ltd in 2019.",
    "Nothing is cited here.",
    "Never, under section 4.",
    "Nothing changes.",
    "No section is named.",
    "Neither of the two.",
    "There is nothing to pay.",
]
HEDGES = [
    "I do not have specific information on the fee. However, the wire fee is 25 dollars a month.",
    "I could not find 2023 figures, but revenue in 2022 was 4.1 billion dollars.",
    "The filing does not give the margin. Operating income was 318 million dollars on sales of 2.2 billion.",
    "I don't have information on the limit and the wire fee is 500 dollars a month.",
    "I cannot find it and the bank was founded in 1894 by Ada Lorne.",
    "The card costs 5 dollars a month. The documents do not say what a second card costs.",
    "While I don't have exact details, transfers are free for everyone.",
    "I don't know the details (the limit is 9,000 a day).",
    "I do not have information on that except that the account closes after 30 days.",
    "I can't tell you more than this: wire transfers are free for everyone until 2030.",
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


def test_states_by_hand():
    assert [combine(*each) for each in [(False, False), (False, True), (True, True), (True, False)]] == [
        ANSWERED, ANSWERED, HEDGED, DECLINED,
    ]  # fmt: skip


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
    "disguised",
    [
        REFUSAL.upper(),
        f"# Answer\n{REFUSAL}",
        f"- {REFUSAL}",
        f"**{REFUSAL}**",
        "I coud not fnd this in teh documents.",
    ],
)
def test_a_refusal_in_disguise_is_seen(disguised):
    assert abstains(disguised)


def test_who_quotes_a_refusal_does_not_decline():
    assert own_words(f"“{REFUSAL}”") == ""
    assert state(f"“{REFUSAL}”") == ANSWERED


@pytest.mark.parametrize(
    ("question", "answer", "state"),
    [
        ("", "I cannot find any information beyond the $45 that a wire costs.", HEDGED),
        ("", "There is no information about the forty-five-dollar fee that applies to wires.", HEDGED),
        ("", "No encuentro información sobre la comisión de 45 dólares.", HEDGED),
        ("", "I could not find which funds return the 9.5% a year.", HEDGED),
        ("Why is the fee $45?", "I could not find why the fee is $45.", DECLINED),
        ("Why is the fee $54?", "I could not find why the fee is $45.", HEDGED),
        ("", "I am not 100% sure, and I have no data on that.", DECLINED),
        ("", "I could not find anything on fees in 2023 within the last three years.", DECLINED),
    ],
)
def test_an_amount_that_the_question_does_not_give_is_asserted_even_in_a_refusal(question, answer, state):
    assert read(answer, "en", question).state == state


def test_an_amount_in_a_refusing_sentence_is_a_claim_too():
    said = "I could not find details of the wire fee, which is $45."
    assert not answer_state.declines(said) and claim_text.cut([said])
    assert answer_state.declines("I could not find details of the wire fee.")


ADVICE = [
    "I cannot give advice, but you should put everything in stocks.",
    "I can't help with that; however, buy Acme shares now.",
    "I could not find this in the documents, yet my advice is to sell.",
    "While I can't advise anyone, put everything in stocks.",
    "Ich kann keine Beratung geben, aber legen Sie alles in Aktien an.",
    "Je ne peux pas donner de conseil, mais placez tout en actions.",
    "No puedo dar consejos, pero ponga todo en acciones.",
    "Não posso dar conselhos, mas coloque tudo em ações.",
    "Non posso dare consigli, ma metta tutto in azioni.",
]
HELP_ELSEWHERE = [
    "I cannot give advice, but please contact our service desk.",
    "I can't say, but we recommend that you check our website.",
    "I don't have that information, but I would recommend speaking to an adviser.",
    "Sorry, but I can't tell you which fund to buy.",
    "Dazu kann ich nichts sagen, aber wenden Sie sich an die Filiale.",
    "Je ne peux pas répondre, mais contactez votre conseiller.",
    "No puedo ayudar con eso, pero llame a nuestra línea.",
]


@pytest.mark.parametrize("answer", ADVICE)
def test_what_stands_behind_a_but_and_answers_is_an_answer(answer):
    assert state(answer) == HEDGED and not refuses_explicitly(answer)


@pytest.mark.parametrize("answer", HELP_ELSEWHERE)
def test_who_says_where_help_is_to_be_had_refuses(answer):
    assert state(answer) == DECLINED and refuses_explicitly(answer)


ABSTAIN = [
    "The filing does not specify the amount.",
    "No document seems to precisely answer your question.",
    "No passage appears to answer this question.",
    "No document among the references gives a precise answer to your question.",
    "Your question does not seem to be answered precisely by any document.",
    "A precise answer cannot be found in the documents.",
    "I could not find this in the documents.",
    "Sorry. I couldn\u2019t find an answer [a#p1].",
    "I cannot answer that from the documents provided.",
    "We were unable to locate this.",
    "I do not have any specific information on that.",
    "I don't know.",
    "The provided documents do not mention overdrafts.",
    "No relevant information was found.",
    "Insufficient evidence.",
    "No he encontrado la respuesta en los documentos.",
    "Lo siento, no encontré información.",
    "No dispongo de información suficiente.",
    "Los documentos no mencionan esa comisión.",
    "No se ha encontrado nada.",
    "Não consegui encontrar a resposta.",
    "Não tenho informações sobre isso.",
    "Os documentos não mencionam essa tarifa.",
    "Não sei.",
    "No passage retrieved clearly covers this.",
    "I\u2019m unable to find a fee for this.",
    "There is no clear answer.",
    "Ningún documento parece responder a la pregunta.",
    "Nenhum dos documentos responde a essa pergunta.",
    "I could not find the fee. The related rule is in section 4 [a#p1].",
    "",
    "\n\t",
    "...",
    "[a#p1]",
    "\u200b",
]
ANSWER = [
    "The documents needed are listed in the annex [1].",
    "None of the fees apply to students [1].",
    "There is no fee for closing the account [1].",
    "No reference number is needed [1].",
    "The fee is $5.",
    "You cannot close the account online.",
    "Customers who do not have information on file must visit a branch.",
    "You can find it in the app. It takes two days. I could not find the exact hour.",
    "No se cobra comisión.",
    "No information is shared with third parties.",
    "No source of income has to be shown.",
    "The fee is not included in the price stated in the table.",
    "Ningún cliente paga comisión.",
    "1",
    "Out-of-scope requests are sent to the branch.",
]


@pytest.mark.parametrize("answer", ABSTAIN)
def test_abstains(answer):
    assert refusal_phrase(answer), answer


@pytest.mark.parametrize("answer", ANSWER)
def test_answers(answer):
    assert refusal_phrase(answer) is None
