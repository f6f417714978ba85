"""A log of a tool through an engagement's notebook 00: what was read as which is shown, and goes into the report."""

import ast
import json
from pathlib import Path

import nbformat
import pytest

from answers.tool_records import P1, P2, RECORDS, A, Q, R
from ragassay import provenance, tables
from ragassay.answers import collect_answers, logged_cases
from ragassay.run import notebooks


def execute(book: Path, **given) -> str:
    """Run the code of a notebook, cell after cell in this process, with these parameters; what it shows, as text."""
    names: dict = {}
    shown = []
    for cell in nbformat.read(book, as_version=4).cells:
        if cell.cell_type == "code":
            statements, last = ast.parse(cell.source).body, None
            if isinstance(statements[-1], ast.Expr):
                last = ast.unparse(statements.pop())
            exec(compile(ast.Module(statements, []), book.name, "exec"), names)
            found = eval(last, names) if last else None
            shown += [found.to_html()] if hasattr(found, "to_html") else []
        if "parameters" in cell.metadata.get("tags", []):
            names |= given
    return "".join(shown)


LOGS = {
    "ragas": (RECORDS["ragas"][0], {}, ("user_input", "retrieved_contexts", "ragas 0.2 and later")),
    "grouse": (RECORDS["grouse"][0], {}, ("actual_output", "references", "GroUSE unit tests")),
    "the user's own": (
        {"frage": Q, "antwort": A, "stellen": [P1, P2], "soll": R},
        {"question": "frage", "answer": "antwort", "contexts": "stellen", "reference_answer": "soll"},
        ("frage", "stellen", "schema by_name+map"),
    ),
}


@pytest.mark.parametrize("name", LOGS)
def test_a_log_of_a_tool_is_validated(tmp_path, name):
    record, mapping, words = LOGS[name]
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps(record) + "\n")
    given = {"run_dir": str(tmp_path), "documents": "", "answers_log": str(log), "map": mapping}
    shown = execute(notebooks()["00_scope"], **given)
    assert all(word in shown for word in words), shown[-3000:]
    kept = provenance.load(tmp_path, "engagement.json")
    assert kept["map"] == mapping
    assert tables.read(tmp_path, "chunks")["text"].tolist() == [P1, P2]
    cases = logged_cases(kept)
    answers = collect_answers(kept, cases, run_dir=tmp_path)
    assert (cases.question[0], cases.reference_answer[0]) == (Q, R)
    assert (answers.answer[0], answers.contexts[0]) == (A, [P1, P2])
