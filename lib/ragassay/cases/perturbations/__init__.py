"""Perturbations: the same questions put less well, or otherwise (HCAT section 6.1, type 3).

question_edits  PERTURBATIONS: a function each; what of a question may be touched
meaning_guard   which still ask the same
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.cases import case_table
from ragassay.cases.perturbations.meaning_guard import guard_meaning
from ragassay.cases.perturbations.question_edits import BY_MODEL, PERTURBATIONS, Ask, paraphrase
from ragassay.stats.random_streams import random_base, random_stream

__all__ = ["LEVELS", "PERTURBATIONS", "guard_meaning", "perturb", "reword", "sample_parents"]
LEVELS = (1, 2, 3)


def sample_parents(cases: pd.DataFrame, n: int, seed: int) -> pd.DataFrame:
    """At most n of the answerable questions, 1 or more, drawn by seed, in the order of their ids; later turns
    of a conversation, which mean nothing alone, are left out."""
    parameter_ranges.check("n_parents", n, "in [1, inf)")
    alone = cases["answerable"].astype(bool)
    if "turn" in cases:
        alone &= ~(cases["turn"] > 1)
    return cases[alone].sample(min(n, int(alone.sum())), random_state=seed).sort_values("case_id")


def perturb(
    cases: pd.DataFrame, rng: np.random.Generator, *, kinds: Sequence[str] = (), judge: Ask | None = None
) -> pd.DataFrame:
    """Every case in every kind of perturbation at one of LEVELS (1 light, 3 heavy), the next level in the
    next kind (a Latin square): of as many kinds as levels, every case is asked at every level.

    A question in which a kind finds nothing to change comes back as it is, and may come back empty:
    `guard_meaning` sorts such rows out, with the reason. Each variant has a stream of random numbers of its
    own: it stays the same whatever else is made.

    Parameters
    ----------
    kinds : of PERTURBATIONS; none named: all
    judge : a language model (`models.judge.Judge`) that paraphrases as well; None: no paraphrase

    Raises
    ------
    ParameterError
        If a kind is unknown.
    """
    for kind in kinds:
        parameter_ranges.check("kinds", kind, f"one of {', '.join(PERTURBATIONS)}")
    base, turn = random_base(rng), np.arange(len(cases)) % len(LEVELS)
    tables = []
    for place, kind in enumerate(kinds or PERTURBATIONS):
        for at, level in enumerate(LEVELS):
            chosen = cases[(turn + place) % len(LEVELS) == at]
            texts = [
                PERTURBATIONS[kind].make(
                    question, str(language), level, random_stream(base, kind, str(level), str(case_id))
                )
                for case_id, question, language in chosen[["case_id", "question", "language"]].to_numpy()
            ]
            tables.append(_variants(chosen, kind, level, texts))
    if judge is not None:
        tables.append(_variants(cases, BY_MODEL, None, paraphrase(cases["question"].tolist(), judge)))
    return pd.concat(tables, ignore_index=True)


def _variants(cases: pd.DataFrame, kind: str, level: int | None, texts: Sequence[str]) -> pd.DataFrame:
    """The texts as a cases table, with the further columns of the cases they were made from."""
    mark = kind if level is None else f"{kind}-{level}"
    rows = [
        case_table.varied_case(case, kind, mark, text, level)
        for case, text in zip(cases.to_dict("records"), texts, strict=True)
    ]
    extra = [str(column) for column in cases if column not in case_table.COLUMNS]
    return case_table.cases_frame(rows, extra=extra)


def reword(
    parents: pd.DataFrame, kinds: Sequence[str], *, judge: str = "", judge_model: str = "", seed: int = 0
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The questions put less well, once in each kind at its levels in turn: those that still ask the same,
    and those that `guard_meaning` leaves out, with a column `reason`.

    judge, judge_model : endpoint and name of a language model that paraphrases as well; "": no paraphrase

    Example: `variants, rejected = cases.reword(cases.sample_parents(asked, 40, 0), ["spelling", "casual"])`
    """
    from ragassay.models.judge import make_judge

    writer, rng = make_judge(judge, judge_model, seed=seed), np.random.default_rng(seed)
    return guard_meaning(perturb(parents, rng, kinds=kinds, judge=writer), parents)
