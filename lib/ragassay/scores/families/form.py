"""Form: the language an answer is in, its format, length and time, and how directly it answers (Lesson 1 to
3, 9, 10 and 12).
"""

import json
import math
import re
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ragassay.scores import vector_similarity
from ragassay.scores.metric import SHOWN, NotApplicable, Result
from ragassay.scores.numbers.amounts import numbers
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading import citation_grammar
from ragassay.scores.text_reading.word_lists import has_sign

LETTERS = 20  # a shorter text says too little to be judged
READ = 6000  # characters read at most
DOUBT = 0.5  # how far behind the likeliest language the expected one may be, in nats per root of the bytes


def is_in(text: str, expected: str) -> bool:
    """Whether the text is in the expected language; the doubt goes to that one (`DOUBT`).

    text : the answer without citations; its first 6,000 characters are read
    expected : an ISO 639-1 code, with or without a region: `pt`, `pt-BR`

    Raises ValueError if the text has fewer than 20 letters, or the detector does not know the language.
    Source: Lesson section 3.1, `language_match`, which leaves it to a judge.
    """
    behind = distances(text)
    wanted = expected.strip().lower().replace("_", "-").split("-")[0]
    if wanted not in behind:
        raise ValueError(
            f"the language detector knows no language {expected!r:.20}; it wants an ISO 639-1 code"
        )
    return behind[wanted] <= DOUBT


def detect(text: str) -> str:
    """ISO 639-1 code of the likeliest language. Raises as `distances`."""
    return next(iter(distances(text)))


@lru_cache(2048)
def distances(text: str) -> dict[str, float]:
    """How far each language is behind the likeliest (0), in nats per root of the bytes; nearest first.

    Raises ValueError if the text has fewer than 20 letters.
    """
    import py3langid

    read = " ".join(text[:READ].split())
    if not is_long_enough(read):
        raise ValueError(f"fewer than {LETTERS} letters: too little to tell the language by")
    ranked = [(name, float(score)) for name, score in py3langid.rank(read)]
    scale = math.sqrt(len(read.encode("utf-8", "replace")))
    return {name: (ranked[0][1] - score) / scale for name, score in ranked}


def is_long_enough(text: str) -> bool:
    """Whether the text has the letters to be judged by."""
    return sum(map(str.isalpha, text[:READ])) >= LETTERS


def language_match(sample: Sample, tools: Tools) -> Result:
    """1 if the answer is in the language expected of it, else 0; higher is better."""
    text = sample.uncited
    if not is_long_enough(text):
        raise NotApplicable(f"fewer than {LETTERS} letters: too little to tell the language by")
    expected = expected_language(sample)
    sentences = [sentence.text for sentence in sample.answer_sentences if is_long_enough(sentence.text)]
    detail = [{"text": one[:SHOWN], "language": detect(one), "expected": expected} for one in sentences[:50]]
    return float(is_in(text, expected)), detail


def expected_language(sample: Sample) -> str:
    """The language the case declares; else that of the question, if long enough to tell; else English."""
    if sample.declared_language is None and is_long_enough(sample.question or ""):
        return detect(sample.question or "")
    return sample.language


LONGEST = 1_000_000  # characters of JSON that are parsed
_BRACKETED = re.compile(r"\[([^\[\]\n]{1,200})\]")
_FOREIGN = re.compile(r"[【〔][^【】〔〕\n]{1,100}[】〕]|<(?:cite|ref|source)\b[^<>\n]{0,100}>")
_OPEN = re.compile(r"\[[^\s\[\],;#]{1,100}#p[0-9]{1,9}(?![^\[\]\n]{0,200}\])")
_PLACE = re.compile(
    r"#|\A(?:doc(?:ument)?|source|ref(?:erence)?|chunk|passage|page|p)[\s_.:-]{0,3}\d{1,9}\Z", re.IGNORECASE
)


def read_schema(text: str) -> dict[str, Any]:
    """The JSON schema written in a text. Raises ValueError if it is not one JSON object."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as why:
        raise ValueError(f"the JSON schema is not JSON: {why!s:.200}") from why
    if not isinstance(found, dict):
        raise ValueError(f"the JSON schema must be one object; found {text:.60}")
    return found


def schema_problems(answer: str, schema: dict[str, Any]) -> list[str]:
    """What keeps the answer, without its code fence, from being JSON that fits the JSON schema.

    Raises ValueError if the schema itself is not a valid JSON schema.
    """
    import jsonschema

    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    lines = answer.strip().splitlines()
    if len(lines) > 2 and lines[0].strip().lower() in ("```", "```json") and lines[-1].strip() == "```":
        answer = "\n".join(lines[1:-1])
    try:
        kind.check_schema(schema)
    except jsonschema.SchemaError as why:
        raise ValueError(f"the JSON schema is not valid: {why.message:.200}") from why
    try:
        found = json.loads(answer[:LONGEST], parse_constant=_refuse)
        errors = islice(kind(schema).iter_errors(found), 20)
        return [f"{error.json_path:.100}: {error.message:.200}" for error in errors]
    except (ValueError, RecursionError) as why:
        return [f"not JSON: {why!s:.200}"]


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def house_problems(answer: str, known: Collection[str] = (), *, must_cite: bool = True) -> list[str]:
    """What departs from the house format: a citation, each in the id grammar (`[doc#p3]`, `[3]`).

    known : the ids retrieved, which are citations even outside the grammar; `[sic]` and other words in
        brackets are no citation and no fault
    must_cite : False for an answer that asserts nothing
    """
    cited = any(ids for _, ids in citation_grammar.parse(answer, known=known))
    none = ["no citation in the form [doc#p3] or [3]"] if must_cite and not cited else []
    documents = {one.split("#")[0] for one in known if "#" in one}
    malformed = []  # what means to be a citation and is none: a `#`, `page` with a number, a document's name
    for found in _BRACKETED.finditer(answer):
        inside = found[1].strip()
        is_citation = not citation_grammar.strip(f"[{inside}]", known)
        if not is_citation and (_PLACE.search(inside) or inside in documents):
            malformed.append(found[0])
    malformed += [found[0] for pattern in (_FOREIGN, _OPEN) for found in pattern.finditer(answer)]
    return none + [f"malformed citation {text:.80}" for text in malformed[:20]]


def schema_valid(sample: Sample, tools: Tools) -> Result:
    """1 if the answer keeps its format, else 0; higher is better; the problems are the evidence.

    The format is the JSON schema of its case, or the house format where the case has none.
    """
    answer = sample.answer or ""
    if sample.schema is not None:
        problems = schema_problems(answer, read_schema(sample.schema))
    else:
        must_cite = sample.answerable is not False and not sample.abstains
        problems = house_problems(answer, frozenset(sample.context_ids or ()), must_cite=must_cite)
    return float(not problems), [{"problem": problem} for problem in problems]


MOST = 1_000_000  # words counted
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+(?:['’.,-][^\W_]+)*")


def count_words(text: str) -> int:
    """Number of words: `1,250.50`, `don't`, `up-to-date` are one; a Chinese or Japanese sign is one."""
    return sum(1 for _ in _WORD.finditer(text))


def is_within(amount: float, budget: float) -> bool:
    """Whether the amount does not exceed the budget.

    Raises ValueError if the amount is negative or not a number, or the budget is not above 0. Source: Lesson
    section 1, "Budget-aware" (concise; fits token and latency budgets), and section 12 (120 words; latency
    within budget).
    """
    if not (budget > 0 and amount >= 0) or math.isinf(amount):
        raise ValueError(f"a budget is above 0 and an amount at least 0; found {amount:g} against {budget:g}")
    return amount <= budget


def length_within_budget(sample: Sample, tools: Tools) -> Result:
    """1 if the answer has at most so many words, citations apart, else 0; higher is better."""
    words, budget = count_words(sample.uncited), tools.budgets.words
    return float(is_within(words, budget)), [{"words": words, "budget": budget}]


def answer_words(sample: Sample, tools: Tools) -> Result:
    """Number of words of the answer, citations apart, a million at most."""
    return float(min(count_words(sample.uncited), MOST)), []


def latency_within_budget(sample: Sample, tools: Tools) -> Result:
    """1 if the answer came within so many seconds, else 0; higher is better."""
    seconds, budget = sample.latency_s or 0.0, tools.budgets.seconds
    return float(is_within(seconds, budget)), [{"seconds": seconds, "budget": budget}]


CLOSE = 0.1  # a sentence this near to the best cosine with the question may be the answer
ABOUT = 0.2  # least cosine of a sentence that is about the question
OPENING = 3  # sentences in which the direct answer may stand
_CAPITALISED = re.compile(r"(?<=\S )[A-ZÀ-Ý]\w")
KINDS: dict[str, Callable[[str], bool]] = {  # what a question may ask for, and how a sentence shows it
    "number": lambda text: bool(numbers(text)),
    "time": lambda text: bool(numbers(text)) or has_sign("moment", text),
    "name": lambda text: bool(_CAPITALISED.search(text)),
    "yes_no": lambda text: has_sign("decides", text),
}


def mean_of_points(place: int, preamble: bool, speculating: Sequence[bool], about: Sequence[bool]) -> float:
    """Mean of the four points, in [0, 1]; higher is better.

    place : which sentence of the answer, from 0, holds the answer; see `answering_sentence`
    preamble : whether the first sentence says nothing yet
    speculating, about : one truth value per sentence

    Raises ValueError if there is no sentence. Source: Lesson sections 1.3 ("answers the question first, then
    gives brief context; no detours or speculation") and 10.1 (three sentences).
    """
    if len(speculating) == 0 or len(speculating) != len(about):
        raise ValueError("no sentences: the answer is empty")
    certain = 1 - sum(speculating) / len(speculating)
    placed = 1.0 if place == 0 else 0.5 if place < OPENING else 0.0
    return (placed + (not preamble) + certain + sum(about) / len(about)) / 4


def answering_sentence(question: str, sentences: Sequence[str], cosines: ArrayLike) -> int:
    """Which sentence holds the answer: the first with the kind of thing asked for, or near the question.

    cosines : (k,) of each sentence with the question; close is within `CLOSE` of the best
    """
    cosines = np.asarray(cosines, dtype=float)
    close = np.flatnonzero(cosines >= round(float(cosines.max()) - CLOSE, 9))
    kind = kind_asked_for(question)
    holding = [i for i, text in enumerate(sentences) if kind and KINDS[kind](text)]
    return int(holding[0]) if holding else int(close[0])


def kind_asked_for(question: str) -> str | None:
    """What the question asks for, by its words: number, time, name, yes_no; None for anything else."""
    return next((kind for kind in KINDS if has_sign(kind, question[:2000])), None)


def directness(sample: Sample, tools: Tools) -> Result:
    """How directly the answer answers, in [0, 1]; higher is better; one record per sentence."""
    sentences = [sentence.text for sentence in sample.answer_sentences]
    questions = [sentence.text for sentence in sample.question_sentences]
    cosines = vector_similarity.best_match(tools.embed(sentences), tools.embed(questions))
    place = answering_sentence(sample.question or "", sentences, cosines)
    preamble = any(has_sign(sign, sentences[0][:300]) for sign in ("courtesy", "preamble"))
    speculating = [has_sign("speculation", text) for text in sentences]
    value = mean_of_points(place, preamble, speculating, [bool(cosine >= ABOUT) for cosine in cosines])
    return value, [
        {
            "text": text[:SHOWN],
            "score": round(cosine, 6),
            "answers": i == place,
            "preamble": preamble and i == 0,
            "speculates": guesses,
            "detour": cosine < ABOUT,
        }
        for i, (text, cosine, guesses) in enumerate(
            zip(sentences, cosines.tolist(), speculating, strict=True)
        )
    ]
