"""A list written as a text is read, flagged where it is cut short or broken, and told from prose in brackets."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.answers.log_formats import SCHEMAS
from ragassay.answers.log_formats.nested_values import is_broken_list, parse_literal
from ragassay.answers.log_formats.value_conversion import Unfit, as_texts, read_value

WORDS = st.text(st.characters(categories=("Lu", "Ll", "Zs", "Po", "Nd")), min_size=1, max_size=30)
PASSAGES = st.lists(WORDS, min_size=1, max_size=4)


def read(text: str) -> list[str]:
    return as_texts(text, SCHEMAS["ours"])[0]


BROKEN = [
    "['It's 5 euros']",
    '["The "fee" is 5 euros"]',
    "array(['The fee', 'The card'], dtype=object)",
    "array([...])",
    "np.array(['a'])",
    "[((((",
    "[[[[",
    "[",
    "{",
    "[" * 100_000,
    '["The fee is 5 euros", "The ca',
    "['The fee is 5 euros', 'The ca...",
    "[The fee is 5 euros, The ca...",
    "[The fee is 5 euros, ...]",
    "['The fee' ... 'The card']",
    "['The fee'\n 'The card']",
    "['it''s 5 euros']",
    "['a', ...]",
    "[...]",
    "[..., 'a'",
    "[nan, 'a']",
    "[1 2 3]",
    "[0.12, 0.5, ",
    "{'a', 'b'}",
    '{"text": "The fee',
    '{"fees#p1": "The fee"',
    "\"['The fee', 'The card']\"",
    "('It's 5', 'b')",
    "[Document(page_content='a')]",
    "[Chunk(text='a', score=0.5",
    "[<Document object at 0x7f3a>]",
    "<langchain.schema.Document object at 0x7f3a>",
    "Index(['a', 'b'], dtype='object')",
    "[b'a', 'b]",
]
PROSE = [
    "[1] The fee is 5 euros.",
    "[1][2] The fee is 5 euros.",
    "[1, 2] The fee is 5 euros.",
    "[sic] The fee",
    "[...] the fee is 5 euros ...",
    "[…] the fee",
    "[Overview](https://bank.example/fees) of fees",
    "[[Main page]] is a wiki link",
    "[The fee is 5 euros.]",
    "[see section 3 for the fee",
    "[T]he fee is 5 euros",
    '"[T]he fee", it says',
    "[Art.5(1)] The fee",
    "[x] done",
    "{name}, the fee is 5 euros",
    "{{ name }}",
    '("the Bank") agrees that the fee is due',
    "(a) the fee; (b) the card",
    "A list (of fees): [1, 2",
    "array of fees",
    'The message ("fee")',
    "[Gebühr] fünf Euro",
    "[手数料] 5ユーロ",
]


@pytest.mark.parametrize("text", BROKEN, ids=lambda text: text[:30])
def test_a_broken_list_is_no_passage(text):
    with pytest.raises(Unfit, match="a list of texts"):
        read(text)


@pytest.mark.parametrize("text", PROSE)
def test_prose_in_brackets_is_one_passage(text):
    assert read(text) == [text]


@pytest.mark.parametrize("text", ["[doc1, doc2]", "['doc1', 'do", "[1 2]"])
def test_ids_are_no_prose(text):
    with pytest.raises(Unfit):
        read_value("context_ids", text, SCHEMAS["ours"])
    assert read_value("context_ids", "doc1; doc2", SCHEMAS["ours"])[0] == ["doc1", "doc2"]


@given(PASSAGES)
def test_lists_are_read_as_they_were_written(passages):
    for text in (json.dumps(passages), json.dumps(passages, ensure_ascii=False, indent=1), repr(passages)):
        assert read(text) == read(json.dumps(passages)) == list(passages)


@given(PASSAGES, st.data())
def test_a_list_cut_anywhere_is_never_read(passages, data):
    for text in (json.dumps(passages), repr(passages)):
        cut = text[: data.draw(st.integers(1, len(text) - 1))]
        assert is_broken_list(cut) and parse_literal(cut) is cut


@given(WORDS.filter(str.strip), st.text(st.characters(categories=("Lu", "Ll", "Nd")), min_size=1, max_size=9))
def test_prose_after_a_bracketed_mark_stays_prose(words, mark):
    text = f"[{mark}] It says {words.strip()}"
    assert read(text) == [text]


@given(st.text())
def test_any_text_is_read_whole_or_refused(text):
    try:
        found = read(text)
    except Unfit:
        return
    assert found == ([text] if text.strip() else []) or isinstance(parse_literal(text), list | dict)


@pytest.mark.parametrize("unit", ["[", "(", "['a", "[ ", "{'", '"[', "[<a", "a(", "[...", "[" + "b" * 9])
def test_a_long_text_does_not_keep_the_reader(unit):
    """Patterns that look back over the text would take hours."""
    assert is_broken_list((unit * 1_000_000)[:1_000_000]) in (True, False)
