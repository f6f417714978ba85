"""Ours beside `bert-score`, on the same pairs and the same encoder."""

import os
from collections.abc import Callable

import numpy as np
import pandas as pd

from ragassay.models import encoder
from ragassay.scores import score
from ragassay.scores.text_reading import citation_grammar

LAYERS = 6  # of the default encoder; the last one's states are compared


def bert_score(answers: pd.DataFrame, cold: Callable, told: Callable) -> None:
    """Print the time of `bertscore_f1`, nothing known beforehand, over that of bert-score, and how far their
    F1 agree; the package may be absent."""
    try:
        from bert_score import BERTScorer
    except ImportError:
        print("ours over bert-score: skipped, bert-score is not installed (pip install -e .[bench])")
        return
    import torch

    said = [
        citation_grammar.strip(answer, frozenset(ids))
        for answer, ids in zip(answers["answer"], answers["context_ids"], strict=True)
    ]
    meant = answers["reference_answer"].tolist()
    scorer = BERTScorer(model_type=str(encoder.folder(encoder.DEFAULT)), num_layers=LAYERS, device="cpu")
    found: dict[str, np.ndarray] = {}
    own = torch.get_num_threads()  # one: ours computes batches side by side instead

    def ours() -> None:
        found["ours"] = score(answers, metrics=["bertscore_f1"])["value"].to_numpy()

    def theirs() -> None:
        torch.set_num_threads(os.cpu_count() or 1)
        found["theirs"] = scorer.score(said, meant)[2].numpy()
        torch.set_num_threads(own)

    theirs()  # once before anything is timed
    told(
        f"bertscore_f1, {len(said)} pairs, ours over bert-score",
        [(cold(ours), cold(theirs)) for _ in range(3)],
    )
    apart = np.abs(found["ours"] - found["theirs"])
    print(
        f"  their F1 and ours: correlation {np.corrcoef(found['ours'], found['theirs'])[0, 1]:.4f}, mean "
        f"difference {apart.mean():.4f}",
        end=" ",
    )
    print("(bert-score lets a token match [CLS] and [SEP])")
