"""`ragassay calibrate`: files in, a folder out; what cannot be calibrated ends with a sentence and no files."""

import numpy as np
import pandas as pd
import pytest

from command_line import called

FILES = "conformal.svg coverage.csv errors.csv kinds.csv model.json reliability.svg verdicts.parquet".split()
WORDS = {"--scores": "s.csv", "--labels": "l.csv", "--metric": "m", "--dimension": "d", "--out": "out"}


@pytest.fixture
def call(monkeypatch, tmp_path, capsys):
    """Run the command line in a folder with scores and labels of 120 answers; gives exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(0)
    value, case = draw.normal(size=120), [f"c{i:03d}" for i in range(120)]
    label = (value + 0.7 * draw.logistic(size=120) > 0).astype(int)
    pd.DataFrame({"case_id": case, "metric": "m", "value": value}).to_csv("s.csv", index=False)
    labels = pd.DataFrame({"case_id": case, "dimension": "d", "rater": "ann", "label": label, "scale": "0-1"})
    labels.to_csv("l.csv", index=False)

    def run(**changed: str) -> tuple[int, str, str]:
        words = WORDS | {f"--{name.replace('_', '-')}": value for name, value in changed.items()}
        return called(["calibrate", *(word for pair in words.items() for word in pair)], monkeypatch, capsys)

    return run


def test_a_folder_is_written_and_its_files_are_named(call, tmp_path):
    code, out, _ = call()
    assert code in (0, None) and sorted(path.name for path in (tmp_path / "out").iterdir()) == FILES
    assert all(name in out for name in FILES) and "90 %" in out and "auroc" in out
