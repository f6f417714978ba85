"""What `make bench` prints: ratios within one run, since this or any shared machine is noisy."""

import tempfile
import time
from pathlib import Path

from ragassay import documents, evidence
from ragassay.example.assistant import open_assistant
from ragassay.models import cache, encoder
from ragassay.scores import METRICS, score

SIMILARITY = [name for name, metric in METRICS.items() if metric.model == "encoder"]


def seconds(action) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def main() -> None:
    """Encoding cold and warm, scoring against bare encoding of the same sentences."""
    import os

    import pandas as pd

    read, _ = documents.load(evidence.source("bundled:documents"))
    chunks = documents.chunk(read).head(200)
    texts = sorted({sentence for text in chunks.text for sentence in documents.sentences(text)})
    encoder.encode(["warm up"])
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RAGASSAY_CACHE"] = folder
        cold = seconds(lambda: encoder.encode(texts))
        warm = seconds(lambda: encoder.encode(texts))
        assert cache.location().parent == Path(folder)
    print(f"encoding {len(texts)} unique sentences: cold {cold:.1f} s, {len(texts) / cold:.0f} sentences/s; cold over warm {cold / warm:.0f}")
    ask = open_assistant()
    questions = chunks.text.str.split(".").str[0].head(60).tolist()
    answers = pd.DataFrame(
        [{"case_id": str(i), "system": "bank", "repeat": 0, "question": q, "error": "", **ask(q)} for i, q in enumerate(questions)]
    )
    score(answers.head(1), metrics=SIMILARITY)  # libraries are loaded once, before anything is timed
    sentences = sorted({s for contexts in answers.contexts for text in contexts for s in documents.sentences(text)} | set(questions))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RAGASSAY_CACHE"] = folder
        bare = seconds(lambda: encoder.encode(sentences))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RAGASSAY_CACHE"] = folder
        scoring = seconds(lambda: score(answers, metrics=SIMILARITY))
        again = seconds(lambda: score(answers, metrics=SIMILARITY))
    print(f"scoring {len(answers)} answers by {len(SIMILARITY)} metrics over bare encoding of their {len(sentences)} sentences: {scoring / bare:.2f}")
    print(f"scoring cold over warm: {scoring / again:.0f}")


if __name__ == "__main__":
    main()
