"""A tool's own scores come along with its answers, under its name, and go back where the tool keeps them."""

import json

import pytest

from answers.test_log_import import write
from answers.tool_records import P1, RECORDS, SCORED, A, Q, row_of
from ragassay.answers import load_log, tool_scores
from ragassay.answers.answer_batches import export
from ragassay.answers.log_schemas import SCHEMAS, Unfit, detect, resolve
from ragassay.errors import KitError, LabelError, ParameterError
from ragassay.labels import human_labels

EVERY = pytest.mark.parametrize("name", sorted(SCORED))
WRITTEN = ("ragas", "deepeval", "mlflow", "inspect_ai", "ours")


def given(row: dict) -> dict[str, float | None]:
    return {name: value for name, value in row.items() if tool_scores.is_given(name)}


@EVERY
def test_a_tools_scores_come_along(name):
    record, wanted = SCORED[name]
    assert detect([record]).name == name and given(row_of(record)) == wanted


@pytest.mark.parametrize("to", WRITTEN)
@EVERY
def test_scores_written_for_another_tool_are_read_again(name, to):
    """Their values are the same; a name that the other tool writes without its own owner keeps it."""
    row = row_of(SCORED[name][0])
    again = given(row_of(export(row, SCHEMAS[to]), SCHEMAS[to]))
    assert {key: value for key, value in again.items() if key in given(row)} == {
        key: value for key, value in given(row).items() if value is not None
    }


def test_a_column_that_the_user_names_is_a_score():
    record = {"question": Q, "answer": A, "contexts": [P1], "Trust me": "25%", "other": 1}
    schema = resolve([record], "here", mapping={"score:trust": "Trust me"})
    assert given(row_of(record, schema)) == {"given:trust": 0.25}
    with pytest.raises(ParameterError, match="score:NAME"):
        resolve([record], "here", mapping={"skore:trust": "Trust me"})


WIDE = {
    "case_id": "c1",
    "question": Q,
    "answer": A,
    "contexts": [P1],
    "ok": "yes",
    "stars": 4,
    "rater": "ann",
}


def labels(path, mapping=None, answers=None) -> list[tuple]:
    found = human_labels.read(path, answers, mapping)[0]
    return found[["case_id", "dimension", "rater", "label", "scale"]].to_records(index=False).tolist()


def test_what_a_tool_notes_of_raters(tmp_path):
    wanted = ("1", "grounded", "not named", 1.0, "0-1")
    assert labels(write(tmp_path / "log.jsonl", [RECORDS["ares"][0]])) == [wanted]


def test_columns_that_the_user_names(tmp_path):
    mapping = {"label:grounded": "ok", "label:helpful:1-5": "stars"}
    found = labels(write(tmp_path / "log.csv", [WIDE]), mapping)
    assert found == [("c1", "grounded", "ann", 1.0, "0-1"), ("c1", "helpful", "ann", 4.0, "1-5")]


@pytest.mark.parametrize(
    "record, mapping, words",
    [
        (RECORDS["ragas"][0], None, "no judgements of people"),
        (WIDE | {"ok": "perhaps"}, {"label:grounded": "ok"}, "no number"),
        ({"case_id": "c1", "label": 1}, None, "column 'dimension' is missing"),
    ],
)
def test_what_is_no_label_is_refused(tmp_path, record, mapping, words):
    (tmp_path / "l.jsonl").write_text(json.dumps(record) + "\n")
    with pytest.raises(LabelError, match=words):
        labels(tmp_path / "l.jsonl", mapping)


@pytest.mark.parametrize("value", [7_259_001_000, -1, "-1", "inf"])
def test_a_score_outside_its_range_is_refused(value):
    with pytest.raises(Unfit):
        tool_scores.as_score("ragas:faithfulness", value)
    assert tool_scores.as_score("ragas:faithfulness", "0.5") == 0.5


LINE = {
    "id": "f0d2873b51<::>3|gpt",
    "system": "gpt",
    "answer": "It is six dollars.",
    "turns": [
        {"speaker": "user", "text": "Hello"},
        {"speaker": "agent", "text": "Hi"},
        {"speaker": "user", "text": "What is the fee?"},
    ],
    "query": "What is the fee?",
    "contexts": ["The fee is six dollars."],
    "context_ids": ["fees-1"],
    "reference": "Six dollars.",
    "collection": "mt-rag-govt-elser-512-100-20240611",
    "answerability": "ANSWERABLE",
    "question_type": ["Factoid"],
    "human": {"faithfulness": {"ann": 4, "bob": 3}, "win-rate": {"ann": 1}},
}


def test_the_case_and_its_answer_by_hand(tmp_path):
    other = LINE | {"id": "f0d2873b51<::>3|llama", "system": "llama", "answer": "Five."}
    cases, answers = load_log(write(tmp_path / "log.jsonl", [LINE, other]))
    case = cases.iloc[0]
    assert len(cases) == 1 and answers.system.tolist() == ["gpt", "llama"]
    assert case[["case_id", "question", "topic", "query_type", "answer_type"]].tolist() == [
        *("f0d2873b-3", "What is the fee?", "govt", "factual", "short_fact")
    ]
    assert bool(case.answerable) and case.reference_answer == "Six dollars." and "Hello" in case.turns
    assert answers.contexts[0] == LINE["contexts"] and answers.context_ids[0] == ["fees-1"]


def test_the_judgements_are_labels(tmp_path):
    log = write(tmp_path / "log.jsonl", [LINE])
    found, aside = human_labels.read(log, load_log(log)[1])
    assert found[["case_id", "dimension", "rater", "label"]].to_numpy().tolist() == [
        ["f0d2873b-3", "faithfulness", "ann", 4],
        ["f0d2873b-3", "faithfulness", "bob", 3],
    ]
    assert aside.empty and set(found.scale) == {"1-4"}


@pytest.mark.parametrize("change", [{"answer": 3}, {"turns": []}, {"turns": [{"speaker": "user"}]}])
def test_a_flawed_line_is_left_out_by_name(tmp_path, change):
    cases, _ = load_log(write(tmp_path / "log.jsonl", [LINE, LINE | change]))
    assert cases.attrs["n_bad"] == 1 and cases.attrs["flaws"][0].where == "log.jsonl, line 2"
    with pytest.raises(KitError, match="holds no judgements"):
        human_labels.read(write(tmp_path / "log.jsonl", [LINE | change]), None)
