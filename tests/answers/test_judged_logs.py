"""Logs that people have judged: MTRAG's lines and InspectorRAGet's files say the same, and their flaws are named."""

import json
from pathlib import Path

import pytest

from answers import judged_files
from answers.judged_files import OPENING, as_json, as_lines, experiment, records
from ragassay.answers import judged_logs, load_log
from ragassay.answers.judged_logs import ids_of, short_collection
from ragassay.errors import InputError, LabelError
from ragassay.labels import human_labels

REAL = Path(__file__).parents[3] / "shared/data/mtrag_human/dev.jsonl.gz"
FORMS = {
    "lines": lambda folder: as_lines(folder / "log.jsonl"),
    "packed lines": lambda folder: as_lines(folder / "log.jsonl.gz"),
    "version 1": lambda folder: as_json(folder / "log.json"),
    "version 2": lambda folder: as_json(folder / "log.json", experiment(2)),
}


@pytest.fixture(params=FORMS)
def log(request, tmp_path) -> Path:
    return FORMS[request.param](tmp_path)


def test_it_is_known_by_what_it_holds(log, tmp_path):
    assert judged_logs.fits(log)
    (tmp_path / "plain.jsonl").write_text('{"question": "Why?", "answer": "So."}\n')
    (tmp_path / "other.json").write_text('[{"question": "Why?"}]')
    (tmp_path / "broken.json").write_text("{")
    assert not any(
        judged_logs.fits(tmp_path / name)
        for name in ("plain.jsonl", "other.json", "broken.json", "absent.json", "absent.jsonl", "x.csv")
    )


def test_the_cases_by_hand(log):
    cases, answers = load_log(log)
    assert cases.case_id.tolist() == ["c1000000-1", "c1000000-3", "c2000000-1"]
    assert cases.question.tolist() == ["What does the card cost?", "And abroad?", "Who founded the bank?"]
    assert cases.answerable.tolist() == [True, True, False] and cases.answer_type.tolist() == [
        "short_fact",
        "short_fact",
        "no_answer",
    ]
    assert cases.query_type.tolist() == ["factual", "multi_hop", "open"] and cases.topic.tolist() == [
        "govt",
        "govt",
        "harbour",
    ]
    assert (
        cases.conversation_id.tolist() == [OPENING, OPENING, "c2000000bbbb"]
        and cases.task_id[1] == f"{OPENING}<::>3"
    )
    assert [turn["text"] for turn in json.loads(cases.turns[1])] == [
        "What does the card cost?",
        "Six dollars.",
        "And abroad?",
    ]
    assert answers.system.tolist() == ["alpha"] * 3 + ["beta"] * 3 and set(answers.repeat) == {0}
    assert answers.contexts[1] == list(judged_files.PASSAGES.values()) and answers.context_ids[1] == [
        "fees-0-40",
        "abroad-0-50",
    ]


def test_the_judgements_are_labels(log):
    _, answers = load_log(log)
    human, aside = human_labels.read(log, answers)
    assert (
        len(human) == 12
        and aside.empty
        and set(human.dimension) == {"faithfulness"}
        and set(human.scale) == {"1-4"}
    )
    given = human.set_index(["system", "case_id", "rater"]).label
    assert given["alpha", "c1000000-3", "r2"] == 3 and given["beta", "c2000000-1", "r1"] == 1


def test_a_label_knows_the_answer_it_was_given_for(log):
    _, answers = load_log(log)
    answers.loc[0, "answer"] = "Another answer."
    human, aside = human_labels.read(log, answers)
    assert len(human) == 10 and aside.reason.unique().tolist() == [
        "the answer has changed since it was labelled"
    ]


def test_labels_of_systems_not_at_hand_are_set_aside(log):
    _, answers = load_log(log)
    human, aside = human_labels.read(log, answers[answers.system == "alpha"])
    assert (
        set(human.system) == {"alpha"}
        and aside.reason.unique().tolist() == ["another system's answer"]
        and len(aside) == 6
    )


def test_ids_stay_whole_where_the_short_ones_would_meet():
    assert ids_of(["aaaaaaaa1<::>1", "aaaaaaaa1<::>3"]) == {
        "aaaaaaaa1<::>1": "aaaaaaaa-1",
        "aaaaaaaa1<::>3": "aaaaaaaa-3",
    }
    assert ids_of(["aaaaaaaa1<::>1", "aaaaaaaa2<::>1"]) == {
        name: name for name in ("aaaaaaaa1<::>1", "aaaaaaaa2<::>1")
    }
    assert ids_of(["task 7"]) == {"task 7": "task 7"}


def test_collections():
    assert (
        short_collection("mt-rag-ibmcloud-elser-512-100-20240502") == "ibmcloud"
        and short_collection("our own") == "our own"
    )


def changed(row: int = 0, **values) -> list[dict]:
    rows = records()
    rows[row] |= values
    return rows


@pytest.mark.parametrize(
    "rows, complaint",
    [
        (changed(1, answer=None), "answer: "),
        (changed(1, query="What else?"), "What else?"),
        (changed(1, turns=[]), "turns: "),
        (changed(1, contexts="one text"), "contexts: "),
        (changed(1, contexts=[{}]), "contexts.0: "),
        (changed(1, human=[4]), "human: "),
        (changed(1, human={"faithfulness": 4}), "human.faithfulness: "),
    ],
)
def test_a_flawed_line_is_named(tmp_path, rows, complaint):
    path = as_lines(tmp_path / "log.jsonl", rows)
    cases, answers = load_log(path)
    flaw = str(cases.attrs["flaws"][0])
    assert complaint in flaw and "log.jsonl, line 2" in flaw
    assert (cases.attrs["n_bad"], len(answers)) == (1, len(rows) - 1)
    assert not any(label["where"] == "log.jsonl, line 2" for label in judged_logs.labels(path))
    with pytest.raises(InputError, match=r"bad\.jsonl, line 1"):
        load_log(as_lines(tmp_path / "bad.jsonl", rows[1:2]))


def test_a_broken_line_is_named(tmp_path):
    path = as_lines(tmp_path / "log.jsonl")
    path.write_text(path.read_text() + "{\n")
    cases, answers = load_log(path)
    assert "line 7" in cases.attrs["flaws"][0].where and len(answers) == 6


def test_a_label_that_is_no_number_or_off_the_scale_is_named(tmp_path):
    for value in ("often", "7"):
        path = as_lines(tmp_path / "log.jsonl", changed(2, human={"faithfulness": {"r1": value}}))
        with pytest.raises(
            LabelError, match=r"(?s)(no number|outside its scale).*line 3, faithfulness by r1"
        ):
            human_labels.read(path, load_log(path)[1])


def flawed(part: str, **values) -> dict:
    found = experiment()
    found[part][1] |= values
    return found


@pytest.mark.parametrize(
    "found, complaint, left",
    [
        (flawed("evaluations", task_id="gone"), "gone", 5),
        (flawed("evaluations", model_response=["a"]), "answer: ", 5),
        (flawed("tasks", input=[]), "turns: ", 4),
        (flawed("tasks", input=[{"speaker": "agent", "text": "Hello."}]), "turns: ", 4),
    ],
)
def test_a_flawed_entry_is_named(tmp_path, found, complaint, left):
    cases, answers = load_log(as_json(tmp_path / "log.json", found))
    assert complaint in str(cases.attrs["flaws"][0]) and len(answers) == left
    assert len(answers) + cases.attrs["n_bad"] == cases.attrs["n_rows"]


def test_a_file_without_evaluations_is_refused(tmp_path):
    with pytest.raises(InputError, match="no log of judged answers"):
        load_log(as_json(tmp_path / "log.json", experiment() | {"evaluations": []}))


def test_passages_that_one_system_retrieved_are_its_own(tmp_path):
    found = experiment(2)
    found["results"][3]["contexts"] = [
        {"documentId": "abroad-0-50"},
        {"documentId": "new", "text": "Another passage."},
    ]
    answers = load_log(as_json(tmp_path / "log.json", found))[1]
    own = answers.set_index(["system", "case_id"]).loc[("beta", "c1000000-1")]
    assert own.contexts == [judged_files.PASSAGES["abroad-0-50"], "Another passage."] and own.context_ids == [
        "abroad-0-50",
        "new",
    ]
    assert answers.contexts[0] == [judged_files.PASSAGES["fees-0-40"]]


def test_judgements_without_numbers_are_no_labels(tmp_path):
    found = experiment()
    found["metrics"].append(
        {
            "name": "useful",
            "author": "human",
            "type": "categorical",
            "values": [{"value": "yes"}, {"value": "no"}],
        }
    )
    found["evaluations"][0]["annotations"]["useful"] = {"r1": {"value": "yes"}}
    path = as_json(tmp_path / "log.json", found)
    assert {label["dimension"] for label in judged_logs.labels(path)} == {"faithfulness"}


@pytest.mark.skipif(
    not REAL.exists(), reason="needs the user's own copy of MTRAG's judged answers in ../shared/data"
)
def test_the_benchmark_itself():
    cases, answers = load_log(REAL)
    assert (
        len(cases) == 92
        and answers.system.value_counts().tolist() == [92] * 3
        and cases.conversation_id.nunique() == 20
    )
    assert cases.answerability.value_counts().to_dict() == {
        "ANSWERABLE": 79,
        "PARTIAL": 10,
        "UNANSWERABLE": 3,
    }
    human, aside = human_labels.read(REAL, answers)
    assert aside.empty and set(human.dimension) == {
        "naturalness",
        "appropriateness",
        "completeness",
        "faithfulness",
    }
    assert human.groupby(["case_id", "system", "dimension"]).rater.nunique().value_counts().idxmax() == 3
