"""How well are whole answers read as answered, hedged or declined? Writes bench/refusals.json.

whole     the answers we wrote (training/answer_sentences) read as scores/text_reading/answer_state.py reads
          them, clauses of declining sentences included, each by a head that has not learned from its batch;
          and the share that passes as an explicit refusal
MTRAG     `../shared/data/mtrag_human`, learned by nothing here (but see answer_state.py on thresholds): how
          many answers are read as answered, hedged, declined, by the answerability of their case
"""

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
ANSWERS = ROOT.parent / "shared/data/mtrag_human/dev.jsonl.gz"
sys.path.insert(0, str(ROOT / "training"))

import data  # noqa: E402
import refusals as training  # noqa: E402
from ragassay.scores.text_reading import answer_state  # noqa: E402


def main() -> None:
    """Print and write every figure."""
    found: dict[str, object] = {"whole": whole()}
    if ANSWERS.exists():
        read = (f"{row['answerability']}, {answer_state.state(row['answer'])}" for row in data.read(ANSWERS))
        found["MTRAG"] = dict(sorted(Counter(read).items()))
    text = json.dumps(found, indent=1, ensure_ascii=False)
    (ROOT / "bench/refusals.json").write_text(text + "\n", encoding="utf-8")
    print(text)


def whole() -> dict[str, object]:
    """The figures of whole answers."""
    everything = training.answers()
    parts = np.array([training.part(i, one) for i, one in enumerate(everything)])
    heads = {part: left_out_head(everything, parts != part) for part in set(parts) - {training.ALWAYS}}
    written = [one for one in everything if one.batch not in training.APART]
    truth = np.array([training.STATES.index(training.true_state(w.labels)) for w in written])
    read, explicit = read_whole(written, parts[parts != training.ALWAYS], heads)
    english = np.array([one.language == "en" for one in written])
    found: dict[str, object] = {}
    for name, kept in (("English", english), ("other languages", ~english)):
        passes, rest = "passes as an explicit refusal", explicit[kept]
        figures = training.FIGURES | {
            f"declined, and {passes}": lambda t, r, i, rest=rest: rest[i][t[i] == 2].mean(),
            f"asserts, and {passes}": lambda t, r, i, rest=rest: rest[i][t[i] < 2].mean(),
        }
        found |= training.of_slice(name, truth, read, kept, figures)
    return found


def read_whole(written: list, parts: NDArray, heads: dict) -> tuple[NDArray, NDArray]:
    """The place of every answer's state in STATES, and whether it refuses explicitly, each read by the head
    that left its part out."""
    read, explicit = np.empty(len(written), dtype=int), np.empty(len(written), dtype=bool)
    for part, head in heads.items():
        answer_state.read.cache_clear()
        with mock.patch.object(answer_state, "refusals", head):
            for i in np.flatnonzero(parts == part):
                text, language = " ".join(written[i].sentences), written[i].language
                read[i] = training.STATES.index(answer_state.state(text, language))
                explicit[i] = answer_state.refuses_explicitly(text, language)
    answer_state.read.cache_clear()
    return read, explicit


def left_out_head(written: list, learned: NDArray) -> Callable[[list[str]], NDArray]:
    """What scores sentences as the shipped head does, having learned from these answers alone."""
    kept = [one for one, learn in zip(written, learned, strict=True) if learn]
    idf, weights, bias = training.learned_from(kept)
    return lambda texts: training.rows_of(training.counts(texts), idf) @ weights.T + bias


if __name__ == "__main__":
    main()
