"""Bulleted lists: how they are found over passages, and what is asked of the sentence above them."""

import pandas as pd
import pytest

from cases.rule_questions.rule_examples import EXAMPLES
from ragassay.cases.rule_questions.guidance_lists import MOST, questions

SMALL = frozenset(["a", "the", "safe", "examples", "tower", "climb"])
ITEMS = "\n• describes the rope.\n• covers the tide.\n• gives the keeper’s name."


def chunks(*texts, doc="d"):
    return pd.DataFrame(
        {
            "chunk_id": [f"{doc}#p{i}" for i in range(1, len(texts) + 1)],
            "doc_id": doc,
            "text": texts,
            "language": "en",
            "heading": "Lamp Guide",
        }
    )


def asked(intro, items=ITEMS):
    return [one.question for one in questions(chunks(intro + items), SMALL)]


@pytest.mark.parametrize("intro, question", EXAMPLES["guidance lists: intros"])
def test_intros(intro, question):
    assert asked(intro) == [question]


@pytest.mark.parametrize("intro", EXAMPLES["guidance lists: intros that name nothing are not asked"])
def test_intros_that_name_nothing_are_not_asked(intro):
    assert not asked(intro)


@pytest.mark.parametrize(
    "items",
    [
        "\n• one thing only.",
        "\n• Has the keeper come?\n• Is the lamp lit?",
        "".join(f"\n• item {i}." for i in range(MOST + 1)),
        "\n• " + "long " * 70 + "\n• short.",
    ],
)
def test_what_is_no_plain_list_is_not_asked(items):
    assert not asked("Tower reports may include", items)


def test_a_list_goes_on_in_the_next_passage_but_not_in_the_next_document():
    first, second = "Tower reports may include\n• the lamp.\n• the rope.", "• the tide.\nThen it ends."
    (found,) = questions(chunks(first, second), SMALL)
    assert found.chunk_ids == ("d#p1", "d#p2") and found.answer_type == "multi_step"
    assert found.answer == "Tower reports may include: (1) the lamp; (2) the rope; (3) the tide."
    apart = pd.concat([chunks(first), chunks(second, doc="e")], ignore_index=True)
    (found,) = questions(apart, SMALL)
    assert found.chunk_ids == ("d#p1",)
