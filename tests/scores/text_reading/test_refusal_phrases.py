"""The phrases of refusal in three languages, and what is no refusal."""

import pytest

from ragassay.scores.text_reading.answer_state import PHRASES, phrase

ABSTAIN = [
    "The filing does not specify the amount.",
    "No document seems to precisely answer your question.",
    "None of the references precisely answers your question.",
    "The references do not answer your question precisely.",
    "No passage appears to answer this question.",
    "Nothing in the references answers the question.",
    "No document among the references gives a precise answer to your question.",
    "No source precisely covers this question.",
    "The documents at hand contain no precise answer to your question.",
    "Your question does not seem to be answered precisely by any document.",
    "Apparently no document deals precisely with your question.",
    "A precise answer cannot be found in the documents.",
    "No precise answer to your question appears in any document.",
    "I could not find this in the documents.",
    "Sorry. I couldn\u2019t find an answer [a#p1].",
    "I cannot answer that from the documents provided.",
    "We were unable to locate this.",
    "I don't have enough information to answer.",
    "I do not have any specific information on that.",
    "I don't know.",
    "The provided documents do not mention overdrafts.",
    "The document doesn't specify a fee.",
    "No relevant information was found.",
    "There is no information about this.",
    "Insufficient evidence.",
    "That is outside the scope of these documents.",
    "This question cannot be answered.",
    "No he encontrado la respuesta en los documentos.",
    "Lo siento, no encontré información.",
    "No puedo responder a esa pregunta.",
    "No dispongo de información suficiente.",
    "Los documentos no mencionan esa comisión.",
    "No se ha encontrado nada.",
    "Não encontrei essa informação.",
    "Não consegui encontrar a resposta.",
    "Não posso responder.",
    "Não tenho informações sobre isso.",
    "Os documentos não mencionam essa tarifa.",
    "Não sei.",
    "No document seems to answer what you ask precisely. Cards are free [a#p1].",
    "No passage retrieved clearly covers this.",
    "None of the provided documents mention such a fee.",
    "Nothing in the documents says when it ends.",
    "I found no information about this.",
    "I have found nothing on that.",
    "I\u2019m unable to find a fee for this.",
    "The notice period is not clearly stated in the documents provided.",
    "There is no clear answer.",
    "Ningún documento parece responder a la pregunta.",
    "Ninguno de los documentos menciona esa comisión.",
    "Nenhum dos documentos responde a essa pergunta.",
    "I could not find the fee. The related rule is in section 4 [a#p1].",
    "",
    "   ",
    "\n\t",
    "...",
    "[a#p1]",
    "\u200b",
    "👋",
]


ANSWER = [
    "The documents needed are listed in the annex [1].",
    "No document is needed to open the account [2].",
    "None of the fees apply to students [1].",
    "No document other than the passport is asked for [3].",
    "There is no fee for closing the account [1].",
    "The references of the applicant are checked within three days [2].",
    "No reference number is needed [1].",
    "No answer from the customer within 30 days counts as consent [2].",
    "The fee is $5.",
    "If you could not find the form, call us.",
    "You cannot close the account online.",
    "The card does not have a fee.",
    "Customers who do not have information on file must visit a branch.",
    "The account has no information fee.",
    "You can find it in the app. It takes two days. I could not find the exact hour.",
    "No hay comisión por este servicio.",
    "No se cobra comisión.",
    "Know your customer.",
    "No information is shared with third parties.",
    "No text message contains your PIN.",
    "No source of income has to be shown.",
    "We found no fault with the card, and it was sent back.",
    "The fee is not included in the price stated in the table.",
    "I'm your assistant: the fee is $5.",
    "Ningún cliente paga comisión.",
    "Nenhum documento é exigido.",
    "1",
    "好的",
    "Out-of-scope requests are sent to the branch.",
]


@pytest.mark.parametrize("answer", ABSTAIN)
def test_abstains(answer):
    assert phrase(answer), answer


@pytest.mark.parametrize("answer", ANSWER)
def test_answers(answer):
    assert phrase(answer) is None


def test_the_rule_is_named():
    assert phrase("") == phrase("[a#p1]") == "empty"
    assert phrase("I could not find it.") == "en: I could not find"
    assert {phrase(answer) for answer in ABSTAIN} == {"empty", *PHRASES}


@pytest.mark.parametrize("answer", [*ABSTAIN, *ANSWER])
def test_case_accents_and_citations_do_not_matter(answer):
    assert phrase(answer.capitalize()) == phrase(answer.replace("[a#p1]", "").upper()) == phrase(answer)
    assert phrase(f"{answer} [doc#p3]") == phrase(answer)
