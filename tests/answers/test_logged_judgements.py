"""Judgements of people in a log: MTRAG's answers and labels; a flawed line is left out by name."""

import json
from pathlib import Path

import pytest

from ragassay.answers import load_log
from ragassay.errors import KitError
from ragassay.labels import human_labels

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


def log_of(folder: Path, *lines: dict) -> Path:
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_the_case_and_its_answer_by_hand(tmp_path):
    other = LINE | {"id": "f0d2873b51<::>3|llama", "system": "llama", "answer": "Five."}
    cases, answers = load_log(log_of(tmp_path, LINE, other))
    case = cases.iloc[0]
    assert len(cases) == 1 and answers.system.tolist() == ["gpt", "llama"]
    assert case[["case_id", "question", "topic", "query_type", "answer_type"]].tolist() == [
        *("f0d2873b-3", "What is the fee?", "govt", "factual", "short_fact")
    ]
    assert bool(case.answerable) and case.reference_answer == "Six dollars." and "Hello" in case.turns
    assert answers.contexts[0] == LINE["contexts"] and answers.context_ids[0] == ["fees-1"]


def test_the_judgements_are_labels(tmp_path):
    log = log_of(tmp_path, LINE)
    found, aside = human_labels.read(log, load_log(log)[1])
    assert found[["case_id", "dimension", "rater", "label"]].to_numpy().tolist() == [
        ["f0d2873b-3", "faithfulness", "ann", 4],
        ["f0d2873b-3", "faithfulness", "bob", 3],
    ]
    assert aside.empty and set(found.scale) == {"1-4"}


@pytest.mark.parametrize("change", [{"answer": 3}, {"turns": []}, {"turns": [{"speaker": "user"}]}])
def test_a_flawed_line_is_left_out_by_name(tmp_path, change):
    cases, _ = load_log(log_of(tmp_path, LINE, LINE | change))
    assert cases.attrs["n_bad"] == 1 and cases.attrs["flaws"][0].where == "log.jsonl, line 2"
    with pytest.raises(KitError, match="holds no judgements"):
        human_labels.read(log_of(tmp_path, LINE | change), None)
