"""Perturbations: the same questions put less well (HCAT section 6.1, type 2).

A new one is a function here, from cases to perturbed cases, and its row in PERTURBATIONS; `perturb` makes
them all.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ragassay import ranges
from ragassay.cases import case_table

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
BESIDE = (
    "wa qes wrd etf ryg tuh yij uok ipl ol qsz adwx sfec dgrv fhtb gjyn hkum jli kop xas zcd xvf cbg "
    "vnh bmj nk"
)
KEYS_BESIDE = dict(zip("qwertyuiopasdfghjklzxcvbnm", BESIDE.split(), strict=True))  # QWERTY
SHORTER = {
    "en": {
        "you": "u",
        "your": "ur",
        "are": "r",
        "because": "cuz",
        "with": "w/",
        "want to": "wanna",
        "what is": "whats",
        "account": "acct",
        "going to": "gonna",
        "tomorrow": "tmrw",
        "please": "pls",
        "thanks": "thx",
    },
    "es": {
        "que": "q",
        "por qué": "xq",
        "por": "x",
        "para": "pa",
        "cuánto": "cuanto",
        "qué": "q",
        "también": "tb",
    },
    "pt": {
        "que": "q",
        "você": "vc",
        "quanto": "qto",
        "para": "pra",
        "também": "tb",
        "não": "n",
        "porque": "pq",
    },
}
OPENINGS = {
    "en": ("hey", "hi", "pls help", "quick q", "um"),
    "es": ("hola", "oye", "una duda"),
    "pt": ("olá", "oi", "uma dúvida"),
}


def sample_parents(cases: pd.DataFrame, n: int, seed: int) -> pd.DataFrame:
    """At most n of the answerable questions, 1 or more, drawn by seed, in the order of their ids; later turns
    of a conversation, which mean nothing alone, are left out."""
    ranges.check("n_parents", n, "in [1, inf)")
    answerable = cases[cases["answerable"]]
    if "turn" in answerable:
        answerable = answerable[~(answerable["turn"] > 1)]
    return answerable.sample(min(n, len(answerable)), random_state=seed).sort_values("case_id")


def perturb(cases: pd.DataFrame, intensities: Sequence[float], rng: np.random.Generator) -> pd.DataFrame:
    """The cases perturbed in every way there is:
    by each intensity (0 to 1) what has one, once what has none."""
    tables = [
        table
        for perturbation in PERTURBATIONS.values()
        for table in (
            [perturbation.make(cases, rng, intensity=intensity) for intensity in intensities]
            if perturbation.graded
            else [perturbation.make(cases, rng)]
        )
    ]
    return pd.concat(tables, ignore_index=True)


def add_typos(cases: pd.DataFrame, rng: np.random.Generator, *, intensity: float) -> pd.DataFrame:
    """The questions with typing errors in a share `intensity` (0 to 1) of their words, at least one.

    One slip per word: a neighbouring key, two letters swapped, one dropped, or one doubled. Words of four
    letters or more are touched; never a word with a digit, nor a capitalised word inside the question (it may
    be a product's or a person's name), so that what is asked for stays the same. A question with no word to
    touch is left out: it would be a pair without a difference.

    Raises
    ------
    ParameterError
        If intensity is not in (0, 1].
    """
    ranges.check("intensity", intensity, "in (0, 1]")
    mark = f"s{round(intensity * 100):03d}"
    misspelt = [(case, misspell(case["question"], intensity, rng)) for case in cases.to_dict("records")]
    return _perturbed(
        cases,
        [
            case_table.varied_case(case, "spelling", mark, text, intensity)
            for case, text in misspelt
            if text != case["question"]
        ],
    )


def make_informal(cases: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """The questions as typed in a hurry: lower case, short forms, an opening word, little punctuation."""
    informal = [(case, informal_question(case, rng)) for case in cases.to_dict("records")]
    return _perturbed(cases, [case_table.varied_case(case, "casual", "c", text) for case, text in informal])


@dataclass(frozen=True)
class Perturbation:
    """A way to put questions less well; `graded` ones take an intensity in (0, 1]."""

    make: Callable[..., pd.DataFrame]
    graded: bool


PERTURBATIONS = {  # kind of the perturbed cases -> how they are made
    "spelling": Perturbation(add_typos, graded=True),
    "casual": Perturbation(make_informal, graded=False),
}


def misspell(question: str, intensity: float, rng: np.random.Generator) -> str:
    """The question with one slip in a share `intensity` of the words that may be touched,
    at least one of them."""
    spans = [match.span() for match in WORD.finditer(question) if _touchable(question, match)]
    if not spans:
        return question
    count = min(len(spans), max(1, round(intensity * len(spans))))
    chosen = [spans[i] for i in rng.choice(len(spans), size=count, replace=False)]
    for start, end in sorted(chosen, reverse=True):
        question = question[:start] + _slip(question[start:end], rng) + question[end:]
    return question


def _touchable(question: str, match: re.Match) -> bool:
    word, first = match.group(), not question[: match.start()].strip("¿¡\"'“ ")
    whole = question[max(0, match.start() - 1) : match.end() + 1]
    return (
        len(word) >= 4
        and (first or word[0].islower())
        and not word.isupper()
        and not any(map(str.isdigit, whole))
    )


def _slip(word: str, rng: np.random.Generator) -> str:
    at = int(rng.integers(1, len(word) - 1))
    letter = word[at].lower()
    keys = KEYS_BESIDE.get(letter, "e")
    slips = [
        word[:at] + keys[int(rng.integers(len(keys)))] + word[at + 1 :],
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
    ]
    first = int(rng.integers(len(slips)))
    return next(slip for slip in slips[first:] + slips[:first] if slip != word)


def informal_question(case: dict, rng: np.random.Generator) -> str:
    """The question of a case in lower case, without punctuation but what numbers need,
    shortened and opened."""
    language = case["language"] if case["language"] in SHORTER else "en"
    text = re.sub(r"(?<!\d)[.,;:?!¿¡\"“”()]+|[.,;:?!¿¡\"“”()]+(?!\d)", " ", case["question"].lower())
    for long, short in SHORTER[language].items():
        text = re.sub(rf"\b{long}\b(?!\s*\d)", short, text)
    openings = OPENINGS[language]
    return " ".join([openings[int(rng.integers(len(openings)))], *text.split()])


def _perturbed(cases: pd.DataFrame, rows: list[dict]) -> pd.DataFrame:
    """The rows as a cases table, with the further columns of the cases they were made from."""
    extra = [str(column) for column in cases if column not in case_table.COLUMNS]
    return case_table.cases_frame(rows, extra=extra)
