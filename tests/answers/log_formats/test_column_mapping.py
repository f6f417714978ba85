"""What stands below the columns of a file: ids and scores where they are, and what nothing was read from."""

import pytest

from answers.tool_records import P1, P2, RECORDS, SCORED, A, Q
from ragassay.answers import open_answers

CONTEXTS = [{"text": P1, "id": "d1", "score": 0.9}, {"text": P2, "id": "d2", "title": "Fees"}]


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


def test_names_in_passages_and_objects_that_nothing_was_read_from_are_said():
    found = mapped({"question": Q, "answer": A, "contexts": CONTEXTS, "tone": "dry"})
    assert found["no counterpart"] == ["tone", "contexts[].score", "contexts[].title"]
    assert "expectations.expected_facts" in mapped(RECORDS["mlflow"][0])["no counterpart"]
    inputs = {"inputs": {"question": Q, "tone": "dry"}, "outputs": {"answer": A}, "reference_outputs": {}}
    assert mapped(inputs)["no counterpart"] == ["inputs.tone"]


def test_a_score_stands_where_it_was_found():
    found = mapped(SCORED["promptfoo"][0])
    assert found["promptfoo:tone"] == ["namedScores"] and found["promptfoo:score"] == ["score"]
    assert found["promptfoo:contains"] == ["gradingResult.componentResults"]
    assert "namedScores" not in found["no counterpart"]
