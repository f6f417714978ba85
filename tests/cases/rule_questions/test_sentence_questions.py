"""One sentence per kind of fact with its question and key fact, look-alikes, claims asked back; steps and table rows."""

import csv

import numpy as np
import pandas as pd
import pytest

from ragassay.cases.rule_questions import askable_units
from ragassay.cases.rule_questions.askable_units import Unit, read
from ragassay.cases.rule_questions.sentence_questions import block_questions, claims, questions

SMALL = askable_units.small_words(["a errors files orders applications purchases wages"])
TABLE = (askable_units.DATA / "question_patterns.csv").read_text(encoding="utf-8").splitlines()
PATTERNS = list(csv.DictReader(TABLE))


def unit(text, language="en"):
    return Unit("d#p1", "d", "T01", language, "Home Loan", "", text)


def asked(text, language="en"):
    return {one.family: one for one in questions(unit(text, language), SMALL)}


@pytest.mark.parametrize("row", PATTERNS, ids=lambda row: row["example"])
def test_the_example_of_each_pattern_is_asked_about(row):
    found = asked(row["example"], row["language"])[row["family"]]
    assert found.answer == row["example"] and found.key_fact in row["example"]
    assert found.question.lower().startswith(row["asked"].split("{")[0].strip().lower())


@pytest.mark.parametrize("text, question, key_fact", [
    ("The monthly fee is $6.00.", "What is the monthly fee?", "$6.00"),
    ("A dealer must pay a filing fee of $40 for each form.", "What filing fee must a dealer pay for each form?", "$40"),
    ("Errors must be reported within 60 days of the statement date.", "Within how many days of the statement date must errors be reported?", "60 days"),
    ("The borrower must be at least 21 and must live in the home.", "How old must the borrower be?", "at least 21"),
    ("A pre-approval is a written statement of what the bank may lend.", "What is a pre-approval?", "a written statement of what the bank may lend"),
    ("When you close an account early, the fee is charged.", "What happens when I close an account early?", "the fee is charged"),
])  # fmt: skip
def test_by_hand(text, question, key_fact):
    assert (question, key_fact) in [(one.question, one.key_fact) for one in asked(text).values()]


@pytest.mark.parametrize("text, family", [
    ("The rate is fixed.", "amount"),
    ("The liability is $0 if the loss was reported.", "amount"),
    ("Nothing is changed unless the customer accepts within 60 days.", "deadline"),
    ("Examiners should assess if the process includes a review.", "condition"),
    ("A dealer must take reasonable steps so that it knows its clients.", "reason"),
    ("If rates fall below the limit, or rise above it, the bank writes.", "consequence"),
    ("Remote work is allowed for up to 2 days per week.", "duration"),
    ("A risk can result from an error when viewed against the objective.", "condition"),
    ("The card is posted about 3 weeks before that date to the customer.", "condition"),
])  # fmt: skip
def test_look_alikes_are_not_asked(text, family):
    assert family not in asked(text)


def claimed(text):
    return {
        (one.question, one.key_fact, one.query_type)
        for seed in range(12)
        for one in claims(unit(text), SMALL, np.random.default_rng(seed))
    }


def test_a_figure_is_asked_truly_or_falsely_and_the_verdict_says_which():
    found = claimed("The fee must be paid within 60 days.")
    assert {verdict for _, verdict, _ in found} == {"yes", "no"}
    assert all(("within 60 days" in question) == (verdict == "yes") for question, verdict, _ in found)


@pytest.mark.parametrize("text, expected", [
    ("A certificate cannot be sold.", {("Can a certificate be sold?", "no", "yes_no")}),
    ("The bank may sell the loan.", {("May the bank sell the loan?", "yes", "yes_no")}),
    ("A borrower must insure their house.", {("Must a borrower insure their house?", "yes", "yes_no"), ("I am a borrower. Must I insure my house?", "yes", "inference")}),
])  # fmt: skip
def test_rules_asked_back_and_applied(text, expected):
    assert claimed(text) == expected


@pytest.mark.parametrize("text", [
    "Whatever is left is paid after 9 days.", "The fee is due unless the customer objects.", "All fees may be waived by the bank.",
    "The fee is $6.00, and the deposit is $50.", "The period is 30 days.", "Fees", "",
])  # fmt: skip
def test_what_makes_no_plain_claim_is_not_asked_back(text):
    assert not claimed(text)


WORDS = frozenset("need branch account fee machines telephone rate on purchases a an and power the".split())
STEPS = "1. Tell any employee what you need.\n2. Agree on the wording.\n3. Receive a confirmation."


def asked_of_block(text, heading="", title="Access Policy"):
    row = {"chunk_id": "d#p1", "doc_id": "d", "text": text, "heading": heading}
    row |= {"title": title, "language": "en"}
    _, blocks = read(pd.DataFrame([row]))
    return [one for block in blocks for one in block_questions(block, WORDS)]


@pytest.mark.parametrize("title, heading, question", [
    ("Access Policy", "Registering a need", "How do I register a need?"),
    ("Access Policy", "Registering and using a power", "How do I register and use a power?"),
    ("Access Policy", "How to ask, step by step", "How do I ask?"),
    ("Closing an Account", "How to close", "How do I close an account?"),
])  # fmt: skip
def test_steps(title, heading, question):
    (found,) = asked_of_block(STEPS, heading, title)
    assert (found.question, found.answer_type, found.query_type) == (question, "multi_step", "open")
    assert found.answer.startswith("1. Tell any employee what you need. 2. Agree")


@pytest.mark.parametrize("text", ["- The passport.\n- Two letters.\n- A bill.", "1. Ring the bell."])
def test_a_list_of_things_and_a_single_line_are_no_steps(text):
    assert not asked_of_block(text, "Registering a need")


def test_rows_and_columns_with_names():
    branch = asked_of_block("Branch | Telephone | Machines\nOld Mint | 555-0111 | 2")
    assert [one.question for one in branch] == [
        "What is the telephone number of the Old Mint branch?",
        "How many machines does the Old Mint branch have?",
    ]
    fees = asked_of_block("Fee | Quay Plus Account | Tide Classic\nMonthly maintenance | $6.00 | None")
    assert [one.question for one in fees] == [
        "What is the Monthly maintenance fee for the Quay Plus Account?"
    ]
