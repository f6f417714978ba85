"""Spanish and Portuguese sentences."""

import pytest

from ragassay.cases.rule_questions.askable_units import Unit
from ragassay.cases.rule_questions.spanish_portuguese import questions


@pytest.mark.parametrize(
    "language, text, question, key",
    [
        (
            "es",
            "Un cheque de caja cuesta $9.00, pero es gratuito para algunos.",
            "¿Cuánto cuesta un cheque de caja?",
            "$9.00",
        ),
        ("es", "El trámite dura unos 40 minutos.", "¿Cuánto dura el trámite?", "unos 40 minutos"),
        (
            "es",
            "Si el banco rechaza la solicitud, envía el motivo por escrito.",
            "¿Qué ocurre si el banco rechaza la solicitud?",
            "envía el motivo por escrito",
        ),
        (
            "pt",
            "A transferência internacional vai para outro banco e demora um a cinco dias úteis.",
            "Quanto tempo demora a transferência internacional?",
            "um a cinco dias úteis",
        ),
        (
            "pt",
            "Se a ordem for recusada, a comissão não é cobrada.",
            "O que acontece se a ordem for recusada?",
            "a comissão não é cobrada",
        ),
        (
            "pt",
            "A ordem permanente é um pagamento fixo em intervalos regulares.",
            "O que é a ordem permanente?",
            "um pagamento fixo em intervalos regulares",
        ),
    ],
)
def test_asked(language, text, question, key):
    found = next(iter(questions(Unit("d#p1", "d", None, language, "Guía", "", text))))
    assert (found.question, found.key_fact) == (question, key)


@pytest.mark.parametrize("text", ["Esta cuesta $5.", "El contrato se firma en inglés.", ""])
def test_nothing_to_ask(text):
    assert not list(questions(Unit("d#p1", "d", None, "es", "Guía", "", text)))
