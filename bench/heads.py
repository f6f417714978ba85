"""How good are the heads that ship? Each measured through the library's own door, on data it did not learn
from, with 95 % intervals.

Data: `../shared/data` (nli, cola, toxicity, pii; see the README there), not part of the project. A part that
    is missing is skipped, and said so. entailment     nli/dev, and the rows of nli/breaking and nli/train
    that training/entailment.py keeps; intervals over premises
    acceptability  CoLA dev
    toxicity       the fifth of Davidson's tweets that training/toxicity.py keeps; intervals over tweets
    without their retweets
    entities       entity_prose.txt, sentences we wrote; on `pii` the head that ships learned from all texts,
    so the figures printed for it are
                   those its training found on templates left out
"""

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
sys.path.insert(0, str(ROOT / "training"))

import data  # noqa: E402
from ragassay import models  # noqa: E402
from ragassay.models import head_file  # noqa: E402

SPAN = re.compile(r"\[([pola]):([^\]]*)\]")
KINDS = {"p": "person", "o": "organisation", "l": "place", "a": "address"}


def main() -> int:
    """Print one line per figure."""
    for name, measure in (
        ("entailment", entailment),
        ("acceptability", acceptability),
        ("toxicity", toxicity),
        ("entities", entities),
    ):
        if head_file.find_head(name) is None:
            print(f"{name}: skipped, no such head here")
            continue
        try:
            measure()
        except FileNotFoundError as missing:
            print(f"{name}: skipped, {missing.filename} is not here; see the docstring for the source")
    return 0


def show(name: str, groups: Sequence[object], figure: Callable) -> None:
    value, low, high = data.interval(groups, figure)
    print(f"{name:52} {value:.3f} [{low:.3f}, {high:.3f}] n={len(groups)}", flush=True)


def entailment() -> None:
    import entailment as training

    dev = [(row["premise"], row["hypothesis"], row["label"]) for row in data.read(DATA / "nli/dev.jsonl.gz")]
    swaps = {(row["premise"], row["hypothesis"]) for row in data.read(DATA / "nli/breaking.jsonl.gz")}
    _, kept = training.human(DATA)
    for name, rows in (
        ("nli/dev", dev),
        ("nli/breaking, kept", [row for row in kept if row[:2] in swaps]),
        ("nli/train, kept", [row for row in kept if row[:2] not in swaps]),
    ):
        found = models.entail([row[:2] for row in rows]).probabilities.argmax(axis=1)
        right = found == np.array([training.LABELS.index(row[2]) for row in rows])
        show(
            f"entailment {name}, three-way accuracy",
            [row[0] for row in rows],
            lambda i, right=right: float(right[i].mean()),
        )


def acceptability() -> None:
    from sklearn.metrics import matthews_corrcoef, roc_auc_score

    rows = data.read(DATA / "cola/dev.jsonl.gz")
    found, truth = models.acceptable([row["text"] for row in rows]), np.array([row["label"] for row in rows])
    show(
        "acceptability CoLA dev, MCC at 0.5",
        range(len(rows)),
        lambda i: float(matthews_corrcoef(truth[i], found[i] > 0.5)),
    )
    show(
        "acceptability CoLA dev, AUROC", range(len(rows)), lambda i: float(roc_auc_score(truth[i], found[i]))
    )


def toxicity() -> None:
    from sklearn.metrics import roc_auc_score

    import toxicity as training

    rows = [row for row in data.read(DATA / "toxicity/davidson.jsonl.gz") if training.held(row)]
    found, truth = (
        models.toxic([row["text"] for row in rows]),
        np.array([row["label"] != "neither" for row in rows]),
    )
    groups = [training.group(row) for row in rows]
    show("toxicity Davidson, kept, AUROC", groups, lambda i: float(roc_auc_score(truth[i], found[i])))
    show(
        "toxicity Davidson, kept, `neither` above 0.5",
        groups,
        lambda i: float((found[i] > 0.5)[~truth[i]].mean()),
    )


def entities() -> None:
    import entities as training

    texts = [
        labelled(line)
        for line in (ROOT / "bench/entity_prose.txt").read_text(encoding="utf-8").splitlines()
        if line and line[0] != "#"
    ]
    found = models.entities([text for text, _ in texts])
    pairs = [
        ([(one.start, one.end, one.kind) for one in ours], spans)
        for ours, (_, spans) in zip(found, texts, strict=True)
    ]
    for kind in ("", *training.KINDS):
        show(
            f"entities prose of ours, {kind or 'span'} F1",
            range(len(pairs)),
            lambda i, kind=kind: training.f1([pairs[j] for j in i], kind),
        )
    for name, (value, low, high) in head_file.read(head_file.find_head("entities")).about["measured"].items():
        print(f"{'entities ' + name:52} {value:.3f} [{low:.3f}, {high:.3f}] (from its training)")


def labelled(line: str) -> tuple[str, list[tuple[int, int, str]]]:
    """A line with its marks taken away, and the spans they named."""
    text, spans, last = "", [], 0
    for mark in SPAN.finditer(line):
        text += line[last : mark.start()]
        spans.append((len(text), len(text) + len(mark[2]), KINDS[mark[1]]))
        text, last = text + mark[2], mark.end()
    return text + line[last:], spans


if __name__ == "__main__":
    sys.exit(main())
