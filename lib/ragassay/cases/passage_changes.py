"""Adversarial cases: the same question with its passages changed (HCAT section 6.1, type 1): distractors put
before them, a false one put before them, those that hold the answer taken away.

Source: Chen et al. (2024), Benchmarking Large Language Models in Retrieval-Augmented Generation, AAAI: noise
robustness, counterfactual robustness, negative rejection.
"""

import csv
import re
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ragassay import documents, parameter_ranges
from ragassay.cases import case_table
from ragassay.cases.rule_questions.sentence_questions import change_number
from ragassay.tables import is_blank, is_missing

MONTHS = "jan|ene|feb|fev|mar|apr|abr|may|mai|jun|jul|aug|ago|sep|set|oct|out|nov|dec|dic|dez"
FIGURE = re.compile(
    r"(?<![\w.,:/#-])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![:/#]|[.,-]\d|(?!(?:st|nd|rd|th)\b)\w)"
    rf"(?!(?:st|nd|rd|th)?[ ](?:de[ ])?(?:{MONTHS}))",
    re.IGNORECASE,
)
YEAR = re.compile(r"(?:19|20)\d\d")
SPELLED = re.compile(r"\d|1\d|20")  # numbers that a passage may as well write in words
FACTORS = (2.0, 0.5, 1.5, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0, 11.0, 13.0, 17.0)  # by which a figure is changed
TRIES = 40  # other figures that are tried before a fact is given up


class KeyFact(NamedTuple):
    """A figure that the reference answer and its evidence state and the question does not.

    figure, false : as written, true and made false
    claim : a sentence of the evidence, or else the reference answer, with the false one in its place
    """

    figure: str
    false: str
    claim: str


def find_key_fact(
    question: str,
    reference: object,
    evidence: Sequence[str],
    rng: np.random.Generator,
    elsewhere: Set[str] = frozenset(),
) -> KeyFact | None:
    """The first such figure, with another of the same form that stands in none of these texts, nor among the
    values `elsewhere`, so that an answer can have it from nowhere else; None if there is none.

    Years, days of a date and numbers up to 20 that are no amount of money are passed over: texts write them
    in other ways as well, so that changing the figure would not change what they say.
    """
    if is_blank(reference):
        return None
    answer, stated = str(reference), figures(" ".join(evidence))
    asked = figures(question)
    found = (match.group() for match in FIGURE.finditer(answer) if not _is_loose(match))
    figure = next((each for each in found if _value(each) in stated - asked), None)
    taken = stated | asked | figures(answer) | elsewhere
    false = _another(figure, taken, rng) if figure else None
    if not (figure and false):
        return None
    return KeyFact(figure, false, _claim(evidence, figure, false) or change_figure(answer, figure, false))


@lru_cache(maxsize=4096)  # the passages of the documents are asked of every question
def figures(text: str) -> frozenset[str]:
    """The values of the figures of a text, years and the days of a date left out."""
    return frozenset(_value(match.group()) for match in FIGURE.finditer(text))


def change_figure(text: str, figure: str, false: str) -> str:
    """The text with every figure of that value replaced."""
    value = _value(figure)
    return FIGURE.sub(lambda match: false if _value(match.group()) == value else match.group(), text)


def _value(figure: str) -> str:
    """`6.00` is `6`, and `1,250` is `1250`."""
    plain = figure.replace(",", "")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _is_loose(figure: re.Match[str]) -> bool:
    """Whether a text may write it in another way: a year, or a small number without a sign of money."""
    if figure.string[max(0, figure.start() - 1) : figure.start()] in tuple("$€£"):
        return False
    return bool(YEAR.fullmatch(figure.group()) or SPELLED.fullmatch(figure.group()))


def _another(figure: str, taken: Set[str], rng: np.random.Generator) -> str | None:
    found = (change_number(figure, rng, FACTORS) for _ in range(TRIES))
    return next((each for each in found if _value(each) not in taken and FIGURE.fullmatch(each)), None)


def _claim(evidence: Sequence[str], figure: str, false: str) -> str:
    """The first sentence of the evidence that states the figure, made false; "" where only a table does."""
    for text in evidence:
        for sentence in documents.sentences(text):
            if _value(figure) in figures(sentence) and "|" not in sentence:
                return change_figure(" ".join(sentence.split()), figure, false)
    return ""


DATA = Path(__file__).parent / "data"
DISTRACTORS, MISLEADING, DROPPED = "distractors", "misleading passage", "evidence dropped"
CHANGES = {DISTRACTORS: "xn", MISLEADING: "xm", DROPPED: "xd"}  # kind of the cases -> mark of their ids
EXTRA = ["fact", "false_fact", "stated"]
N_DISTRACTORS = 4  # passages of other documents that are put before those retrieved
Passage = tuple[str, str]  # id, text


class Retrieved(NamedTuple):
    """What a question retrieved, in order, and what is known of it.

    fact : the figure on which its answer turns; stated : whether the answer states it
    evidence : ids of the passages that hold the answer
    foreign : passages of other documents, to distract with
    """

    passages: tuple[Passage, ...]
    fact: KeyFact
    stated: bool
    evidence: frozenset[str]
    foreign: tuple[Passage, ...]


def adversarial_cases(
    asked: pd.DataFrame, answers: pd.DataFrame, chunks: pd.DataFrame, *, n: int, seed: int
) -> pd.DataFrame:
    """At most n answered questions, 1 or more, drawn by seed, each with its passages changed in every way.

    Drawn from the answerable questions with a key figure, first from those whose answer states it. Further
    columns: fact, the figure as written; false_fact, what stands in its place; stated, whether the answer
    states it.

    answers : of which the first repeat says what was retrieved
    chunks : chunk_id, doc_id, text: the evidence of reference_chunk_ids, and distractors
    """
    parameter_ranges.check("n_stressed", n, "in [1, inf)")
    rng = np.random.default_rng(seed)
    known = {value for text in chunks["text"] for value in figures(text)}
    found = [(case, _retrieved(case, chunks, known, rng)) for case in _answered(asked, answers)]
    usable = [(case, one) for case, one in found if one]
    order = sorted(rng.permutation(len(usable)), key=lambda i: not usable[i][1].stated)[:n]
    rows = [row for i in sorted(order) for row in _variants(*usable[i])]
    return case_table.cases_frame(rows, extra=["passages", "passage_ids", *EXTRA])


def new_texts(variants: pd.DataFrame) -> list[str]:
    """The questions of cases and the sentences of the passages given with them: what is new among it can be
    encoded at once."""
    given = variants.get("passages", ())
    passages = dict.fromkeys(text for texts in given if not is_missing(texts) for text in texts)
    told = [sentence for text in passages for sentence in documents.sentences(text)]
    return list(dict.fromkeys([*variants["question"], *told]))


def _answered(asked: pd.DataFrame, answers: pd.DataFrame) -> list[dict[str, Any]]:
    """The answerable cases that got an answer whose passages are known, in the order of their ids; none
    that is itself asked with a history, passages or earlier turns."""
    first = answers.sort_values(["case_id", "repeat"], kind="stable").drop_duplicates("case_id")
    known = first["error"].map(is_blank) & first["contexts"].notna()
    given = first.loc[known, ["case_id", "answer", "contexts", "context_ids"]]
    own = [name for name in case_table.ASKED_WITH if name in asked]
    plain = asked[asked["answerable"] & ~asked[own].map(lambda value: not is_missing(value)).any(axis=1)]
    return plain.merge(given, on="case_id").sort_values("case_id").to_dict("records")


def _retrieved(
    case: dict[str, Any], chunks: pd.DataFrame, known: Set[str], rng: np.random.Generator
) -> Retrieved | None:
    """What is known of a question; None without a key figure or passages. known : all figures of documents"""
    wanted = [] if is_missing(case["reference_chunk_ids"]) else list(case["reference_chunk_ids"])
    gold = chunks[chunks["chunk_id"].isin(wanted)]
    fact = find_key_fact(case["question"], case["reference_answer"], gold["text"].tolist(), rng, known)
    texts, ids = list(case["contexts"]), [] if is_missing(case["context_ids"]) else list(case["context_ids"])
    if not (fact and texts):
        return None
    numbered = [f"p{i + 1}" for i in range(len(texts))]
    passages = tuple(zip(ids if len(ids) == len(texts) else numbered, texts, strict=True))
    value, own = figures(fact.figure), set(gold["text"])
    holding = {name for name, text in passages if name in wanted or text in own or value & figures(text)}
    stated = bool(value & figures(str(case["answer"])))
    return Retrieved(passages, fact, stated, frozenset(holding), _foreign(passages, gold, fact, chunks, rng))


def _foreign(
    passages: Sequence[Passage],
    gold: pd.DataFrame,
    fact: KeyFact,
    chunks: pd.DataFrame,
    rng: np.random.Generator,
    most: int = 50,
) -> tuple[Passage, ...]:
    """Passages of documents that have no part in this question, in an order of chance, without its figure."""
    seen = chunks["chunk_id"].isin([name for name, _ in passages]) | chunks["text"].isin(
        [text for _, text in passages]
    )
    near = {*chunks.loc[seen, "doc_id"], *gold["doc_id"]}
    others = np.flatnonzero(~chunks["doc_id"].isin(near))
    drawn = others[rng.permutation(len(others))[:most]]
    avoided = figures(fact.figure)
    pairs = zip(chunks["chunk_id"].array[drawn], chunks["text"].array[drawn], strict=True)
    return tuple((name, text) for name, text in pairs if not avoided & figures(text))


def _variants(case: dict[str, Any], one: Retrieved) -> Iterator[dict[str, Any]]:
    """The case in every way in which it can be changed."""
    known = case | {"fact": one.fact.figure, "false_fact": one.fact.false, "stated": one.stated}
    planted = _wording(str(case["language"])).format(claim=one.fact.claim)
    if len(one.foreign) >= N_DISTRACTORS:
        more = [*one.foreign[:N_DISTRACTORS], *one.passages]
        yield _given(known, DISTRACTORS, more, intensity=N_DISTRACTORS)
    yield _given(known, MISLEADING, [("unverified#p1", planted), *one.passages])
    if one.evidence:
        none = {"answerable": False, "answer_type": "no_answer", "reference_answer": None}
        left = [passage for passage in one.passages if passage[0] not in one.evidence]
        yield _given(known, DROPPED, left) | none | {"reference_chunk_ids": []}


def _given(
    case: dict[str, Any], kind: str, passages: Sequence[Passage], intensity: float | None = None
) -> dict[str, Any]:
    row = case_table.varied_case(case, kind, CHANGES[kind], case["question"], intensity)
    return row | {"passage_ids": [name for name, _ in passages], "passages": [text for _, text in passages]}


def _wording(language: str) -> str:
    """How a planted passage says that it is unverified, with a place for its claim."""
    with (DATA / "planted_passages.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["language"]: row["passage"] for row in csv.DictReader(file)}
    return rows.get(language, rows["en"])
