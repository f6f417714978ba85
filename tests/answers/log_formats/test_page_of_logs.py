"""The page of logs names every format that is read."""

from pathlib import Path

from ragassay.answers.log_formats import SCHEMAS

PAGE = Path(__file__).parents[3] / "docs" / "logs.md"


def test_every_format_stands_on_the_page():
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in SCHEMAS if f"`{name}`" not in text] == []
    assert f"any of {len(SCHEMAS)} formats" in (PAGE.parents[1] / "README.md").read_text(encoding="utf-8")
