"""The page of logs names every tool as it is read, and its commands are those that there are."""

import json
import re
import sys
import textwrap
from pathlib import Path

from ragassay.answers.log_formats import SCHEMAS, tool_scores

PAGE = Path(__file__).parents[3] / "docs" / "logs.md"
SPEAKERS = {".@human": " (the user's last message)", ".@ai": " (the assistant's last message)"}
PART = re.compile(r"(<!-- tools: .*? -->\n)(.*?)(<!-- end of tools -->)", re.DOTALL)


def table() -> str:
    """The tools in the order of their rows, without ours and logs of judged answers."""
    return "".join(_entry(schema) for schema in list(SCHEMAS.values())[2:])


def _entry(schema) -> str:
    columns = [f"{ours} {_in_words(theirs)}" for ours, theirs in schema.columns.items()]
    known = sum(card.tool == schema.prefix for card in tool_scores.known_cards())
    scores = [f"{known} of its scores are known"] if known else []
    text = f"- **{schema.tool}** (`{schema.name}`): {'; '.join([*columns, *scores])}."
    return "\n".join(textwrap.wrap(text, 108, subsequent_indent="  ", break_long_words=False)) + "\n"


def _in_words(paths: str) -> str:
    found = []
    for path in paths.split("|"):
        ending = next((each for each in SPEAKERS if path.endswith(each)), "")
        found.append(f"`{path.removesuffix(ending)}`{SPEAKERS.get(ending, '')}")
    return " or ".join(found)


def test_the_table_is_that_of_the_schemas():
    """Write it anew: python -m answers.log_formats.test_page_of_logs, in tests."""
    assert PART.search(PAGE.read_text(encoding="utf-8"))[2] == table()


def test_what_was_tried_is_as_the_bench_writes_it(monkeypatch):
    """If not: python bench/tool_files_page.py."""
    monkeypatch.setattr(sys, "path", [str(PAGE.parents[1] / "bench"), *sys.path])
    import tool_files_page

    page, found = PAGE.read_text(encoding="utf-8"), json.loads(tool_files_page.FOUND.read_text("utf-8"))
    assert tool_files_page.renewed(page, found) == page


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(PART.sub(lambda found: found[1] + table() + found[3], text), encoding="utf-8")
