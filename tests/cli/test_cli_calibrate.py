"""`ragassay calibrate`: files in, a folder out; what cannot be calibrated ends with a sentence and no files."""

import numpy as np
import pandas as pd
import pytest

from command_line import called

FILES = [
    "conformal.svg",
    "coverage.csv",
    "errors.csv",
    "kinds.csv",
    "model.json",
    "reliability.svg",
    "verdicts.parquet",
]
WORDS = {"--scores": "s.csv", "--labels": "l.csv", "--metric": "m", "--dimension": "d", "--out": "out"}


@pytest.fixture
def call(monkeypatch, tmp_path, capsys):
    """Run the command line in a folder with scores and labels of 120 answers; gives exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(0)
    value, case = draw.normal(size=120), [f"c{i:03d}" for i in range(120)]
    label = (value + 0.7 * draw.logistic(size=120) > 0).astype(int)
    pd.DataFrame({"case_id": case, "metric": "m", "value": value}).to_csv("s.csv", index=False)
    pd.DataFrame({"case_id": case, "dimension": "d", "rater": "ann", "label": label, "scale": "0-1"}).to_csv(
        "l.csv", index=False
    )

    def run(**changed: str) -> tuple[int, str, str]:
        words = WORDS | {f"--{name.replace('_', '-')}": value for name, value in changed.items()}
        return called(["calibrate", *(word for pair in words.items() for word in pair)], monkeypatch, capsys)

    return run


def lines(name, change):
    """Rewrite a file of labels or scores by a function of its table."""
    change(pd.read_csv(name, dtype={"case_id": str})).to_csv(name, index=False)


def test_a_folder_is_written_and_its_files_are_named(call, tmp_path):
    code, out, _ = call()
    assert code in (0, None) and sorted(path.name for path in (tmp_path / "out").iterdir()) == FILES
    assert all(name in out for name in FILES) and "90 %" in out and "auroc" in out


def test_scores_of_every_format_give_the_same(call, tmp_path):
    table = pd.read_csv("s.csv")
    table.to_parquet("s.parquet")
    table.to_json("s.jsonl", orient="records", lines=True, double_precision=15)
    for name in ("s.csv", "s.parquet", "s.jsonl"):
        assert call(scores=name, out=f"of_{name}")[0] in (0, None)
    kept = [
        pd.read_parquet(tmp_path / f"of_{name}" / "verdicts.parquet")
        for name in ("s.csv", "s.parquet", "s.jsonl")
    ]
    assert kept[0].equals(kept[1]) and kept[0]["decision"].equals(kept[2]["decision"])
