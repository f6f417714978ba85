"""ONNX Runtime against torch: the same numbers? sooner? and do 8-bit weights keep the agreement with people's
labels?

    python bench/onnx_agreement.py [--data ../shared/data] [--heads lib/ragassay/models/heads] [--pairs 1000]

Each runtime works in a process and a cache of its own. Without the data only the numbers and the times are
compared.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ragassay import documents, models, provenance
from ragassay.models import head_file, onnx

MODES = onnx.RUNTIMES
SEED, TEXTS = 0, 300


def rows(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def own_sentences() -> list[str]:
    texts, _ = documents.load(provenance.source("bundled:documents"))
    return sorted({sentence for text in texts["text"] for sentence in documents.sentences(text)})[:TEXTS]


def heads(folder: Path, texts: list[str]) -> dict[str, Callable[[], np.ndarray]]:
    """What is asked of each head that is there."""
    pairs = list(zip(texts[1:], texts[:-1], strict=True))
    ask: dict[str, Callable[[str], np.ndarray]] = {
        "entailment": lambda model: models.entail(pairs, model=model).probabilities,
        "acceptability": lambda model: models.acceptable(texts, model=model),
        "toxicity": lambda model: models.toxic(texts, model=model),
        "entities": lambda model: np.array(
            [[one.start, one.end] for found in models.entities(texts, model=model) for one in found]
        ),
    }
    there = {
        name: str(folder / f"{name}.safetensors")
        for name in head_file.NAMES
        if (folder / f"{name}.safetensors").exists()
    }
    return {name: lambda name=name, model=model: ask[name](model) for name, model in there.items()}


def judged(data: Path, folder: Path, pairs: int) -> dict[str, Callable[[], np.ndarray]]:
    """Scores beside people's labels: BEGIN's groundedness, and the entailment head on nli/dev."""
    begin = rows(data / "begin/dev.jsonl.gz")
    nli = rows(data / "nli/dev.jsonl.gz")[:pairs]
    asked = [(row["premise"], row["hypothesis"]) for row in nli]
    found: dict[str, Callable[[], np.ndarray]] = {"BEGIN": lambda: groundedness(begin)}
    if (folder / "entailment.safetensors").exists():
        found["nli/dev"] = lambda: (
            models.entail(asked, model=str(folder / "entailment.safetensors")).probabilities
        )
    return found


def groundedness(begin: list[dict]) -> np.ndarray:
    """Mean best cosine of each answer's sentences with its contexts' sentences."""
    answers = [documents.sentences(row["answer"]) or [row["answer"]] for row in begin]
    contexts = [[s for text in row["contexts"] for s in documents.sentences(text)] for row in begin]
    texts = sorted({s for part in (*answers, *contexts) for s in part if s.strip()})
    vectors = dict(zip(texts, models.encode(texts), strict=True))
    best = [
        [max(float(vectors[a] @ vectors[c]) for c in context) for a in answer]
        for answer, context in zip(answers, contexts, strict=True)
    ]
    return np.array([np.mean(one) for one in best])


def work(given: argparse.Namespace) -> None:
    """One runtime's part: every score and the seconds it took, into a file."""
    texts = own_sentences()
    tasks: dict[str, Callable[[], np.ndarray]] = {
        "encoder": lambda: models.encode(texts),
        **heads(given.heads, texts),
    }
    tasks |= judged(given.data, given.heads, given.pairs) if (given.data / "nli").exists() else {}
    found = {}
    for warm_up in (lambda: models.encode(["warm up"]), *heads(given.heads, ["warm", "up"]).values()):
        warm_up()  # libraries, networks and exports are loaded before anything is timed
    for name, task in tasks.items():
        started = time.perf_counter()
        found[name] = task()
        found[f"seconds {name}"] = np.array(time.perf_counter() - started)
    np.savez(given.save, **found)


def compare(of: dict[str, dict[str, np.ndarray]], data: Path) -> None:
    """Print the largest difference from torch and the times of each task, then the agreement with the
    labels."""
    for name in [name for name in of["torch"] if not name.startswith("seconds")]:
        for mode in MODES[1:]:
            one, other = of["torch"][name], of[mode][name]
            off = (
                f"{np.abs(one - other).max():.1e}"
                if one.shape == other.shape
                else f"{len(one)} and {len(other)} found"
            )
            ratio = of["torch"][f"seconds {name}"] / of[mode][f"seconds {name}"]
            print(f"{name:14} {mode:9} largest difference {off:>8}, {ratio:.2f} times as fast")
    if "BEGIN" in of["torch"]:
        agreement(of, data)


def agreement(of: dict[str, dict[str, np.ndarray]], data: Path) -> None:
    from sklearn.metrics import roc_auc_score

    truth = np.array([row["label"] == "Fully attributable" for row in rows(data / "begin/dev.jsonl.gz")])
    for mode in MODES:
        said(
            f"BEGIN AUROC of similarity, {mode}",
            lambda drawn_rows, mode=mode: roc_auc_score(truth[drawn_rows], of[mode]["BEGIN"][drawn_rows]),
            len(truth),
        )
    if "nli/dev" in of["torch"]:
        names = np.array(
            [
                ("entailment", "neutral", "contradiction").index(row["label"])
                for row in rows(data / "nli/dev.jsonl.gz")
            ]
        )
        right = {
            mode: of[mode]["nli/dev"].argmax(axis=1) == names[: len(of[mode]["nli/dev"])] for mode in MODES
        }
        for mode in MODES:
            said(
                f"nli/dev accuracy, {mode}",
                lambda drawn_rows, mode=mode: right[mode][drawn_rows].mean(),
                len(right[mode]),
            )
        said(
            "nli/dev accuracy, onnx-int8 less torch",
            lambda drawn_rows: right["onnx-int8"][drawn_rows].mean() - right["torch"][drawn_rows].mean(),
            len(right["torch"]),
        )
    said(
        "BEGIN AUROC, onnx-int8 less torch",
        lambda drawn_rows: (
            roc_auc_score(truth[drawn_rows], of["onnx-int8"]["BEGIN"][drawn_rows])
            - roc_auc_score(truth[drawn_rows], of["torch"]["BEGIN"][drawn_rows])
        ),
        len(truth),
    )


def said(what: str, figure: Callable[[np.ndarray], float], n: int) -> None:
    """A figure with its 95 % bootstrap interval over rows."""
    rng = np.random.default_rng(SEED)
    drawn = [figure(rng.integers(0, n, n)) for _ in range(1000)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    print(f"{what}: {figure(np.arange(n)):.4f} [{low:.4f}, {high:.4f}] n={n}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--heads", type=Path, default=head_file.FOLDER)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--mode", choices=MODES)
    parser.add_argument("--save", type=Path)
    given = parser.parse_args()
    if given.mode:
        return work(given)
    of = {}
    for mode in MODES:
        with tempfile.TemporaryDirectory() as folder:
            where = {"RAGASSAY_CACHE": folder, "RAGASSAY_RUNTIME": mode}
            subprocess.run(
                [sys.executable, __file__, *sys.argv[1:], "--mode", mode, "--save", f"{folder}/found.npz"],
                env={**os.environ, **where},
                check=True,
            )
            of[mode] = dict(np.load(f"{folder}/found.npz"))
    return compare(of, given.data)


if __name__ == "__main__":
    main()
