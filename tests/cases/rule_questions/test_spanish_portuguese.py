"""Spanish and Portuguese sentences."""

import pytest

from cases.rule_questions.rule_examples import EXAMPLES
from ragassay.cases.rule_questions.askable_units import Unit
from ragassay.cases.rule_questions.spanish_portuguese import questions


@pytest.mark.parametrize("language, text, question, key", EXAMPLES["spanish portuguese: asked"])
def test_asked(language, text, question, key):
    found = next(iter(questions(Unit("d#p1", "d", None, language, "Guía", "", text))))
    assert (found.question, found.key_fact) == (question, key)
