"""The meaning guard: which perturbed questions still ask the same, and why the others are left out.

Every variant keeps the parent's names, numbers, negations and limits (`at least`, `before`). A rewording
(synonyms, grammar, paraphrase) has to follow from the parent and the parent from it, by the head of
entailment; it knows English. Surface noise (letters, capitals, marks, a greeting) breaks entailment although
no reader is misled: there no slip may make another word, and the letters stay near the parent's.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

import numpy as np
import pandas as pd

from ragassay import models
from ragassay.cases.perturbations import BY_MODEL, PERTURBATIONS, WORD, known_words, perturb, words_of
from ragassay.models.judge import make_judge

SAME_MEANING = 0.4  # least probability of entailment, both ways: chosen by bench/meaning_guard.py
READABLE = 0.8  # least share of letters in common where words are misspelt
UNCHANGED = "nothing to change"
_NUMBER = re.compile(r"(?<![^\W_])\d+(?:[.,:]\d+)*")
_NAME = re.compile(r"(?<=[^\W_] )(?:[A-Z][\w’'&-]*\d*)(?: [A-Z0-9][\w’'&-]*)*")
_LETTERS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")  # digits may have slipped in
_APART = re.compile(r"[\W_]+")


def guard_meaning(
    variants: pd.DataFrame,
    parents: pd.DataFrame,
    *,
    entities: Callable = models.entities,
    entail: Callable = models.entail,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The variants that still ask what their parents ask, and those that do not, with a column `reason`.

    Parameters
    ----------
    variants : of `perturb`; every `parent_id` is a `case_id` of `parents`
    """
    asked = dict(zip(parents["case_id"], parents["question"].astype(str), strict=True))
    names = {
        case_id: [one.text for one in own if one.kind != "address"] + _NAME.findall(text)
        for (case_id, text), own in zip(asked.items(), entities(list(asked.values())), strict=True)
    }
    rows = variants.to_dict("records")
    reasons = [
        reason_against(
            asked[row["parent_id"]], row["question"], row["kind"], row["language"], names[row["parent_id"]]
        )
        for row in rows
    ]
    judged = [i for i, row in enumerate(rows) if not reasons[i] and _is_reworded(row["kind"])]
    pairs = [(asked[rows[i]["parent_id"]], rows[i]["question"]) for i in judged]
    if pairs:
        both_ways = [*pairs, *((variant, parent) for parent, variant in pairs)]
        chances = entail(both_ways).probabilities[:, 0].reshape(2, -1).min(axis=0)
        for i, chance in zip(judged, chances, strict=True):
            reasons[i] = "does not follow both ways" if chance < SAME_MEANING else ""
    kept = np.array([not reason for reason in reasons], dtype=bool)
    rejected = variants[~kept].assign(reason=[reason for reason in reasons if reason])
    return variants[kept].reset_index(drop=True), rejected.reset_index(drop=True)


def reword(
    parents: pd.DataFrame, kinds: Sequence[str], *, judge: str = "", judge_model: str = "", seed: int = 0
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The questions put less well, once in each kind at its levels in turn: those that still ask the same,
    and those that `guard_meaning` leaves out, with a column `reason`.

    judge, judge_model : endpoint and name of a language model that paraphrases as well; "": no paraphrase

    Example: `variants, rejected = cases.reword(cases.sample_parents(asked, 40, 0), ["spelling", "casual"])`
    """
    writer, rng = make_judge(judge, judge_model, seed=seed), np.random.default_rng(seed)
    return guard_meaning(perturb(parents, rng, kinds=kinds, judge=writer), parents)


def _is_reworded(kind: str) -> bool:
    return kind == BY_MODEL or (kind in PERTURBATIONS and PERTURBATIONS[kind].reworded)


def reason_against(parent: str, variant: str, kind: str, language: str, names: Sequence[str]) -> str:
    """Why a variant is left out by its words and letters; "" where nothing is against it.

    names : what the parent calls by name
    """
    before, after = carried(parent, language), carried(variant, language)
    misspelt = kind in PERTURBATIONS and PERTURBATIONS[kind].misspelt
    own = {word.casefold() for word in WORD.findall(parent)}
    fresh = {word.casefold() for word in _LETTERS.findall(variant)} - own
    near = SequenceMatcher(None, parent.casefold(), variant.casefold(), autojunk=False)
    reasons = {  # the first that holds is told
        "emptied": not _APART.sub("", variant),
        UNCHANGED: variant.strip() == parent.strip(),
        "a number is changed": before["numbers"] != after["numbers"],
        "a negation is changed": before["negations"] != after["negations"],
        "a limit is changed": before["limiting"] != after["limiting"],
        "a name is changed": any(_letters(name) not in _letters(variant) for name in names),
        "a slip makes another word": misspelt and fresh & known_words(),
        "hard to read": misspelt and near.ratio() < READABLE,
        "no head judges this language": _is_reworded(kind) and language != "en",
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _letters(text: str) -> str:
    return f" {_APART.sub(' ', text.casefold()).strip()} "


def carried(text: str, language: str) -> dict[str, Counter[str]]:
    """What a question carries and may not lose: its numbers in digits and words, negations, limits."""
    words = [word.casefold().replace("’", "'") for word in WORD.findall(text)]
    negations = words_of("negations", language)
    negated = [word for word in words if word.endswith("n't") or word.replace("'", "") in negations]
    written = Counter(word for word in words if word in words_of("numbers", language))
    return {
        "numbers": Counter(_NUMBER.findall(text)) + written,
        "negations": Counter(["not"] * len(negated)),
        "limiting": Counter(word for word in words if word in words_of("limiting", language)),
    }
