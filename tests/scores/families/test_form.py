"""Language, format, length and directness: by hand, on the bank, refusals."""

import json
import math

import pytest
from fake_tools import FakeTools
from word_tools import WordTools

from ragassay.scores.families.form import (
    answer_words,
    answers_question,
    count_words,
    directness,
    distances,
    house_problems,
    language_match,
    latency_within_budget,
    schema_problems,
    schema_valid,
)
from ragassay.scores.metric import Budgets, NotApplicable
from ragassay.scores.prepared_answer import Sample

TEXTS = {
    "en": "The monthly fee is waived if the average balance stays above the limit.",
    "es": "La comisión mensual no se cobra si el saldo medio supera el límite.",
    "pt": "A tarifa mensal não é cobrada se o saldo médio ficar acima do limite.",
    "de": "Die monatliche Gebühr entfällt, wenn das durchschnittliche Guthaben über der Grenze bleibt.",
    "ar": "لا يتم تحصيل الرسوم الشهرية إذا بقي متوسط الرصيد فوق الحد الأدنى",
}


@pytest.mark.parametrize("written", TEXTS)
@pytest.mark.parametrize("expected", TEXTS)
def test_only_its_own_language_passes(written, expected):
    sample = sample_of(TEXTS[written], language=expected, declared_language=expected)
    assert language_match(sample, TOOLS)[0] == float(written == expected)
    assert next(iter(distances(TEXTS[written]))) == written


TOOLS = WordTools()
SPANISH = "La comisión mensual no se cobra si el saldo medio supera el límite."


def sample_of(answer: str | None, **more) -> Sample:
    return Sample("c1", "s", answer=answer, **more)


def test_language_by_hand():
    value, detail = language_match(
        sample_of(f"{SPANISH} [a#p1]", language="es", declared_language="es"), TOOLS
    )
    assert value == 1.0 and detail == [{"text": SPANISH, "language": "es", "expected": "es"}]
    assert language_match(sample_of(SPANISH, language="en", declared_language="en"), TOOLS)[0] == 0.0
    with pytest.raises(NotApplicable, match="fewer than 20 letters"):
        language_match(sample_of("5 %"), TOOLS)
    german = "Die Gebühr beträgt 18 Euro und gilt sechs Monate lang."
    with pytest.raises(NotApplicable, match="fewer than 20 letters"):
        language_match(Sample("c", "s", answer=german, question="Wie hoch ist die Gebühr?"), TOOLS)
    longer = Sample("c", "s", answer=german, question="Wie hoch ist die Gebühr bei euch?")
    assert language_match(longer, TOOLS)[0] == 1.0


SCHEMA = {
    "type": "object",
    "required": ["answer"],
    "properties": {"answer": {"type": "string"}, "sources": {"type": "array", "maxItems": 2}},
}


@pytest.mark.parametrize(
    "answer, problems",
    [
        ('{"answer": "5", "sources": ["a#p1"]}', 0),
        ('```json\n{"answer": "5"}\n```', 0),
        ('{"sources": [1, 2, 3]}', 2),
        ("The fee is 5.", 1),
        ('{"answer": "5"} and so on', 1),
    ],
)
def test_schema_by_hand(answer, problems):
    assert len(schema_problems(answer, json.dumps(SCHEMA))) == problems


def test_a_wrong_schema_is_refused():
    with pytest.raises(ValueError, match="schema is not valid"):
        schema_problems("{}", '{"type": "objekt"}')


@pytest.mark.parametrize(
    "answer, problem",
    [
        ("The fee is 5 [a#p1].", None),
        ("The fee is 5.", "no citation"),
        ("The fee is 5 [a#p1] [b#q2].", "malformed citation [b#q2]"),
        ("The fee is 5 [a#p1] [p. 3].", "malformed citation [p. 3]"),
        ("The fee is 5 [a#p1] and 6 [b#p1 or so", "malformed citation [b#p1"),
    ],
)
def test_house_format_by_hand(answer, problem):
    found = house_problems(answer, known=("a#p1",))
    assert (found == []) if problem is None else any(each.startswith(problem) for each in found)


def test_an_answer_whose_reply_names_its_sources_need_not_cite():
    ids = {"contexts": ("The fee is 5.",), "context_ids": ("a#p1",)}
    assert schema_valid(sample_of("The fee is 5.", citations=("a#p1",), **ids), TOOLS)[0] == 1.0
    assert schema_valid(sample_of("The fee is 5.", citations=(), **ids), TOOLS)[0] == 0.0


def test_the_schema_of_the_case_decides_where_there_is_one():
    schema = '{"type": "object", "required": ["fee"]}'
    assert schema_valid(sample_of('{"fee": 5}', schema=schema), TOOLS) == (1.0, [])
    assert schema_valid(sample_of("The fee is 5 [a#p1].", schema=schema), TOOLS)[0] == 0.0
    for broken in ("{", "[1]"):
        with pytest.raises(ValueError, match="the JSON schema"):
            schema_valid(sample_of("{}", schema=broken), TOOLS)


@pytest.mark.parametrize(
    "text, n", [("", 0), ("The fee is $1,250.50.", 4), ("- one\n- two", 2), ("الرسوم الشهرية", 2)]
)
def test_words_by_hand(text, n):
    assert count_words(text) == n


def test_length_and_time_by_hand():
    tools = FakeTools(budgets=Budgets(seconds=1.5))
    assert answer_words(Sample("c1", "s", answer="one two [a#p1] three four"), tools) == (4.0, [])
    assert latency_within_budget(Sample("c1", "s", latency_s=2.0), tools)[0] == 0.0
    with pytest.raises(ValueError, match="at least 0"):
        latency_within_budget(Sample("c1", "s", latency_s=-1.0), tools)


@pytest.mark.parametrize(
    "question, right, waffle",
    [
        ("How much does a lost key cost?", "£45 at any branch.", "A lost key can be replaced in 5 days."),
        ("When does the library close?", "At 18:00.", "It closes when the library closes."),
        ("Who signs the report?", "Marta Lind does.", "The report is signed once the inspection is over."),
        ("Is the warranty transferable?", "No.", "That is a good question about the warranty."),
        ("Can I pay by cheque?", "Cheques are accepted at the counter.", "Payment by cheque is a payment."),
        ("What does code E12 mean?", "The pump is too hot.", "Code E15 means that the filter is blocked."),
        ("How long is the notice?", "Three months.", "The notice period is set out in the contract."),
        ("How many guests may stay?", "Two.", "Guests may stay if the number of guests is kept."),
        ("How do I reset it?", "Hold the button.", "To reset it, it is reset."),
        ("Why was the train late?", "A signal failed near Ald.", "We take questions on trains seriously."),
    ],
)
def test_waffle_does_not_give_what_is_asked(question, right, waffle):
    """By the heads themselves; whatever the closeness, a right answer is above 0.5 and waffle is 0."""
    assert answers_question(sample_of(right, question=question), TOOLS)[0] >= 0.5
    assert answers_question(sample_of(waffle, question=question), TOOLS)[0] == 0.0


def test_what_is_asked_by_hand():
    """Three of the answer's four words are among the question's six; the preamble is nearer, and gives nothing."""
    question = "How much is the wire fee?"
    value, detail = answers_question(
        sample_of("You ask how much is the wire fee. The wire fee: $5.", question=question), TOOLS
    )
    assert [record["answers"] for record in detail] == [False, True]
    assert value == pytest.approx(0.5 + 3 / math.sqrt(4 * 6) / 2, abs=1e-6)
    with pytest.raises(NotApplicable, match="abstained"):
        answers_question(sample_of("I could not find this in the documents.", question=question), TOOLS)


def test_directness_by_hand():
    question = "How much is the wire fee?"
    first = directness(sample_of("The wire fee is 5 dollars.", question=question), TOOLS)
    late = directness(
        sample_of("Sure! Perhaps cats purr. The wire fee is 5 dollars.", question=question), TOOLS
    )
    assert first[0] == 1.0 and late[0] == pytest.approx((0.5 + 0 + 2 / 3 + 1 / 3) / 4)
    assert [record["answers"] for record in late[1]] == [False, False, True]
    assert [record["speculates"] for record in late[1]] == [False, True, False]
    assert [record["preamble"] for record in late[1]] == [True, False, False]
