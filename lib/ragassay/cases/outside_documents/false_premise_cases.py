"""Questions that take for true what a passage says is false, as cases
(`rule_questions/false_premises.py`)."""

import numpy as np
import pandas as pd

from ragassay import documents, parameter_ranges
from ragassay.cases import case_table, question_filter
from ragassay.cases.contradicting_passages import FIGURE
from ragassay.cases.rule_questions import askable_units, candidate_rows, word_forms
from ragassay.cases.rule_questions import false_premises as forms

KINDS = {forms.ALLOWED: "false_permission"}  # of a family; of any other
KIND = "false_premise"
ALIKE = 0.6  # share of a sentence's words without figures, by rarity, from which another speaks of the same


def false_premises(chunks: pd.DataFrame, n: int, rng: np.random.Generator) -> pd.DataFrame:
    """At most n questions, one of a passage, that presuppose a changed figure or a ban that there is not
    (kind false_premise), or that something ruled out is allowed (kind false_permission).

    `reference_answer` is the sentence that corrects the premise, `key_fact` its figure (empty where none
    was changed); not answerable. Left out are those where another passage says nearly the same with
    another figure: there the premise might be true. English alone.
    """
    parameter_ranges.check("n_false_premises", n, "in [1, inf)")
    vocabulary = word_forms.small_words(chunks["text"])
    made = (
        candidate
        for unit in askable_units.read(chunks)[0]
        if unit.language == "en"
        for candidate in forms.questions(unit, vocabulary, rng)
    )
    found = _undisputed(candidate_rows.well_formed(made), chunks["text"].tolist())
    first = list({row["chunk_id"]: row for row in reversed(found)}.values())[::-1]
    drawn = [first[i] for i in sorted(rng.choice(len(first), size=min(n, len(first)), replace=False))]
    same = {"answer_type": "no_answer", "answerable": False}
    listed = [
        row | same | {"case_id": f"f-{i:04d}", "kind": KINDS.get(row["family"], KIND)}
        for i, row in enumerate(drawn, start=1)
    ]
    return case_table.cases_frame(listed, extra=["key_fact", "family"])


def _undisputed(made: list[dict], texts: list[str]) -> list[dict]:
    """The rows whose sentence no other of the passages nearest to it tells with another figure."""
    index, said = question_filter.Index(texts), [documents.sentences(text) for text in texts]
    return [row for row in made if not _disputed(row["reference_answer"], said, index)]


def _disputed(truth: str, said: list[list[str]], index: question_filter.Index) -> bool:
    bare = FIGURE.sub("", truth)
    alike = (one for i in index.top(bare) for one in said[i] if index.share(bare, one) > ALIKE)
    figures = sorted(FIGURE.findall(truth))
    return any(sorted(FIGURE.findall(one)) != figures for one in alike)
