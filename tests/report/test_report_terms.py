"""The words of a report: those of docs/terms.md, and no name of code where a reader reads."""

import re
from html import unescape

from ragassay.scores.names import is_named
from test_terms import found


def prose(page: str) -> str:
    """The page without its styles, code, file names and attached data."""
    kept = re.sub(r"<(style|code|pre|svg|details)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", " ", kept))


def test_a_report_uses_the_words_of_the_house(built):
    assert found(prose(built["html"].read_text(encoding="utf-8"))) == []


def test_a_report_names_metrics_in_words(built):
    text = prose(built["html"].read_text(encoding="utf-8"))
    assert [name for name in re.findall(r"\b[a-z0-9]+(?:_[a-z0-9]+)+\b", text) if is_named(name)] == []
