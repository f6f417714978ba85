"""Questions put less well, and questions the documents cannot answer (HCAT section 6.1, types 2 and 3)."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay import models, ranges
from ragassay.cases import rows

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
BESIDE = "wa qes wrd etf ryg tuh yij uok ipl ol qsz adwx sfec dgrv fhtb gjyn hkum jli kop xas zcd xvf cbg vnh bmj nk"
NEIGHBOURS = dict(
    zip("qwertyuiopasdfghjklzxcvbnm", BESIDE.split(), strict=True)
)  # keys beside each key (QWERTY)
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
    """At most n of the answerable questions, 1 or more, drawn by seed, in the order of their ids."""
    ranges.check("n_parents", n, "in [1, inf)")
    answerable = cases[cases["answerable"]]
    return answerable.sample(min(n, len(answerable)), random_state=seed).sort_values("case_id")


def add_typos(cases: pd.DataFrame, *, intensity: float, rng: np.random.Generator) -> pd.DataFrame:
    """The questions with typing errors in a share `intensity` (0 to 1) of their words, at least one; higher means worse spelling.

    One slip per word: a neighbouring key, two letters swapped, one dropped, or one doubled. Words of four letters or more are
    touched; never a word with a digit, nor a capitalised word inside the question (it may be a product's or a person's name), so
    that what is asked for stays the same. A question with no word to touch is left out: it would be a pair without a difference.

    Raises
    ------
    ParameterError
        If intensity is not in (0, 1].
    """
    ranges.check("intensity", intensity, "in (0, 1]")
    mark = f"s{round(intensity * 100):03d}"
    made = [(case, misspell(case["question"], intensity, rng)) for case in cases.to_dict("records")]
    kept = [
        rows.varied(case, "spelling", mark, text, intensity)
        for case, text in made
        if text != case["question"]
    ]
    return rows.frame(kept, extra=_extra(cases))


def make_informal(cases: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """The questions as typed in a hurry: lower case, no punctuation but what numbers need, short forms, an opening word."""
    return rows.frame(
        [rows.varied(case, "casual", "c", _relaxed(case, rng)) for case in cases.to_dict("records")],
        extra=_extra(cases),
    )


def misspell(question: str, intensity: float, rng: np.random.Generator) -> str:
    """The question with one slip in a share `intensity` of the words that may be touched, at least one of them."""
    spans = [match.span() for match in WORD.finditer(question) if _touchable(question, match)]
    count = min(len(spans), max(1, round(intensity * len(spans))))
    for start, end in (
        sorted((spans[i] for i in rng.choice(len(spans), size=count, replace=False)), reverse=True)
        if spans
        else ()
    ):
        question = question[:start] + _slip(question[start:end], rng) + question[end:]
    return question


def screen(
    chunks: pd.DataFrame, *, at_most: float = 0.55, model: str = "", encode: Callable = models.encode
) -> pd.DataFrame:
    """Our list of foreign questions against these passages: case_id, question, domain, language, similarity, nearest, kept.

    similarity is the cosine with the nearest passage, in [-1, 1]; a question above `at_most` might be answered by the documents
    and is not kept. The limit is a screen, not a proof: read those just below it.
    """
    lines = (Path(__file__).parent / "data" / "out_of_scope.jsonl").read_text(encoding="utf-8").splitlines()
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
    """At most n questions that the documents should not answer, each with its similarity to the nearest passage; fewer if fewer are kept."""
    ranges.check("n_out_of_scope", n, "in [1, inf)")
    kept = screen(chunks, at_most=at_most, model=model, encode=encode).query("kept")
    drawn = kept.iloc[np.sort(rng.choice(len(kept), size=min(n, len(kept)), replace=False))]
    same = {"answer_type": "no_answer", "query_type": "open", "answerable": False, "kind": "out_of_scope"}
    made = [
        same | row
        for row in drawn[["case_id", "question", "language", "domain", "similarity"]].to_dict("records")
    ]
    return rows.frame(made, extra=["domain", "similarity"])


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
    keys = NEIGHBOURS.get(letter, "e")
    slips = [
        word[:at] + keys[int(rng.integers(len(keys)))] + word[at + 1 :],
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
    ]
    first = int(rng.integers(len(slips)))
    return next(slip for slip in slips[first:] + slips[:first] if slip != word)


def _relaxed(case: dict, rng: np.random.Generator) -> str:
    language = case["language"] if case["language"] in SHORTER else "en"
    text = re.sub(r"(?<!\d)[.,;:?!¿¡\"“”()]+|[.,;:?!¿¡\"“”()]+(?!\d)", " ", case["question"].lower())
    for long, short in SHORTER[language].items():
        text = re.sub(rf"\b{long}\b(?!\s*\d)", short, text)
    openings = OPENINGS[language]
    return " ".join([openings[int(rng.integers(len(openings)))], *text.split()])


def _extra(cases: pd.DataFrame) -> list[str]:
    return [str(column) for column in cases if column not in rows.COLUMNS]
