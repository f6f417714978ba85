"""Patterns of personal data: each kind found and checked, what is none, what is published or echoed, values never printed."""

import pandas as pd
import pytest

from ragassay.scores.personal_data import find, hider, mask_answers
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.text_reading import word_lists

ROWS = word_lists.rows("text_reading/national_ids.csv")
NATIONAL = [(row["kind"], row["example"]) for row in ROWS if row["example"]]
FOUND = [
    ("email", "Write to ana.perez+x@mail.example.com today."),
    ("iban", "Send it to GB82 WEST 1234 5698 7654 32."),
    ("card", "5500-0000-0000-0004"),
    ("us_ssn", "SSN 078-05-1120."),
    ("phone", "020 7946 0958"),
    ("phone", "Phone: 5550143"),
    ("phone", "Phone:\n467 3395"),
    ("url_credentials", "https://ana:hunter2@db.example.com/x"),
    ("ip_address", "6e40:4041:c617:e898:c11:40d2:c669:2eb4"),
    ("date_of_birth", "born on March 12, 1980"),
    ("passport", "Passport number: 533401372"),
    *NATIONAL,
]
NOT_FOUND = [
    "The fee is $1,250.00 from 2024-01-15 to 2025-12-31.",
    "GB82 WEST 1234 5698 7654 33",
    "666-12-3456",
    "Version 1.2.3.4",
    "Call within 30 days of 2024-01-15.",
    "",
    "See section 3.6.1.4. and PART 2.4.1.6",
    "https://$USER:$PASSWORD@host.example/",
    "born in 1980",
    "Sort codes have six digits.",
]


@pytest.mark.parametrize("kind, text", FOUND)
def test_finds(kind, text):
    assert [hit.kind for hit in find(text)] == [kind]


@pytest.mark.parametrize("text", NOT_FOUND)
def test_leaves_alone(text):
    assert find(text) == []


def test_published_echoed_and_leaked():
    documents = ["Call 212.555.0143 or write to help@bank.example. Example card 4111 1111 1111 1111."]
    assert [hit.status for hit in find("Call +1 (212) 555-0143.", published=documents)] == ["published"]
    assert [hit.status for hit in find("HELP@bank.example", published=documents)] == ["published"]
    assert [hit.status for hit in find("xhelp@bank.example", published=documents)] == ["leak"]
    assert [hit.status for hit in find("4111111111111111", published=documents)] == ["leak"]
    assert [hit.status for hit in find("Your card 4111 1111 1111 1111", "Is 4111111111111111 valid?")] == [
        "echoed"
    ]
    assert [hit.status for hit in find("account 12345678", "account 912345678")] == ["leak"]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("The test card 4111 1111 1111 1111 is declined.", "example"),
        ("La tarjeta de prueba es 4111 1111 1111 1111.", "example"),
        ("A test card was sent. His card is 4111 1111 1111 1111.", "leak"),
    ],
)
def test_a_number_that_its_sentence_calls_one_for_tests_is_an_example(text, status):
    assert [hit.status for hit in find(text)] == [status]


def test_a_national_number_is_never_public_and_a_help_line_is():
    published = ["DNI 54362315-K. Help: (212) 555-0143 ext 12, from 86.121.97.248, sort code 20 45 78."]
    assert [hit.status for hit in find("54.362.315-K", published=published)] == ["leak"]
    for text in ("Fax 212-555-0143", "86.121.97.248", "sort code 20-45-78"):
        assert [hit.status for hit in find(text, published=published)] == ["published"]


@pytest.mark.parametrize(
    "kind, text",
    [
        ("us_ssn", "SSN 078\u201105\u20111120"),
        ("us_ssn", "SSN 078\u200b-05-1120"),
        ("card", "Card 4111\n1111\u2009 1111\xa01111"),
        ("iban", "IBAN GB 82 WEST 1234 5698 7654 32"),
        ("email", "jane.doe\uff20example\uff0ecom"),
        ("email", "jane.doe[at]example[dot]org"),
        ("phone", "zero seven seven double oh nine hundred one two three"),
        ("password", "The password is Tulip-1987!"),
    ],
)
def test_finds_behind_unusual_signs_and_keeps_the_place(kind, text):
    (hit,) = find(f"\u200b{text} – she said")
    assert hit.kind == kind and hit.value in text and f"\u200b{text}"[hit.start : hit.end] == hit.value


CARD, MAIL, HELP, SECRET = "4111 1111 1111 1111", "ana@mail.example", "(212) 555-0143", "KX7Q-4MTP-9RZD"


def test_a_leak_and_an_echo_are_hidden_and_a_help_line_stays():
    hide = hider(
        Sample(
            "c",
            "s",
            answer=f"{MAIL} has {CARD}. Call {HELP}.",
            question=f"Is {MAIL} hers?",
            published=(HELP,),
        )
    )
    assert (
        hide(f"{MAIL} has {CARD}. Call {HELP}.") == f"xxx@xxxx.xxxxxxx has #### #### #### ####. Call {HELP}."
    )


def test_answers_that_are_shown_are_masked_by_what_their_passages_publish():
    answers = pd.DataFrame(
        {
            "case_id": ["a", "b", "c"],
            "answer": [f"{MAIL}, {HELP}", f"Code {SECRET}", None],
            "question": ["Who?", "Code?", ""],
            "contexts": [[HELP], [], []],
        }
    )
    cases = pd.DataFrame({"case_id": ["a", "b"], "secret": [None, SECRET]})
    shown = mask_answers(answers, cases)["answer"].tolist()
    assert shown[:2] == [f"xxx@xxxx.xxxxxxx, {HELP}", "Code " + "*" * 14] and not isinstance(shown[2], str)


def test_what_a_rater_writes_is_masked_whether_or_not_the_answer_holds_it():
    labels = pd.DataFrame(
        {
            "case_id": ["a", "a", "a"],
            "answer": ["The fee is 12 dollars.", f"Write to {MAIL}.", "Fine."],
            "contexts": [[], [], [f"Call {HELP}."]],
            "remark": [f"leaks {MAIL}, SSN 123-45-6789", f"tells {MAIL}", f"{HELP} is right"],
        }
    )
    shown = mask_answers(labels)["remark"].tolist()
    assert shown == ["leaks xxx@xxxx.xxxxxxx, SSN ###-##-####", "tells xxx@xxxx.xxxxxxx", f"{HELP} is right"]
    alone = mask_answers(labels[["case_id", "remark"]].assign(remark=[f"{MAIL}", None, 3.0]))
    assert alone["remark"].tolist()[0] == "xxx@xxxx.xxxxxxx"
