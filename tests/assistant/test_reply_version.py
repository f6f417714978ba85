"""What a reply says of its version becomes one bounded line, the same for the same and another for another."""

import pytest

from ragassay.assistant.reply_validation import LONGEST, row_of, version_text
from ragassay.spreadsheet_injection import guarded


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("2026.11-b", "2026.11-b"),
        ("  2026.11-b\n", "2026.11-b"),
        (7, "7"),
        (2.5, "2.5"),
        (True, "true"),
        ({"rev": 3, "model": "m"}, '{"model": "m", "rev": 3}'),
        (["a", "b"], '["a", "b"]'),
        ("a\nb\tc\x00d\x1b[31m", "a␊b␉c␀d␛[31m"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("lone \ud800", "lone ⟨U+D800⟩"),
        (None, None),
        ("", None),
        (" \n", None),
        (object(), None),
    ],
)
def test_by_hand(said, line):
    assert version_text(said) == line


def nested(levels: int) -> list:
    whole: list = []
    for _ in range(levels):
        whole = [whole]
    return whole


@pytest.mark.parametrize("said", ["v" * 5_000_000, "\x01" * 3_000_000, "\u202e" * 60, list(range(10_000))])
def test_a_long_one_is_cut_and_told_from_another(said):
    other = [*said[:-1], 0] if isinstance(said, list) else f"{said[:-1]}x"
    line = version_text(said)
    assert len(line) <= LONGEST and line.isprintable() and "SHA-256" in line
    assert version_text(other) != line == version_text(said)
    assert version_text(line) == line, "what has crossed from the assistant's process once stays as it is"


def test_one_nested_too_deeply_says_nothing():
    assert version_text(nested(100_000)) is None


def test_a_formula_is_guarded_where_a_spreadsheet_could_run_it():
    assert guarded(version_text('=HYPERLINK("http://x")')) == '\'=HYPERLINK("http://x")'


def test_a_reply_of_any_assistant_may_name_it():
    assert row_of({"answer": "Six.", "system_version": 7})["system_version"] == "7"
    assert row_of("Six.")["system_version"] is None
    assert row_of({"answer": "", "system_version": "7"})["error"]
