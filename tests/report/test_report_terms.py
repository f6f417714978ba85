"""The words of a report: those of docs/terms.md, and no name of code where a reader reads."""

import re
from html import unescape

from ragassay.report.chapters import NOTEBOOKS
from ragassay.scores.display_names import is_named
from test_terms import found, raw_names


def prose(page: str) -> str:
    """The page without its styles, code, file names and attached data."""
    kept = re.sub(r"<(style|code|pre|svg|details)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", " ", kept))


def test_a_report_uses_the_words_of_the_house(built):
    assert found(prose(built["html"].read_text(encoding="utf-8"))) == []


def without_annexes(page: str) -> str:
    """The chapters: the annexes name parameters, files and packages as they are called."""
    return re.split(r'<section[^>]* id="annex-(?!results)', page, maxsplit=1)[0]


def test_a_report_holds_no_name_of_code_where_a_reader_reads(built):
    """But what the run's own data call so, and the notebooks that are missing or failed."""
    names = raw_names(prose(without_annexes(built["html"].read_text(encoding="utf-8"))))
    assert [one for one in names if one not in NOTEBOOKS and "pairwise_distance" not in one] == []


def test_a_report_names_metrics_in_words(built):
    text = prose(built["html"].read_text(encoding="utf-8"))
    assert [name for name in re.findall(r"\b[a-z0-9]+(?:_[a-z0-9]+)+\b", text) if is_named(name)] == []
