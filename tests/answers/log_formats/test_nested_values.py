"""A list written as a text is read, flagged where it is cut short or broken, and told from prose in brackets."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.answers.log_formats import SCHEMAS
from ragassay.answers.log_formats.nested_values import is_broken_list, parse_literal
from ragassay.answers.log_formats.value_conversion import Unfit, as_texts, read_value

LITERALS = json.loads(Path(__file__).with_name("list_literals.json").read_text(encoding="utf-8"))
WORDS = st.text(st.characters(categories=("Lu", "Ll", "Zs", "Po", "Nd")), min_size=1, max_size=30)
PASSAGES = st.lists(WORDS, min_size=1, max_size=4)


def read(text: str) -> list[str]:
    return as_texts(text, SCHEMAS["ours"])[0]


@pytest.mark.parametrize("text", [*LITERALS["BROKEN"], "[" * 100_000], ids=lambda text: text[:30])
def test_a_broken_list_is_no_passage(text):
    with pytest.raises(Unfit, match="a list of texts"):
        read(text)


@pytest.mark.parametrize("text", LITERALS["PROSE"])
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
