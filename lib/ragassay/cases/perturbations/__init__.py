"""Perturbations: the same questions put less well, or otherwise (HCAT section 6.1, type 3).

question_edits  what may be touched at all, and a function a way to touch it
meaning_guard   which still ask the same

A new one is a function from question, language, level and rng to a question in question_edits, and its row in
PERTURBATIONS. Their words are `data/perturbations.json` and `data/question_synonyms.txt`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.cases import case_table
from ragassay.cases.perturbations import question_edits
from ragassay.cases.perturbations.meaning_guard import guard_meaning, rejected_by_kind
from ragassay.cases.perturbations.question_edits import SHARES, Ask, paraphrase
from ragassay.errors import ParameterError
from ragassay.stats.random_streams import random_base, random_stream

__all__ = [
    "LEVELS",
    "PERTURBATIONS",
    "Perturbation",
    "guard_meaning",
    "perturb",
    "rejected_by_kind",
    "reword",
    "sample_parents",
]
LEVELS = (1, 2, 3)
BY_MODEL = "paraphrase"
_SHARES = tuple(f"{share:.0%} of the words" for share in SHARES.values())
_PLACES = ("one place", "two places", "three places")


@dataclass(frozen=True)
class Perturbation:
    """A way to put a question: `make(question, language, level, rng)` gives the text, the same one where it
    finds nothing to change. `levels`: what 1, 2 and 3 mean; one entry where it has no levels."""

    make: Callable[[str, str, int, np.random.Generator], str]
    levels: tuple[str, ...]

    @property
    def graded(self) -> bool:
        """Whether it has levels."""
        return len(self.levels) > 1


PERTURBATIONS = {  # kind of the perturbed cases -> how they are made
    "spelling": Perturbation(question_edits.add_slips, _SHARES),
    "ocr": Perturbation(question_edits.misread, _SHARES),
    "case": Perturbation(question_edits.change_case, ("small letters", "capitals", "both at random")),
    "punctuation": Perturbation(
        question_edits.change_marks, ("no mark at the end", "no marks", "stray marks")
    ),
    "dropped_words": Perturbation(question_edits.drop_words, _PLACES),
    "swapped_words": Perturbation(question_edits.swap_words, _PLACES),
    "grammar": Perturbation(question_edits.make_errors, _PLACES),
    "casual": Perturbation(
        question_edits.make_casual, ("an opening word", "also small letters, no marks", "also short forms")
    ),
    "text_speak": Perturbation(question_edits.shorten_words, _PLACES),
    "contractions": Perturbation(question_edits.contract, ("wherever there can be one",)),
    "synonyms": Perturbation(question_edits.use_synonyms, _PLACES),
    "reordering": Perturbation(question_edits.reorder_clauses, ("one clause moved",)),
    "language_mix": Perturbation(
        question_edits.mix_languages,
        ("a foreign greeting", "also two foreign words", "also thanks and four words"),
    ),
}


def sample_parents(cases: pd.DataFrame, n: int, seed: int) -> pd.DataFrame:
    """At most n of the answerable questions, 1 or more, drawn by seed, in the order of their ids; later turns
    of a conversation, which mean nothing alone, are left out."""
    parameter_ranges.check("n_parents", n, "in [1, inf)")
    drawn_from = cases[may_be_parents(cases)]
    return drawn_from.sample(min(n, len(drawn_from)), random_state=seed).sort_values("case_id")


def may_be_parents(cases: pd.DataFrame) -> pd.Series:
    """Which questions `sample_parents` draws from, each with the same chance: answerable ones that mean
    something alone."""
    known = cases["answerable"].astype(bool)
    return known & ~(cases["turn"] > 1) if "turn" in cases else known


def perturb(
    cases: pd.DataFrame,
    intensities: Sequence[float],
    rng: np.random.Generator,
    *,
    kinds: Sequence[str] = (),
    judge: Ask | None = None,
    in_turn: bool = False,
) -> pd.DataFrame:
    """Every case in every way there is: at each level what has levels, once what has none.

    A question in which a kind finds nothing to change comes back as it is, and may come back empty:
    `guard_meaning` sorts such rows out, with the reason. Each variant has a stream of random numbers of its
    own: it stays the same whatever else is made.

    Parameters
    ----------
    intensities : levels 1 (light), 2, 3 (heavy); what they mean: PERTURBATIONS
    kinds : of PERTURBATIONS; none named: all
    judge : a language model (`models.judge.Judge`) that paraphrases as well; None: no paraphrase
    in_turn : each case in each kind at one of its levels alone, the next level in the next kind (a Latin
        square): of as many kinds as levels, every case is asked at every level

    Raises
    ------
    ParameterError
        If a level is not 1, 2 or 3, or a kind is unknown.
    """
    levels, base = _levels(intensities), random_base(rng)
    turn = np.arange(len(cases)) % len(levels)
    tables = []
    for place, kind in enumerate(_kinds(kinds)):
        for at, level in enumerate(levels if PERTURBATIONS[kind].graded else [None]):
            chosen = cases[(turn + place) % len(levels) == at] if in_turn and level else cases
            tables.append(_variants(chosen, kind, level, base))
    if judge is not None:
        texts = paraphrase(cases["question"].tolist(), judge)
        tables.append(_frame(cases, BY_MODEL, None, texts))
    return pd.concat(tables, ignore_index=True)


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
    return guard_meaning(perturb(parents, LEVELS, rng, kinds=kinds, judge=writer, in_turn=True), parents)


def _levels(intensities: Sequence[float]) -> list[int]:
    for level in intensities:
        if level not in LEVELS:
            raise ParameterError(
                "intensities are levels", where="intensities", found=repr(level), expected="in [1, 3]"
            )
    return [int(level) for level in intensities]


def _kinds(kinds: Sequence[str]) -> Sequence[str]:
    for kind in kinds:
        parameter_ranges.check("kinds", kind, f"one of {', '.join(PERTURBATIONS)}")
    return kinds or tuple(PERTURBATIONS)


def _variants(cases: pd.DataFrame, kind: str, level: int | None, base: int) -> pd.DataFrame:
    texts = [
        PERTURBATIONS[kind].make(
            question, str(language), level or 1, random_stream(base, kind, str(level), str(case_id))
        )
        for case_id, question, language in cases[["case_id", "question", "language"]].to_numpy()
    ]
    return _frame(cases, kind, level, texts)


def _frame(cases: pd.DataFrame, kind: str, level: int | None, texts: Sequence[str]) -> pd.DataFrame:
    """The texts as a cases table, with the further columns of the cases they were made from."""
    mark = kind if level is None else f"{kind}-{level}"
    rows = [
        case_table.varied_case(case, kind, mark, text, level)
        for case, text in zip(cases.to_dict("records"), texts, strict=True)
    ]
    extra = [str(column) for column in cases if column not in case_table.COLUMNS]
    return case_table.cases_frame(rows, extra=extra)
