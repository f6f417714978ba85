"""What is served is what the library computes: scores, verdicts, cards, hashes."""

import json

import pytest

import ragassay
from api.fake_scores import encode
from ragassay.api.calibrating import read_calibration
from serve.conftest import ROWS, WANTED


def expected_scores(rows, metrics) -> list[list]:
    table = ragassay.score(rows, metrics=metrics, encode=encode).to_pandas()
    table = table[["case_id", "metric", "value", "state", "reason"]]
    return json.loads(table.to_json(orient="values", double_precision=15))


def served_scores(reply) -> list[list]:
    return [
        [each["case_id"], one["metric"], one["value"], one["state"], one["reason"]]
        for each in reply.json()["answers"]
        for one in each["scores"]
    ]


@pytest.mark.parametrize(
    "rows", [ROWS, ROWS * 15, [{"user_input": "a?", "response": "a", "retrieved_contexts": ["a"]}]]
)
def test_scores_equal_those_of_the_library(client_of, rows):
    reply = client_of().post("/score", json={"answers": rows, "metrics": WANTED})
    assert reply.status_code == 200 and served_scores(reply) == expected_scores(rows, WANTED)


def test_verdicts_are_those_of_the_calibration(client_of, calibrated):
    rows, found, folder = calibrated
    saved = read_calibration(folder)
    reply = client_of(saved, answers=120).post("/calibrated", json={"answers": rows}).json()
    expected = found.to_pandas()
    assert {each["decision"] for each in reply["answers"]} == {"accept", "reject", "review"}
    given = {row["case_id"]: each for row, each in zip(rows, reply["answers"], strict=True)}
    scored = [given[case] for case in expected["case_id"]]  # the others have no score, and are left to people
    assert [each["decision"] for each in scored] == expected["decision"].tolist()
    assert [each["probability"] for each in scored] == expected["probability"].tolist()
    assert reply["calibration"]["sha256"] == saved.sha256 and reply["calibration"]["alpha"] == 0.2


def test_what_has_no_score_or_is_repeated_is_left_to_people(client_of, calibrated):
    rows, _, folder = calibrated
    asked = [ROWS[1], rows[0], rows[0], rows[1]]
    reply = client_of(read_calibration(folder)).post("/calibrated", json={"answers": asked}).json()["answers"]
    assert [each["probability"] is None for each in reply] == [True, False, True, False]
    assert [each["decision"] for each in (reply[0], reply[2])] == ["review", "review"]
    assert "empty" in reply[0]["reason"] and "repeated" in reply[2]["reason"]


def test_scores_that_come_along_change_nothing(client_of, calibrated):
    """A tool's own scores in its log are columns like others here."""
    row = {"user_input": "Why?", "response": "So.", "retrieved_contexts": ["So."], "faithfulness": 1.0}
    client = client_of(read_calibration(calibrated[2]))
    (scored,) = client.post("/score", json={"answers": [row], "metrics": WANTED}).json()["answers"]
    (judged,) = client.post("/calibrated", json={"answers": [row]}).json()["answers"]
    assert len(scored["scores"]) == 3 and judged["score"]["metric"] == "groundedness"


def test_health_names_version_and_models(client_of, calibrated):
    reply = client_of(read_calibration(calibrated[2])).get("/health", headers={"X-API-Key": ""})
    found = reply.json()
    assert reply.status_code == 200 and found["version"] == ragassay.__version__ and found["status"] == "ok"
    assert len(found["encoder"]["sha256"]) == 64 and all(len(each) == 64 for each in found["heads"].values())
    assert found["calibration"]["metric"] == "groundedness" and found["waiting"] == 0


def test_no_client_names_a_file_of_code(client_of, tmp_path):
    code = tmp_path / "own.py"
    code.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    for name in (f"{code}:a", f"support,{code}:a"):
        reply = client_of().post("/score", json={"answers": ROWS[:1], "metrics": [name]})
        assert reply.status_code == 422 and not (tmp_path / "ran").exists()
