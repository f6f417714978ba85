"""Each form of guidance prose: a sentence, its question and key fact; and sentences that only look like it."""

import pytest

from ragassay.cases.rule_questions import clause_parsing
from ragassay.cases.rule_questions.guidance_patterns import PATTERNS


def made(family, sentence):
    clause = clause_parsing.part(
        sentence, frozenset(["price", "tower", "night", "senior", "rope", "examples"])
    )
    return clause and PATTERNS[family](clause)


@pytest.mark.parametrize(
    "family, sentence, question, key",
    [
        (
            "what",
            "Tower reports should describe the state of each lamp, which ages.",
            "what should tower reports describe",
            "the state of each lamp",
        ),
        (
            "what",
            "A rope check helps ensure that climbers are safe.",
            "what does a rope check help ensure",
            "that climbers are safe",
        ),
        (
            "depends",
            "A safe climb depends on dry rope and daylight.",
            "what does a safe climb depend on",
            "dry rope and daylight",
        ),
        (
            "state",
            "The choice of rope should be based on the height of the tower.",
            "what should the choice of rope be based on",
            "the height of the tower",
        ),
        (
            "state",
            "Night shifts are designed to spread the load evenly.",
            "what are night shifts designed to do",
            "spread the load evenly",
        ),
        (
            "weight",
            "A second rope is essential to catch a falling climber.",
            "why is a second rope essential",
            "to catch a falling climber",
        ),
        (
            "means",
            "Each keeper should limit glare by fitting a green shade.",
            "how should each keeper limit glare",
            "by fitting a green shade",
        ),
        (
            "aim",
            "The keeper may build a second lamp to track the tide over time.",
            "for what purpose may the keeper build a second lamp",
            "to track the tide over time",
        ),
        (
            "time",
            "A lamp rope should be tested before it is put to use.",
            "when should a lamp rope be tested",
            "before it is put to use",
        ),
        (
            "actor",
            "Senior management should approve every change to the list of lamps.",
            "who should approve every change to the list of lamps",
            "senior management",
        ),
        (
            "term",
            "Price risk is the risk of losses that follow from changes in the value of lamps.",
            "what is price risk",
            "the risk of losses that follow from changes in the value of lamps",
        ),
        (
            "example",
            "Examples of some common faults are broken glass and wet rope.",
            "what are examples of common faults",
            "broken glass and wet rope",
        ),
    ],
)
def test_forms(family, sentence, question, key):
    assert made(family, sentence) == (question, key)


@pytest.mark.parametrize(
    "family, sentence",
    [
        ("what", "The report should describe the state of each lamp."),  # which report?
        ("what", "An authorised person should consider the state of each lamp."),  # one of many duties
        ("what", "These tower reports should describe the state of each lamp."),
        ("what", "Tower glare can increase due to fog and rain."),  # no object
        ("depends", "The firm depends on dry rope and daylight."),
        ("weight", "A second rope is essential to note in this case."),
        ("aim", "The keeper must take reasonable steps to ensure that lamps burn."),  # nothing but the aim
        ("aim", "The keeper should have the authority to limit the use of lamps."),  # authority to limit
        ("aim", "The keeper may request a visitor to provide the key in writing."),  # who provides?
        ("time", "The keeper should decide whether lamps are lit before the storm comes in."),
        ("actor", "Sound lamp management should be fitting for the height of the tower."),
        ("actor", "The keeper should list each lamp that they have seen broken."),
        ("term", "The oil price is the main risk that a keeper of lamps has to bear."),
        ("term", "Price risk is an important matter for keepers of lamps in the winter."),
    ],
)
def test_look_alikes_give_nothing(family, sentence):
    assert not made(family, sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Tower reports should describe the lamps and assess the height of the glass.",
        "Tower reports should describe the lamps; the ropes; and the glass.",
        "Tower reports should describe these lamps and the ropes.",
    ],
)
def test_a_second_predicate_or_list_leaves_no_key_fact(sentence):
    question, key = made("what", sentence)
    assert (question, key) == ("what should tower reports describe", "")
