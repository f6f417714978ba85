"""The same questions again. Adversarial cases: the same question with its passages changed (HCAT section 6.1,
type 1): distractors put before them, a false one put before them, those that hold the answer taken away.

Source: Chen et al. (2024), Benchmarking Large Language Models in Retrieval-Augmented Generation, AAAI: noise
robustness, counterfactual robustness, negative rejection.

And the same questions once more, or as the second turn of a conversation, whose first names the subject
that the second leaves out.
"""

import re
from collections.abc import Sequence, Set
from functools import lru_cache
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
LOOSE = re.compile(r"(?:19|20)\d\d|\d|1\d|20")  # years, and what a passage may as well write in words
MONEY = ("$", "€", "£")
FACTORS = (2.0, 0.5, 1.5, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0, 11.0, 13.0, 17.0)  # by which a figure is changed
TRIES = 40  # other figures that are tried before a fact is given up
DISTRACTORS, MISLEADING, DROPPED = "distractors", "misleading passage", "evidence dropped"
CHANGES = {DISTRACTORS: "xn", MISLEADING: "xm", DROPPED: "xd"}  # kind of the cases -> mark of their ids
UNANSWERED = {
    "answerable": False,
    "answer_type": "no_answer",
    "reference_answer": None,
    "reference_chunk_ids": [],
}
N_DISTRACTORS = 4  # passages of other documents that are put before those retrieved
REPEAT, FOLLOW_UP, OPENING = "repeat", "follow_up", "conversation_opening"
LEAST_WORDS = 4  # of a follow-up
_NAME = (
    r"[A-Z][\w'’-]{1,30}(?: (?:and |of |for )?[A-Z][\w'’-]{0,30}){0,5}(?: (?:card|account|loan|plan|policy))?"
)
_FIRST = re.compile(
    rf"(?:For|Under|On|With|According to|When using) (?P<subject>(?:(?:the|a|an|my|our) )?“?{_NAME}”?),\s+"
)
_LAST = re.compile(rf" (?:for|of|on|with|under|from|to) (?P<subject>(?:the|a|an|my|our) {_NAME})\?$")
_OTHER = re.compile(r"\b(?:the|a|an|my|our|for|under|to) “?[A-Z]|“")
_DAY = re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b")


class KeyFact(NamedTuple):
    """A figure that the reference answer and its evidence state and the question does not.

    figure, false : as written, true and made false
    claim : a sentence of the evidence, or else the reference answer, with the false one in its place
    """

    figure: str
    false: str
    claim: str


def adversarial_cases(
    asked: pd.DataFrame, answers: pd.DataFrame, chunks: pd.DataFrame, *, n: int, seed: int
) -> pd.DataFrame:
    """At most n answered questions, 1 or more (else ParameterError), drawn by seed, each with its passages
    changed in every way.

    Drawn from the answerable questions with a key figure, first from those whose answer states it. Further
    columns: fact, the figure as written; false_fact, what stands in its place; stated, whether the answer
    states it.

    answers : of which the first repeat says what was retrieved
    chunks : chunk_id, doc_id, text: the evidence of reference_chunk_ids, and distractors

    Example: `adversarial_cases(run.cases(), run.answers(), run.chunks(), n=12, seed=0)[["kind", "fact"]]`
    """
    parameter_ranges.check("n_stressed", n, "in [1, inf)")
    rng = np.random.default_rng(seed)
    known = {value for text in chunks["text"] for value in figures(text)}
    first = answers.sort_values(["case_id", "repeat"], kind="stable").drop_duplicates("case_id")
    came = first["error"].map(is_blank) & first["contexts"].notna()
    given = first.loc[came, ["case_id", "answer", "contexts", "context_ids"]]
    own = [name for name in case_table.ASKED_WITH if name in asked]  # asked with a history, passages, turns
    plain = asked[asked["answerable"] & ~asked[own].map(lambda value: not is_missing(value)).any(axis=1)]
    usable = []
    for case in plain.merge(given, on="case_id").sort_values("case_id").to_dict("records"):
        wanted = [] if is_missing(case["reference_chunk_ids"]) else list(case["reference_chunk_ids"])
        gold = chunks[chunks["chunk_id"].isin(wanted)]
        fact = find_key_fact(case["question"], case["reference_answer"], gold["text"].tolist(), rng, known)
        if fact and len(case["contexts"]):
            usable.append((case, fact, _change_passages(case, fact, gold, chunks, rng)))
    stated = [bool(figures(fact.figure) & figures(str(case["answer"]))) for case, fact, _ in usable]
    order = sorted(rng.permutation(len(usable)), key=lambda i: not stated[i])[:n]
    rows = []
    for i in sorted(order):
        case, fact, changed = usable[i]
        own = case | {"fact": fact.figure, "false_fact": fact.false, "stated": stated[i]}
        for kind, passages in changed.items():
            intensity = N_DISTRACTORS if kind == DISTRACTORS else None
            row = case_table.varied_case(own, kind, CHANGES[kind], case["question"], intensity)
            row |= {"passage_ids": [name for name, _ in passages], "passages": [text for _, text in passages]}
            rows.append(row | UNANSWERED if kind == DROPPED else row)
    return case_table.cases_frame(rows, extra=["passages", "passage_ids", "fact", "false_fact", "stated"])


def _change_passages(
    case: dict[str, Any], fact: KeyFact, gold: pd.DataFrame, chunks: pd.DataFrame, rng: np.random.Generator
) -> dict[str, list[tuple[str, str]]]:
    """The passages of a question, id and text, in every way in which they can be changed, by kind."""
    passages, value = case_table.retrieved_passages(case), figures(fact.figure)
    known = {part for passage in passages for part in passage}
    seen = chunks["chunk_id"].isin(known) | chunks["text"].isin(known)
    near = {*chunks.loc[seen, "doc_id"], *gold["doc_id"]}
    others = chunks[~chunks["doc_id"].isin(near)]  # of documents that have no part in this question
    drawn = others.iloc[rng.permutation(len(others))[:50]][["chunk_id", "text"]].to_numpy().tolist()
    foreign = [(name, text) for name, text in drawn if not value & figures(text)][:N_DISTRACTORS]
    wordings = pd.read_csv(case_table.DATA / "planted_passages.csv", index_col="language")["passage"]
    planted = wordings.get(str(case["language"]), wordings["en"]).format(claim=fact.claim)
    evidence = {*gold["chunk_id"], *gold["text"]}
    left = [one for one in passages if not (evidence & {*one} or value & figures(one[1]))]
    return {
        **({DISTRACTORS: foreign + passages} if len(foreign) == N_DISTRACTORS else {}),
        MISLEADING: [("unverified#p1", planted), *passages],
        **({DROPPED: left} if len(left) < len(passages) else {}),
    }


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
    answer, stated, asked = str(reference), figures(" ".join(evidence)), figures(question)
    amounts = {match.group() for match in FIGURE.finditer(answer) if answer[: match.start()].endswith(MONEY)}
    found = [match.group() for match in FIGURE.finditer(answer)]
    strict = (each for each in found if each in amounts or not LOOSE.fullmatch(each))
    figure = next((each for each in strict if _value(each) in stated - asked), None)
    if figure is None:
        return None
    taken = stated | asked | figures(answer) | elsewhere
    tried = (change_number(figure, rng, FACTORS) for _ in range(TRIES))
    false = next((each for each in tried if _value(each) not in taken and FIGURE.fullmatch(each)), None)
    if false is None:
        return None
    stating = [
        one
        for text in evidence
        for one in documents.sentences(text)
        if _value(figure) in figures(one) and "|" not in one  # no row of a table
    ]
    return KeyFact(figure, false, change_figure(" ".join((stating or [answer])[0].split()), figure, false))


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


def sample_parents(cases: pd.DataFrame, n: int, seed: int) -> pd.DataFrame:
    """At most n of the answerable questions, 1 or more (else ParameterError), drawn by seed, in the order of
    their ids; later turns of a conversation, which mean nothing alone, are left out.

    >>> asked = pd.DataFrame({"case_id": ["a", "b", "c"], "answerable": [True, True, False]})
    >>> sample_parents(asked, n=5, seed=0)["case_id"].tolist()
    ['a', 'b']
    """
    parameter_ranges.check("n_parents", n, "in [1, inf)")
    alone = cases["answerable"].astype(bool) & ~(cases.reindex(columns=["turn"])["turn"] > 1)
    return cases[alone].sample(min(n, int(alone.sum())), random_state=seed).sort_values("case_id")


def ask_again(asked: pd.DataFrame, n: int, *, seed: int) -> pd.DataFrame:
    """At most n answerable questions, 1 or more (else ParameterError), once more, in another order (kind
    `repeat`), and of a third as many a conversation (`follow_ups`).

    Example: `run.ask(cases.ask_again(run.cases(), 40, seed=0), "repeats")`
    """
    parameter_ranges.check("n_repeated", n, "in [1, inf)")
    chosen = sample_parents(asked, n, seed).sample(frac=1, random_state=seed)
    rows = [case_table.varied_case(row, REPEAT, "r1", row["question"]) for row in chosen.to_dict("records")]
    repeats = case_table.cases_frame(rows, extra=None)
    return pd.concat([repeats, follow_ups(asked[asked["answerable"]], n // 3)], ignore_index=True)


def follow_ups(cases: pd.DataFrame, n: int) -> pd.DataFrame:
    """Conversations of two turns for at most n of the English questions that name their subject first or
    last ("For the Harbour Saver, what is ...?", "... of the Harbour Saver?"): the opening names it, the
    follow-up (kind `follow_up`, its parent named) asks the rest. Columns conversation_id and turn order them.
    """
    rows: list[dict] = []
    for case in cases[cases["language"] == "en"].to_dict("records"):
        parts = without_subject(case["question"])
        if parts and len(rows) < 2 * n:
            opening = case_table.varied_case(case, OPENING, "t1", f"I have a question about {parts[0]}.")
            asked = case_table.varied_case(case, FOLLOW_UP, "t2", parts[1])
            talk = {"conversation_id": f"{case['case_id']}-talk"}
            rows += [opening | talk | {"turn": 1.0}, asked | talk | {"turn": 2.0}]
    return case_table.cases_frame(rows, extra=None)


def without_subject(question: str) -> tuple[str, str] | None:
    """The subject that an English question names in its first or last words, and the question without them;
    None if it names none there, too little is left to ask, or a second subject would stand for the first."""
    found = _FIRST.match(question) or _LAST.search(question)
    if found is None:
        return None
    rest = question[found.end() :] or question[: found.start()] + "?"
    rest = rest[:1].upper() + rest[1:]
    fits = len(rest.split()) >= LEAST_WORDS and not _OTHER.search(rest) and not _DAY.search(found["subject"])
    return (found["subject"], rest) if fits else None
