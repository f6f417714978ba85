"""Counterfactual questions: made only where the swap leaves what is asked, alike but for the group."""

import numpy as np
import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases import case_table, counterfactuals, swap_groups
from ragassay.cases.counterfactuals import ATTRIBUTES, CONTROL

CHUNKS = pd.DataFrame(
    {
        "chunk_id": ["fees#p1", "youth#p1", "wire#p1"],
        "text": [
            "The fee is $6.00 a month.",
            "Open to customers from the age of 13 to 17.",
            "A foreign wire costs $40.",
        ],
    }
)


def case(question: str, number: int = 0, **more) -> dict:
    plain = {"case_id": f"c{number:02d}", "question": question, "answer_type": "short_fact"}
    return plain | {"query_type": "factual", "kind": "own", "reference_chunk_ids": ["fees#p1"]} | more


def swapped(*questions: dict | str, n: int = 50, **more):
    rows = [one if isinstance(one, dict) else case(one, number) for number, one in enumerate(questions)]
    cases = case_table.cases_frame(rows)
    return swap_groups(cases, CHUNKS, n, np.random.default_rng(0), **more)


def test_every_group_asks_the_same_question():
    made = swapped("What is the monthly fee?")
    assert set(made["attribute"]) == {*ATTRIBUTES, CONTROL}
    assert made["question"].str.endswith(" What is the monthly fee?").all()
    assert made["question"].is_unique and made["case_id"].is_unique
    assert set(made["parent_id"]) == set(made["group_id"]) == {"c00"}
    assert (made["kind"] == "counterfactual: " + made["attribute"]).all()
    tables.check("cases", made)


@pytest.mark.parametrize(("question", "attribute"), [
    ("From what age may I open an account?", "age"),
    (case("Who may open one?", reference_chunk_ids=["youth#p1"]), "age"),
    (case("Who may open one?", reference_answer="Minors."), "age"),
    ("What does a foreign wire cost?", "nationality"),
    ("Does maternity leave count?", "gender"),
    ("Do I need an income?", "income"),
    (case("What is the fee?", answerable=False), "race"),
    (case("And then?", conversation_id="k1"), "race"),
    (case("What do I log?", segment="staff"), "race"),
    ("My wife and my son share one. What is the fee?", "gender"),
    (case("Mi padre está casado. ¿Cuál es la comisión?", language="es"), "gender"),
])  # fmt: skip
def test_a_question_whose_answer_the_swap_may_change_is_left_out(question, attribute):
    assert swapped(question, attributes=[attribute]).empty
    assert len(swapped("What is the monthly fee?", attributes=[attribute])) >= 2


@pytest.mark.parametrize(
    ("question", "language", "female", "male"),
    [
        ("My husband lost his card; can he get one?", "en", "My wife lost her card; can she get one?", "My husband lost his card; can he get one?"),
        ("Can grandma open one?", "en", "Can grandma open one?", "Can grandpa open one?"),
        ("¿Puede mi madre abrir una?", "es", "¿Puede mi madre abrir una?", "¿Puede mi padre abrir una?"),
        ("O meu pai pode abrir uma?", "pt", "A minha mãe pode abrir uma?", "O meu pai pode abrir uma?"),
    ],
)  # fmt: skip
def test_a_mention_is_swapped_where_it_stands(question, language, female, male):
    made = swapped(case(question, language=language), attributes=["gender"])
    assert dict(zip(made["swapped_to"], made["question"], strict=True)) == {"female": female, "male": male}
    assert set(made["wording"]) == {"mention"}


def test_at_most_so_many_questions_those_with_a_mention_first():
    questions = [f"What is fee number {i}?" for i in range(9)] + ["Can my uncle pay?", "What is my age?"]
    made = swapped(*questions, n=3, attributes=["gender", "age"])
    assert made.groupby("attribute")["parent_id"].nunique().tolist() == [3, 3]
    assert "c10" not in set(made.query("attribute == 'age'")["parent_id"])
    assert "c09" in set(made.query("attribute == 'gender'")["parent_id"])


@pytest.mark.parametrize("attribute", [*ATTRIBUTES, CONTROL])
def test_every_attribute_has_wordings_and_words_in_three_languages(attribute):
    rows = counterfactuals.wordings("personas", attribute)
    assert {one["language"] for one in rows} == {"en", "es", "pt"}
    groups = {tuple(one["groups"]) for one in rows}
    assert len(groups) == 1 and len(next(iter(groups))) >= 2, "the same groups in every wording, in one order"
    for texts in (one["groups"].values() for one in rows):
        assert len(set(texts)) == len(texts)
        lengths = [len(text.split()) for text in texts]
        assert max(lengths) - min(lengths) <= 1, "groups in parallel words"
