"""A cluster reads the answers of a log before the notebook that scores them, and the record says so."""

import pandas as pd
import pytest

from ragassay import provenance, tables
from ragassay.api import ray_cluster
from ragassay.api.parallel_scoring import Cluster
from ragassay.run.execution import notebook_record, notebook_sequence
from ragassay.run.execution.run_progress import Progress
from ragassay.run.parameter_file.run_settings import DEVICE, MODELS

LOG = [
    {"case_id": f"c{i}", "system": system, "question": f"What does account {i} cost?", "answer": f"It costs ${i}.", "contexts": [f"${i}."]}
    for i in range(2)
    for system in ("ours", "rival")
]  # fmt: skip
SETTINGS = dict.fromkeys((*MODELS, DEVICE), "") | {"executor": "ray", "cluster": "h:1", "workers": 3}
VALUES = {
    "00_scope": {"answers_log": "log.jsonl"},
    "02_functionality": {"metrics": "", "challengers": [], "premise": "nearest"},
}


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """What the cluster was asked: answers, cases, metrics, cluster, settings."""
    calls = []
    monkeypatch.setattr(ray_cluster, "compute_ahead", lambda *given: calls.append(given) or 7)
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(LOG).to_json("log.jsonl", orient="records", lines=True)
    record = {"answers_log": "log.jsonl", "system": "ours", "map": {}}
    provenance.save(tmp_path, "engagement.json", record)
    from ragassay import answers

    tables.write(tmp_path, "cases", answers.logged_cases(record))
    return calls


def compute(folder, name="02_functionality", **settings):
    said = Progress([name])
    notebook_sequence.compute_ahead(name, folder, VALUES, SETTINGS | settings, folder / "trace", said)


def test_the_answers_of_all_systems_are_read_before_the_notebook(asked, tmp_path):
    compute(tmp_path)
    ((read, cases, metrics, cluster, settings),) = asked
    assert sorted(zip(read.case_id, read.system, strict=True)) == [
        (row["case_id"], row["system"]) for row in LOG
    ]
    assert list(cases.case_id) == ["c0", "c1"] and cluster == Cluster("h:1", 3)
    assert (
        {"groundedness", "toxicity"} <= set(metrics)
        and "judge" not in str(metrics)
        and settings == {"premise": "nearest"}
    )
    assert (
        "before it was sealed, a Ray cluster (h:1) read 4 logged answers"
        in notebook_record.summary(tmp_path / "trace", tmp_path)["policy"]
    )


@pytest.mark.parametrize("how", [{"name": "03_risk_safety"}, {"executor": "local"}])
def test_else_nothing_is_asked(asked, tmp_path, how):
    compute(tmp_path, **how)
    assert not asked and not (tmp_path / "trace").exists()
