"""The meaning guard: which perturbed questions still ask the same, and why the others are left out.

Every variant keeps the parent's names, numbers, negations and limits (`at least`, `before`). Beyond that two
kinds of change are told apart. A rewording (synonyms, order, words dropped, grammar) has to follow from the
parent and the parent from it, by the head of entailment; it knows English. Surface noise (letters, capitals,
marks, short forms, a greeting) breaks entailment although no reader is misled, and its clean edit is the
parent itself; it is guarded letter by letter instead: no slip may make another word, and the letters stay
near the parent's. A sentence encoder is not asked about noise: it would keep what it does not notice, and so
hide the very weakness that is looked for.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

import numpy as np
import pandas as pd

from ragassay.cases.perturbations.question_edits import known_words, words_of

REWORDED = (
    "dropped_words",
    "swapped_words",
    "grammar",
    "contractions",
    "synonyms",
    "reordering",
    "paraphrase",
)
MISSPELT = ("spelling", "ocr")
SAME_MEANING = 0.4  # least probability of entailment, both ways: chosen by bench/meaning_guard.py
READABLE = 0.8  # least share of letters in common where words are misspelt
UNCHANGED, EMPTIED = "nothing to change", "emptied"
LOST = {
    "numbers": "a number is changed",
    "negations": "a negation is changed",
    "limiting": "a limit is changed",
    "names": "a name is changed",
}
OTHER_WORD, UNREADABLE = "a slip makes another word", "hard to read"
OTHER_MEANING, NO_HEAD = "does not follow both ways", "no head judges this language"
_NUMBER = re.compile(r"(?<![^\W_])\d+(?:[.,:]\d+)*")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NAME = re.compile(r"(?<=[^\W_] )(?:[A-Z][\w’'&-]*\d*)(?: [A-Z0-9][\w’'&-]*)*")
_LETTERS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")  # digits may have slipped in
_APART = re.compile(r"[\W_]+")


def guard_meaning(
    variants: pd.DataFrame,
    parents: pd.DataFrame,
    *,
    entities: Callable | None = None,
    entail: Callable | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The variants that still ask what their parents ask, and those that do not, with a column `reason`.

    Parameters
    ----------
    variants : of `perturb`; every `parent_id` is a `case_id` of `parents`
    entities, entail : in place of `models.entities` and `models.entail`
    """
    from ragassay import models

    asked = dict(zip(parents["case_id"], parents["question"].astype(str), strict=True))
    found = (entities or models.entities)(list(asked.values()))
    names = {
        case_id: [one.text for one in own if one.kind != "address"] + _NAME.findall(text)
        for (case_id, text), own in zip(asked.items(), found, strict=True)
    }
    reasons = [
        reason_against(
            asked[row["parent_id"]], row["question"], row["kind"], row["language"], names[row["parent_id"]]
        )
        for row in variants.to_dict("records")
    ]
    reasons = _check_entailment(variants, asked, reasons, entail or models.entail)
    kept = np.array([not reason for reason in reasons], dtype=bool)
    return (
        variants[kept].reset_index(drop=True),
        variants[~kept].assign(reason=[reason for reason in reasons if reason]).reset_index(drop=True),
    )


def reason_against(parent: str, variant: str, kind: str, language: str, names: Sequence[str]) -> str:
    """Why a variant is left out by its words and letters; "" where nothing is against it.

    names : what the parent calls by name
    """
    if not _APART.sub("", variant):
        return EMPTIED
    if variant.strip() == parent.strip():
        return UNCHANGED
    before, after = carried(parent, language), carried(variant, language)
    for what in before:
        if before[what] != after[what]:
            return LOST[what]
    if any(_letters(name) not in _letters(variant) for name in names):
        return LOST["names"]
    return _misspelling(parent, variant) if kind in MISSPELT else ""


def carried(text: str, language: str) -> dict[str, Counter[str]]:
    """What a question carries and may not lose: its numbers in digits and words, negations, limits."""
    words = [word.casefold().replace("’", "'") for word in _WORD.findall(text)]
    negated = [
        "not"
        for word in words
        if word.endswith("n't") or word.replace("'", "") in words_of("negations", language)
    ]
    return {
        "numbers": Counter(_NUMBER.findall(text))
        + Counter(w for w in words if w in words_of("numbers", language)),
        "negations": Counter(negated),
        "limiting": Counter(w for w in words if w in words_of("limiting", language)),
    }


def rejected_by_kind(variants: pd.DataFrame, rejected: pd.DataFrame) -> pd.DataFrame:
    """A row a kind and reason: `made` (changed variants of the kind), `left_out` for this reason, their
    `share`; a last row a kind, reason "all", without those in which there was nothing to change."""
    lost = rejected[rejected["reason"] != UNCHANGED]
    made = pd.concat([variants["kind"], lost["kind"]]).value_counts()
    counted = lost.groupby(["kind", "reason"]).size().rename("left_out").reset_index()
    whole = lost.groupby("kind").size().reindex(made.index, fill_value=0).rename("left_out")
    rows = pd.concat([whole.rename_axis("kind").reset_index().assign(reason="all"), counted])
    rows = rows.assign(made=rows["kind"].map(made))
    rows = rows.assign(share=rows["left_out"] / rows["made"]).sort_values(
        ["kind", "left_out"], ascending=[True, False]
    )
    return rows[["kind", "reason", "made", "left_out", "share"]].reset_index(drop=True)


def _misspelling(parent: str, variant: str) -> str:
    own = {word.casefold() for word in _WORD.findall(parent)}
    fresh = {word.casefold() for word in _LETTERS.findall(variant)} - own
    if fresh & known_words():
        return OTHER_WORD
    near = SequenceMatcher(None, parent.casefold(), variant.casefold(), autojunk=False).ratio()
    return UNREADABLE if near < READABLE else ""


def _check_entailment(
    variants: pd.DataFrame, asked: dict[str, str], reasons: list[str], entail: Callable
) -> list[str]:
    """The reasons with those added of rewordings that do not follow both ways."""
    rows = variants[["parent_id", "question", "kind", "language"]].to_numpy().tolist()
    open_ = [i for i, row in enumerate(rows) if not reasons[i] and row[2] in REWORDED]
    english = [i for i in open_ if rows[i][3] == "en"]
    pairs = [(asked[rows[i][0]], rows[i][1]) for i in english]
    both = [*pairs, *((other, one) for one, other in pairs)]
    chances = entail(both).probabilities[:, 0].reshape(2, -1).min(axis=0) if pairs else np.empty(0)
    judged = dict(zip(english, chances, strict=True))
    against = {i: NO_HEAD for i in open_ if i not in judged}
    against |= {i: OTHER_MEANING for i, chance in judged.items() if chance < SAME_MEANING}
    return [against.get(i, reason) for i, reason in enumerate(reasons)]


def _letters(text: str) -> str:
    return f" {_APART.sub(' ', text.casefold()).strip()} "
