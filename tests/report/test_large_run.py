"""A report of many answers and 5,000 findings, in time that grows with them: 2,000 answers here; the example's
repeated to 10,000 answers and 500 findings took 20 s of the processor (bench/large_report.py)."""

import time

import nbformat
import numpy as np
import pandas as pd
import pytest
from small_run import code, make_run

from ragassay import report, show, tables
from ragassay.report import findings_register

N = 2_000
ENOUGH = 36.0  # seconds of this process: a fifth of three minutes


def with_rows(folder):
    answers = pd.DataFrame(
        {
            "case_id": [f"c{i}" for i in range(N)],
            "question": "What does the account cost in a year? ",
            "answer": "The fee is 4 euros a month; see the schedule. " * 8,
        }
    )
    answers.to_parquet(folder / "tables" / "answers.parquet")
    scores = pd.DataFrame({"case_id": np.repeat(answers.case_id.values, 20), "value": 0.5})
    scores.to_parquet(folder / "tables" / "scores.parquet")
    path = folder / "notebooks" / "02_functionality.ipynb"
    book = nbformat.read(path, as_version=4)
    shown = [show.table(answers, "Answers", file="tables/answers.parquet")]
    shown += [show.table(scores, "Scores", file="tables/scores.parquet")]
    book.cells.append(code("rows", 9, *shown))
    nbformat.write(book, path)


@pytest.mark.slow
def test_many_answers_and_five_thousand_findings(tmp_path):
    folder = make_run(tmp_path / "run")
    with_rows(folder)
    findings = tables.read(folder, "findings")
    many = pd.concat(
        [
            findings.assign(finding_id=f"{findings.finding_id[0]}.{i}", severity="High")
            for i in range(5000 // 3)
        ]
    ).assign(finding_id=lambda rows: [f"F{i}" for i in range(1, len(rows) + 1)])
    tables.write(folder, "findings", many)
    started = time.process_time()
    made = report.build(folder)
    assert time.process_time() - started < ENOUGH
    text = made["html"].read_text(encoding="utf-8")
    left = len(many) - findings_register.MOST_CARDS
    assert f"… and {left:,} more in attachments/findings.csv" in text
    assert len((folder / "attachments" / "findings.csv").read_text().splitlines()) > len(many)
    assert len((folder / "attachments" / "answers.csv").read_text().splitlines()) == N + 1
