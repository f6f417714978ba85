"""What notebooks 03 and 05 cost on the example beside bare encoding of their texts:
python bench/notebook_cost.py FOLDER [--params params/bank.yml]

Notebooks 00, 01 and 02 are executed first, with an empty cache, in FOLDER (minutes); then 03 and 05, each
measured in processor seconds of all its processes. Their texts are the sentences that no earlier notebook
had: of the questions asked and the answers given in them, and of the passages changed, made and planted for
them (0.18 of all tokens). Bare encoding is of those, and twice that is what 03 and 05 may take. Written
beside: what notebook 06 takes, most of which is the start of a kernel. Some 24 s of 03 and 05 are the
assistant's own process, which is asked 3,700 questions.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pandas as pd
import yaml

from ragassay import models
from ragassay.documents import sentences
from run import cold

HERE = Path(__file__).resolve().parent
TEXTS = (  # where the tables hold texts
    *(("chunks", "text"), ("cases", "question"), ("cases", "passages")),
    *(("answers", "answer"), ("answers", "contexts")),
)
BEFORE, MEASURED = ("00_scope", "01_test_generation", "02_functionality"), ("03_risk_safety", "05_robustness")
AFTER = ("04_calibration", "06_weakness")


def main() -> None:
    """Execute, measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--params", type=Path, default=HERE.parent / "params" / "bank.yml")
    given = parser.parse_args()
    (given.folder / "run").mkdir(parents=True)
    os.environ["RAGASSAY_CACHE"] = str(given.folder / "cache")
    sections = yaml.safe_load(given.params.read_text(encoding="utf-8"))
    known: set[str] = set()
    spent = {}
    for name in (*BEFORE, *MEASURED, *AFTER):
        known = texts_of(given.folder / "run") if name == MEASURED[0] else known
        spent[name] = executed(name, given.folder, sections.get(name, {}))
    new = sorted(texts_of(given.folder / "run") - known)
    bare = cold(lambda: models.encode(new)).cpu
    ratio = sum(spent[name] for name in MEASURED) / bare
    found = {
        "cpu_s": spent,
        "texts": len(new),
        "bare_encoding_cpu_s": round(bare, 1),
        "ratio": round(ratio, 2),
    }
    print(json.dumps(found, indent=1))


def executed(name: str, folder: Path, section: dict) -> float:
    """Execute one notebook by papermill; processor seconds of all its processes."""
    before = _of_children()
    book, values = HERE.parent / "notebooks" / f"{name}.ipynb", yaml.safe_dump(section | {"run_dir": "run"})
    asked = [str(book.resolve()), f"{name}.ipynb", "-y", values, "--no-progress-bar"]
    subprocess.run([sys.executable, "-m", "papermill", *asked], cwd=folder, check=True)
    return round(_of_children() - before, 1)


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def texts_of(run_dir: Path) -> set[str]:
    """The sentences of every question, answer and passage in the tables of a run."""
    read = [
        pd.read_parquet(path).get(column, pd.Series()).explode().dropna()
        for name, column in TEXTS
        for path in (run_dir / "tables").glob(f"{name}*.parquet")
    ]
    return {sentence for texts in read for text in set(texts) if text for sentence in sentences(text)}


if __name__ == "__main__":
    main()
