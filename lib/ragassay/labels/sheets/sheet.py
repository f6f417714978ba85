"""Sheets to be labelled: one row per answer, blinded to system and score, in each rater's own order."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay import provenance
from ragassay.errors import InputError, ParameterError
from ragassay.labels import human_labels
from ragassay.labels.dimensions import Dimension
from ragassay.labels.labels_file import RANDOM
from ragassay.sanitized_text import clean
from ragassay.tables import is_missing

LONGEST = 32_000  # a cell of Excel holds 32,767 characters
_RATER = re.compile(r"\w[\w .@-]{0,59}")


@dataclass(frozen=True)
class Task:
    """One answer to be judged.

    row : tells the answer to the importer, and neither its case nor its system to the rater
    answer_sha256 : hash of the answer's text, by which a label knows its answer
    """

    row: str
    question: str
    answer: str
    contexts: tuple[str, ...] | None  # None where it is not known what was retrieved
    answer_sha256: str


@dataclass(frozen=True)
class Sheet:
    """What one rater is given: tasks in order, dimensions, the guide;
    `rater` is empty where it is not yet known who.
    """

    tasks: tuple[Task, ...]
    dimensions: tuple[Dimension, ...]
    guide: tuple[str, ...]
    rater: str = ""


def row_id(case_id: str, system: str, drawn: str) -> str:
    """The name of a row: a hash of case, system and how the answer was drawn, so that the sheet shows none of
    the three.
    """
    return (
        "r-"
        + hashlib.sha256("\0".join((case_id, system, drawn)).encode("utf-8", "surrogatepass")).hexdigest()[
            :16
        ]
    )


def labellable(answers: pd.DataFrame) -> pd.DataFrame:
    """The answers that can be labelled: first repeats that did not fail."""
    first = answers[answers["repeat"] == 0] if "repeat" in answers else answers
    failed = (
        first["error"].fillna("").astype(str) != ""
        if "error" in first
        else pd.Series(False, index=first.index)
    )
    return first[~failed].reset_index(drop=True)


def draw(
    answers: pd.DataFrame, n: int, strata: Sequence[str] = ("system",), *, rng: np.random.Generator
) -> pd.DataFrame:
    """`n` of the answers (all, where there are fewer), drawn at random within each stratum in proportion to
    its size, to within one answer; column `drawn` is `random`.

    strata : columns whose levels, blanks among them, make a stratum each

    A larger n with the same generator keeps the answers of a smaller one: a sample can be extended.

    Raises ParameterError if n is below 1.
    """
    if n < 1:
        raise ParameterError("the number of answers to label must be 1 or more", found=n)
    mixed = answers.iloc[rng.permutation(len(answers))]
    groups = mixed.groupby(list(strata), dropna=False)
    place = groups.cumcount() + rng.random(len(mixed))[groups.ngroup()]
    evenly = place / groups["case_id"].transform("size")  # a stratum's answers, spread from 0 to 1
    chosen = mixed.iloc[np.argsort(evenly, kind="stable")[:n]]
    return chosen.assign(drawn=RANDOM).reset_index(drop=True)


def deal(
    chosen: pd.DataFrame, raters: Sequence[str], overlap: int, *, rng: np.random.Generator
) -> dict[str, pd.DataFrame]:
    """The chosen answers by rater: `overlap` of them to a pair of raters, every pair in turn, the others to
    one each, whoever has fewest; each rater's own random order.

    So each pair shares `overlap` / pairs answers, to within one: how strict a rater is can be told from which
    questions that rater got.
    """
    parts: dict[str, list[int]] = {name: [] for name in raters}
    pairs = list(combinations(raters, 2))
    for turn, row in enumerate(rng.permutation(len(chosen))):
        fewest = min(parts, key=lambda name: len(parts[name]))
        for name in pairs[turn % len(pairs)] if turn < overlap else (fewest,):
            parts[name].append(row)
    return {name: chosen.iloc[rng.permutation(rows)].reset_index(drop=True) for name, rows in parts.items()}


def tasks(chosen: pd.DataFrame) -> tuple[Task, ...]:
    """The rows of a sheet, in the order of `chosen` (case_id, system, question, answer, contexts, drawn)."""
    return tuple(
        Task(
            row_id(row.case_id, row.system, row.drawn),
            row.question,
            row.answer,
            _passages(row.contexts),
            human_labels.answer_sha256(row.answer),
        )
        for row in chosen.itertuples()
    )


def rater_names(raters: str) -> tuple[str, ...]:
    """Who gets a sheet: names parted by commas, or how many raters, then called `rater-1`, ...; ("",) for one
    unknown.

    Raises ParameterError if there is none, a name is given twice, or one cannot be part of a file's name.
    """
    if raters.isdecimal() and 0 < int(raters) < 100:
        return tuple(f"rater-{place}" for place in range(1, int(raters) + 1)) if int(raters) > 1 else ("",)
    given = tuple(name.strip() for name in raters.split(","))
    if raters.isdecimal() or len(set(given)) < len(given):
        raise ParameterError(
            "raters cannot be told apart", found=raters, do="name each once, or say how many, at most 99"
        )
    wrong = [name for name in given if not is_rater_name(name)]
    if wrong:
        raise ParameterError(
            "a rater cannot have this name",
            found=wrong[0],
            expected="letters, digits, blanks and . _ @ -, at most 60",
        )
    return given


def is_rater_name(rater: str) -> bool:
    """Whether a rater can be called this:
    a name or an address of at most 60 characters that is neither a formula nor a path.
    """
    return _RATER.fullmatch(rater) is not None


def _passages(contexts: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if contexts is None or is_missing(contexts) else tuple(map(str, contexts))


def guide_lines(dimensions: Sequence[Dimension], file: str | Path | None = None) -> list[str]:
    """The guide, line by line: the rules, the scales, then the text of a guide of your own.

    Raises InputError if the file does not exist or is not UTF-8.
    """
    rules = Path(__file__).with_name("guide.txt").read_text(encoding="utf-8").splitlines()
    scales = [f"{each.name}: {each.allowed}" for each in dimensions]
    return ["How to label", "", *rules, "", "Scales", "", *scales, *(["", *_own(file)] if file else [])]


def visible(text: object, longest: int = LONGEST) -> str:
    """The text with hidden characters shown as pictures or code points and, beyond `longest` characters (0:
    none), cut, with a note.
    """
    whole = str(text).replace("\r\n", "\n").replace("\r", "\n")
    shown = clean(whole[: longest + 1] if longest else whole, 0)
    if not longest or (len(whole) <= longest and len(shown) <= longest):
        return shown
    return f"{shown[:longest]}\n[cut: {len(whole):,} characters in all; the rest: the run's answers]"


def _own(file: str | Path) -> list[str]:
    path = provenance.source(file)
    try:
        return visible(path.read_text(encoding="utf-8-sig"), 0).splitlines()
    except (UnicodeDecodeError, OSError) as problem:
        raise InputError(
            "the guide cannot be read", where=path, found=str(problem)[:120], do="give a text file in UTF-8"
        ) from problem
