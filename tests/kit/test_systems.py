"""A log of several systems that people judged, from the file to the report that compares them: made up, and the benchmark."""

import gzip
import json
import re
from pathlib import Path

import pandas as pd
import pytest

from kit.in_this_process import run_here
from kit.made_log import records
from ragassay.errors import KitError
from ragassay.run import engagement, notebooks, parameters

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
REAL = ROOT.parent / "shared/data/mtrag_human/dev.jsonl.gz"
SHORT = r"1534a095|1c0e5e78|fd99b316|61374b24.*<::>1$"  # with few and short passages; the last: another collection
MADE = """
run: {{formats: [html]}}
00_scope: {{documents: "", answers_log: {log}, system: beta, date: "2026-09-01"}}
01_test_generation: {{method: given, picture: pca}}
02_functionality:
  metrics: citations_present
  labels: {log}
  accept_from: {{faithfulness: 3, completeness: 3}}
04_calibration:
  pairs: {{support: faithfulness, completeness: completeness}}
  metric: support
  dimension: faithfulness
  examine_instruments: false
06_weakness: {{judged: [judged_faithfulness], shown: judged_faithfulness, dimensions: [topic]}}
07_conclusion: {{gates: {{judged_faithfulness: "low >= 0.5"}}}}
"""


def as_lines(path: Path, rows: list[dict]) -> None:
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode(), mtime=0))


def run(folder: Path, name: str) -> Path:
    outcome = run_here(folder / f"{name}.yml")
    assert outcome.exit_code in (0, 2, 3)
    return folder / outcome.run_dir


def table(folder: Path, name: str) -> pd.DataFrame:
    return pd.read_parquet(folder / "tables" / f"{name}.parquet")


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Path:
    """The made-up log, run from its lines."""
    folder = tmp_path_factory.mktemp("systems")
    as_lines(folder / "lines.jsonl.gz", records())
    (folder / "lines.yml").write_text(MADE.format(log="lines.jsonl.gz"))
    return run(folder, "lines")


def test_the_wrong_system_is_found_worse(report):
    compared = table(report, "challengers").set_index(["metric", "challenger"])
    assert set(compared.system) == {"beta"}
    assert set(compared.index.get_level_values("challenger")) == {"alpha", "people"}
    for challenger in ("alpha", "people"):
        row = compared.loc[("support", challenger)]
        assert row.outcome == "worse" and row.high < 0 and row.n == 14 and row.losses == 14
    assert compared.loc[("context_relevancy", "alpha")].outcome == "same on every question"


@pytest.mark.skipif(
    not REAL.exists(), reason="needs the user's own copy of MTRAG's judged answers in ../shared/data"
)
def test_short_conversations_of_the_benchmark(tmp_path):
    """The parameters as they are shipped, on a part of the log, the instruments not examined again; drawn by PCA:
    UMAP, which takes seconds to compile, has its test in tests/cases/test_topics.py."""
    found = [json.loads(line) for line in gzip.decompress(REAL.read_bytes()).decode().splitlines()]
    as_lines(tmp_path / "some.jsonl.gz", [row for row in found if re.match(SHORT, row["id"])])
    text = (ROOT / "params/mtrag.yml").read_text()
    for old, new in (
        ("../shared/data/mtrag_human/dev.jsonl.gz", "some.jsonl.gz"),
        ("04_calibration:\n", "04_calibration:\n  examine_instruments: false\n"),
        ("  method: given\n", "  method: given\n  picture: pca\n"),
    ):
        text = text.replace(old, new)
    (tmp_path / "mtrag.yml").write_text(text)
    report = run(tmp_path, "mtrag")
    compared = table(report, "challengers")
    assert set(compared.challenger) == {"llama-3.1-405b-instruct", "reference"}
    assert (compared[compared.metric == "support"].n >= 10).all()  # of 16, less those read as no answer
    judged = {"naturalness", "appropriateness", "completeness", "faithfulness"}
    assert set(table(report, "labels").dimension) == judged
    assert (report / "validation_report.pdf").exists()


def test_a_missing_benchmark_is_named_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mtrag.yml").write_text((ROOT / "params/mtrag.yml").read_text())
    schemas = {name: parameters.declared(book) for name, book in notebooks(ROOT / "notebooks").items()}
    with pytest.raises(KitError, match=r"input does not exist; at .*mtrag_human/dev\.jsonl\.gz"):
        engagement.load(tmp_path / "mtrag.yml", schemas)
