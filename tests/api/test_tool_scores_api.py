"""A tool's own scores through `score` and `calibrate`, and the way back, JUnit among it."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ragassay
from answers.tool_records import P1, SCORED, A
from api.fake_scores import encode
from ragassay.answers import open_answers
from ragassay.api import calibrating, score_files
from ragassay.errors import ParameterError


def write(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.fixture
def log(tmp_path):
    record = SCORED["ragas"][0]
    return write(tmp_path / "log.jsonl", [record, record | {"faithfulness": None}, record | {"response": ""}])


def score(path, **options):
    return ragassay.score(path, metrics=["citations_present"], encode=encode, **options)


@pytest.mark.parametrize("batch", [1, 64])
def test_they_stand_beside_ours(log, tmp_path, batch):
    found = score(log, batch=batch)
    table = found.to_pandas()
    one = table[table.metric == "ragas:faithfulness"]
    assert one.value.tolist()[::2] == [0.5, 0.5]
    assert one.state.tolist() == ["scored", "not_measured", "scored"]
    assert "no such score" in one.reason.tolist()[1] and not table.duplicated(["case_id", "metric"]).any()
    on_disk = score(log, batch=batch, out=tmp_path / "s.parquet").to_pandas()
    pd.testing.assert_frame_equal(on_disk, table, check_dtype=False)
    assert ("faithfulness", "ragas:faithfulness") in [row[:2] for row in found.mapped]
    assert ("remark", "no counterpart") in [row[:2] for row in found.mapped]


@pytest.mark.parametrize("tool", ["ragas", "deepeval", "promptfoo", "otel_genai"])
def test_the_way_back_holds_answers_and_scores(log, tmp_path, tool):
    target = {tool: tmp_path / "back.json"}
    score_files.write_tool_files(log, score(log), target)
    rows = pd.concat(list(open_answers(target[tool])), ignore_index=True)
    assert rows["answer"].tolist() == [A, A, ""] and rows["contexts"][0] == [P1]
    assert rows["ragas:faithfulness"].isna().tolist() == [False, True, False]
    assert rows["ragassay:citations_present"][0] == 0


def test_the_names_of_files_say_what_they_hold():
    named = {"ragas": Path("a.ragas.jsonl"), "summary": Path("s.summary.csv")}
    scores = Path("scores.v2.parquet")
    assert score_files.sort_outputs([*named.values(), scores]) == (scores, named)
    for names in (["x.raags.pickle"], ["x.ragas.pickle"], ["x.summary.json"], ["a.csv", "b.csv"]):
        with pytest.raises(ParameterError):
            score_files.sort_outputs(map(Path, names))


def scored_log(path, n=120):
    draw = np.random.default_rng(0)
    value = draw.random(n)
    label = (value + 0.3 * draw.normal(size=n) > 0.5).astype(int)
    given = [{"user_input": f"{i}?", "faithfulness": value[i], "ok": int(label[i])} for i in range(n)]
    return write(path, [SCORED["ragas"][0] | each for each in given])


def test_a_tools_scores_are_calibrated_from_its_own_file(tmp_path):
    log = scored_log(tmp_path / "log.jsonl")
    maps = {"labels": {"label:grounded": "ok"}}
    found = ragassay.calibrate(log, log, metric="ragas:faithfulness", dimension="grounded", mapping=maps)
    assert len(found.labelled) == 120 and found.summary().set_index("name").value["auroc"] > 0.7


@pytest.mark.parametrize("kind", ["csv", "jsonl", "json", "tsv", "parquet"])
def test_a_table_of_scores_in_any_file(tmp_path, kind):
    table = pd.DataFrame({"case_id": ["a"], "metric": ["m"], "value": [0.5]})
    path, separator = tmp_path / f"s.{kind}", "\t" if kind == "tsv" else ","
    if kind in ("csv", "tsv"):
        table.to_csv(path, index=False, sep=separator)
    elif kind == "parquet":
        table.to_parquet(path)
    else:
        table.to_json(path, orient="records", lines=kind == "jsonl")
    found = calibrating.read(path)
    assert found[["case_id", "metric", "value"]].astype(str).values.tolist() == [["a", "m", "0.5"]]
