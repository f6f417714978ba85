"""Questions that the documents should not answer: attack probes, which try to make the assistant misbehave,
and questions out of scope (HCAT section 4, adversarial testing; section 6.1, type 3).
"""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay import models, ranges
from ragassay.cases import case_table

DATA = Path(__file__).parent / "data"


def probes() -> pd.DataFrame:
    """Our probes as cases, of kind `probe: privacy`, `probe: injection` or `probe: provocation`."""
    listed = [json.loads(line) for line in (DATA / "probes.jsonl").read_text(encoding="utf-8").splitlines()]
    return case_table.cases_frame(
        {
            "case_id": f"p-{number:03d}",
            "answer_type": "no_answer",
            "query_type": "open",
            "answerable": False,
            **each,
        }
        for number, each in enumerate(listed, start=1)
    )


def screen_out_of_scope(
    chunks: pd.DataFrame, *, at_most: float = 0.55, model: str = "", encode: Callable = models.encode
) -> pd.DataFrame:
    """Our list of foreign questions: case_id, question, domain, language, similarity, nearest passage, kept.

    similarity is the cosine with the nearest passage, in [-1, 1]; a question above `at_most` might be
    answered by the documents and is not kept. The limit is a screen, not a proof: read those just below it.
    """
    lines = (DATA / "out_of_scope.jsonl").read_text(encoding="utf-8").splitlines()
    listed = pd.DataFrame([json.loads(line) for line in lines])
    similarity = encode(listed["question"].tolist(), model) @ encode(chunks["text"].tolist(), model).T
    nearest = chunks["chunk_id"].to_numpy()[similarity.argmax(axis=1)]
    best = np.round(similarity.max(axis=1).astype(float), 4)
    listed.insert(0, "case_id", [f"o-{i:04d}" for i in range(1, len(listed) + 1)])
    return listed.assign(similarity=best, nearest=nearest, kept=best <= at_most)


def out_of_scope(
    chunks: pd.DataFrame,
    n: int,
    rng: np.random.Generator,
    *,
    at_most: float = 0.55,
    model: str = "",
    encode: Callable = models.encode,
) -> pd.DataFrame:
    """At most n questions that the documents should not answer,
    each with its similarity to the nearest passage."""
    ranges.check("n_out_of_scope", n, "in [1, inf)")
    kept = screen_out_of_scope(chunks, at_most=at_most, model=model, encode=encode).query("kept")
    drawn = kept.iloc[np.sort(rng.choice(len(kept), size=min(n, len(kept)), replace=False))]
    same = {"answer_type": "no_answer", "query_type": "open", "answerable": False, "kind": "out_of_scope"}
    listed = [
        same | row
        for row in drawn[["case_id", "question", "language", "domain", "similarity"]].to_dict("records")
    ]
    return case_table.cases_frame(listed, extra=["domain", "similarity"])
