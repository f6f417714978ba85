"""`ragassay.diagnose`: from a table or a file, as text, JSON, picture; its refusals."""

import json

import pandas as pd
import pytest

import ragassay
from ragassay.errors import InputError, TableError

ROWS = [
    ("a1", "A", True, True, "short"),
    ("a2", "A", False, False, "long"),
    ("a3", "A", False, True, "long"),
    ("b1", "B", True, True, "short"),
    ("b2", "B", True, True, "long"),
    ("c1", "C", False, False, "short"),
]
TABLE = pd.DataFrame(ROWS, columns=["query", "group", "correct", "retrieval_correct", "style"])


def test_json_has_the_names_that_scripts_read():
    told = json.loads(ragassay.diagnose(TABLE).to_json())
    assert told["accuracy"] == 0.5 and told["robustness"] == 0.6 and told["lambda"] == pytest.approx(1 / 6)
    assert told["accuracy_retrieval"] == pytest.approx(4 / 6) and told["robustness_retrieval"] == 0.8
    assert told["groups"] == {"gap": ["C"], "robust": ["B"], "non_robust": ["A"]}
    assert [each["module"] for each in told["failures"]] == ["retrieval", "generator", "retrieval"]
    assert [each["quantity"] for each in told["figures"]][:2] == ["accuracy", "robustness"]
    assert "contrasts" not in told


def test_what_does_not_exist_is_null_with_its_reason():
    told = json.loads(ragassay.diagnose(TABLE.assign(correct=False)).to_json())
    assert told["robustness"] is None and told["figures"][1]["reason"].startswith("every group is a gap")
    assert told["lambda"] == 1 and told["defective_module"]["module"] == "none"


def test_a_file_gives_what_a_table_gives(tmp_path):
    path = tmp_path / "results.jsonl"
    TABLE.to_json(path, orient="records", lines=True)
    assert ragassay.diagnose(path).to_json() == ragassay.diagnose(TABLE).to_json()
    TABLE.to_csv(tmp_path / "results.csv", index=False)
    assert ragassay.diagnose(tmp_path / "results.csv").to_json() == ragassay.diagnose(TABLE).to_json()


def test_nothing_in_the_results_acts_on_a_terminal():
    found = ragassay.diagnose(TABLE.assign(style=["\x1b[2Jshort", "long"] * 3), cluster="style")
    assert "\x1b" not in repr(found)


def test_refusals(tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_text('{"query": "a", "group": "A", "correct": true}\n{"query": \n')
    with pytest.raises(InputError, match="a line cannot be read") as refused:
        ragassay.diagnose(path)
    assert "line 2" in refused.value.where
    with pytest.raises(InputError, match="the file cannot be read"):
        ragassay.diagnose(tmp_path / "absent.jsonl")
    with pytest.raises(TableError, match="column 'query' is missing"):
        ragassay.diagnose(pd.DataFrame({"question": ["a"]}))
