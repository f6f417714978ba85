"""What stands below the columns of a file: ids and scores where they are."""

import pytest

from answers.tool_records import RECORDS, SCORED
from ragassay.answers import open_answers


def mapped(record: dict) -> dict[str, list[str]]:
    """column of ours -> the paths it is read from."""
    found: dict[str, list[str]] = {}
    opened = open_answers([record])
    assert len(list(opened)) == 1
    for row in opened.mapped():
        found.setdefault(row.column, []).append(row.read_from)
    return found


@pytest.mark.parametrize(
    "tool, path",
    [
        ("ragchecker", "retrieved_context[].doc_id"),
        ("llamaindex", "source_nodes[].node.id_"),
        ("mlflow", "retrieved_context[].doc_uri"),
        ("otel_genai", "attributes.gen_ai.retrieval.documents[].id"),
        ("ragas", "(none)"),
    ],
)
def test_ids_inside_passages_are_read_and_said(tool, path):
    assert mapped(RECORDS[tool][0])["context_ids"] == [path]


def test_a_score_stands_where_it_was_found():
    found = mapped(SCORED["promptfoo"][0])
    assert found["promptfoo:tone"] == ["namedScores"] and found["promptfoo:score"] == ["score"]
    assert found["promptfoo:contains"] == ["gradingResult.componentResults"]
    assert "namedScores" not in found.get("no counterpart", [])
