"""Patterns of personal data: each kind found and checked, what is none, what is published or echoed, values never printed."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth_of_time import GROWTH, growth
from ragassay.scores.privacy_patterns import KINDS, find, is_card, is_iban

FOUND = [
    ("email", "Write to ana.perez+x@mail.example.com today."),
    ("iban", "Send it to GB82 WEST 1234 5698 7654 32."),
    ("iban", "DE89370400440532013000"),
    ("card", "Card 4111 1111 1111 1111 is yours."),
    ("card", "5500-0000-0000-0004"),
    ("card", "378282246310005"),
    ("us_ssn", "SSN 078-05-1120."),
    ("phone", "Call (212) 555-0143."),
    ("phone", "+44 20 7946 0958"),
    ("phone", "020 7946 0958"),
    ("phone", "Phone: 5550143"),
    ("account", "Account number 12345678 was closed."),
    ("account", "su cuenta 0049 1500 05"),
]


NOT_FOUND = [
    "The fee is $1,250.00 from 2024-01-15 to 2025-12-31.",
    "4111 1111 1111 1112",
    "GB82 WEST 1234 5698 7654 33",
    "000-12-3456",
    "666-12-3456",
    "Reference 12345678",
    "Version 1.2.3.4",
    "in 30 days, 24 hours",
    "a@b",
    "da492108-07e8-46ac-a255-b73a419e306b",
    "Call within 30 days of 2024-01-15.",
    "[fees#p12]",
    "Open an account by 2024-01-15.",
    "account for 1,250,000 dollars",
    "",
    "0000000000000000",
]


@pytest.mark.parametrize("kind, text", FOUND)
def test_finds(kind, text):
    assert [hit.kind for hit in find(text)] == [kind]


@pytest.mark.parametrize("text", NOT_FOUND)
def test_leaves_alone(text):
    assert find(text) == []


def test_every_kind_is_tested():
    assert {kind for kind, _ in FOUND} == set(KINDS)


def test_check_digits_by_hand():
    """ISO 13616's own example, Luhn's own example, and the same with one digit changed."""
    assert is_iban("GB82 WEST 1234 5698 7654 32") and not is_iban("GB82WEST12345698765431")
    assert is_card("4539 1488 0343 6467") and not is_card("8273123273520569") and not is_card("0" * 16)


@pytest.mark.parametrize("value", ["XX82WEST12345698765432", "GB82WEST1234569876543", "ZZ" + "0" * 18])
def test_a_country_that_has_no_iban_or_another_length_is_none(value):
    checked = next(
        f"{value[:2]}{n:02d}{value[4:]}"
        for n in range(2, 99)
        if _mod_97(f"{value[:2]}{n:02d}{value[4:]}") == 1
    )
    assert not is_iban(checked)


def _mod_97(value: str) -> int:
    return int("".join(str(int(sign, 36)) for sign in value[4:] + value[:4])) % 97


@given(st.integers(0, 10**15 - 1), st.integers(0, 14), st.integers(1, 9))
def test_luhn_sees_every_single_wrong_digit(number, place, change):
    """The check digit spelled out: double every second digit from the right, cast out nines, fill up to ten."""
    stem = f"{number:015d}"
    total = sum(
        sum(map(int, str(int(sign) * (2 if i % 2 == 0 else 1)))) for i, sign in enumerate(reversed(stem))
    )
    card = stem + str(-total % 10)
    wrong = card[:place] + str((int(card[place]) + change) % 10) + card[place + 1 :]
    assert is_card(card) or len(set(card)) == 1
    assert not is_card(wrong)


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


def test_values_are_masked():
    for kind, text in FOUND:
        hit = find(text)[0]
        assert not any(sign.isdigit() for sign in hit.masked) and set(filter(str.isalpha, hit.masked)) <= {
            "x"
        }, kind
        assert text[hit.start : hit.end] == hit.value and len(hit.masked) == len(hit.value)


@given(st.text(alphabet="0123456789 -+().@ab#\n"))
def test_hits_stand_in_order_without_overlaps(text):
    hits = find(text)
    assert all(one.end <= two.start for one, two in pairwise(hits))
    assert all(text[hit.start : hit.end] == hit.value for hit in hits)


VALUES = [text for _, text in FOUND] + [
    "Write to \u0130ns.KA\u03a3@MAIL.example.com",
    "ins.ka\u03c2@mail.example.com",
    "Call 2125550143",
    "+1 (212) 555.0143",
]


SPACED = (
    st.sampled_from(VALUES).map(lambda text: text.replace(" ", "-"))
    | st.sampled_from(VALUES).map(str.upper)
    | st.sampled_from(VALUES)
)


@given(st.sampled_from(VALUES), st.lists(SPACED, max_size=3))
def test_a_corpus_made_ready_once_finds_what_searching_each_document_finds(text, documents):
    assert find(text, corpus=tuple(documents)) == find(text, published=documents)


def test_what_stands_in_the_corpus_is_published():
    assert [hit.status for hit in find("Call (212) 555-0143.", corpus=("Fees.", "Tel. 1-212 555 0143"))] == [
        "published"
    ]
    assert [hit.status for hit in find("Call (212) 555-0143.", corpus=("Tel. 212 555 0144",))] == ["leak"]
    assert [hit.status for hit in find("Card 4111 1111 1111 1111", corpus=("4111111111111111",))] == ["leak"]


@pytest.mark.parametrize("run", ["+1 555 010 ", "GB29 NWBK ", "4111 1111 1111 1111 ", "a@b.", "a.b@"])
def test_personal_data_are_found_in_linear_time(run):
    """A hundred thousand characters of half a telephone number, an IBAN, a card, an address."""
    assert growth(find, run, 25_000) < GROWTH
