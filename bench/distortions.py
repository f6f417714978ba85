"""Does entailment learn to hear facts distorted in free words? Writes bench/distortions.json.

python bench/distortions.py [--start HEAD] [--heads FOLDER] [--data ../shared/data]

Sentences told again rightly and wrongly (training/distorted_pairs) stand in six batches. Three times two of
them are left out, and from HEAD (`entailment_aligned`, unless named, which has learned none of them, as
`entailment` has) a second stage learns from the other four (training/aligned.py); each batch is then judged
by `models.entail` with HEAD (before) and with the head that has not learned from it (after). What the second
stage costs elsewhere: nli/dev, mean of the three heads.
FOLDER keeps the heads, and those found there are not trained again.
"""

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "training"))

import data  # noqa: E402
import distortions as training  # noqa: E402
import entailment  # noqa: E402
from distortions import Judged, Retelling  # noqa: E402
from ragassay import models  # noqa: E402

FOLDS, UNTOLD = 3, data.TEACHERS / "entailment_aligned.safetensors"


def main() -> int:
    """Print and write every figure."""
    given = data.arguments(__doc__, start="", heads="", threads=1)
    parts = folds(training.retellings())
    with tempfile.TemporaryDirectory() as temporary:
        kept = Path(given.heads or temporary)
        first = str(_start(given))
        heads = [
            _left_out(part, kept / f"fold{number}.safetensors", given) for number, part in enumerate(parts)
        ]
        before = training.judge([one for part in parts for one in part], first)
        after = joined([training.judge(part, head) for part, head in zip(parts, heads, strict=True)])
        found = training.report(before, after) | {"nli/dev": elsewhere(first, heads, given.data)}
    text = json.dumps(found, indent=1)
    (ROOT / "bench/distortions.json").write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0


def elsewhere(first: str, heads: Sequence[str], folder: Path) -> dict[str, list[float]]:
    """Three-way accuracy on nli/dev before, after (mean of the heads), and the difference; intervals over
    premises."""
    pairs = entailment.as_pairs(data.read(folder / "nli/dev.jsonl.gz"))
    old, new = _right(pairs, [first]), _right(pairs, heads)
    premises = [pair[0] for pair in pairs]
    columns = {"before": old, "after": new, "difference": new - old}
    return {
        name: data.interval(premises, lambda rows, right=right: float(right[rows].mean()))
        for name, right in columns.items()
    }


def _right(pairs: Sequence[training.Pair], heads: Sequence[str]) -> NDArray:
    """Share of the heads that give each pair its label, (n,)."""
    truth = [training.LABELS.index(pair[2]) for pair in pairs]
    texts = [pair[:2] for pair in pairs]
    said = [models.entail(texts, model=head).probabilities.argmax(axis=1) for head in heads]
    return np.mean([one == truth for one in said], axis=0)


def folds(told: Sequence[Retelling]) -> list[list[Retelling]]:
    """The retellings of the batches that are left out together."""
    batches = sorted({one.batch for one in told})
    return [[one for one in told if one.batch in batches[place::FOLDS]] for place in range(FOLDS)]


def joined(parts: Sequence[Judged]) -> Judged:
    """All parts as one."""
    told = [one for part in parts for one in part.told]
    return Judged(told, *(np.concatenate([part[side] for part in parts]) for side in (1, 2)))


def _start(given) -> Path:
    return Path(given.start or UNTOLD)


def _left_out(left: Sequence[Retelling], head: Path, given) -> str:
    """The head that has learned from the other batches alone, trained if it is not there."""
    if not head.is_file():
        _train([one for one in training.retellings() if one not in set(left)], head, given)
    return str(head)


def _train(told: Sequence[Retelling], head: Path, given) -> None:
    import torch

    import aligned
    import loop
    import network
    from ragassay.models import head_file

    torch.set_num_threads(given.threads)
    tokenizer, encoder = loop.encoder()
    model = aligned.Aligned(encoder, aligned.RANK)
    network.start_from(model, _start(given))
    read = entailment.Reader(tokenizer)
    aligned.second_stage(model, read, aligned.pairs(given.data), training.pairs(told))
    head.parent.mkdir(parents=True, exist_ok=True)
    head_file.write(head, dict(network.trained(model)), aligned.about([], {}) | {"seed": aligned.SEED})


if __name__ == "__main__":
    sys.exit(main())
