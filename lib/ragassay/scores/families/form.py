"""Form: the language an answer is in, its format, length and time, and how directly it answers (Lesson 1 to
3, 9, 10 and 12).
"""

import json
import math
import re
from collections.abc import Callable, Collection
from functools import lru_cache
from itertools import islice

import numpy as np

from ragassay.scores.metric import NotApplicable, Result, Tools
from ragassay.scores.numbers.amounts import find_amounts, numbers
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.text_reading import citation_grammar, word_lists
from ragassay.scores.text_reading.claim_text import read_evidence
from ragassay.scores.text_reading.word_lists import has_sign, stem, words

LETTERS = 20  # a shorter text says too little to be judged
READ = 6000  # characters read at most
DOUBT = 0.5  # how far behind the likeliest language the expected one may be, in nats per root of the bytes


@lru_cache(2048)
def distances(text: str) -> dict[str, float]:
    """How far each language is behind the likeliest (0), in nats per root of the bytes; nearest first.

    Raises NotApplicable if the text, an answer or a question, has fewer than 20 letters.
    """
    import py3langid

    read = " ".join(text[:READ].split())
    if sum(map(str.isalpha, read)) < LETTERS:
        raise NotApplicable(f"fewer than {LETTERS} letters in answer or question: no language to tell")
    ranked = [(name, float(score)) for name, score in py3langid.rank(read)]
    scale = math.sqrt(len(read.encode("utf-8", "replace")))
    return {name: (ranked[0][1] - score) / scale for name, score in ranked}


def language_match(sample: Sample, tools: Tools) -> Result:
    """1 if the answer is in the language expected of it, else 0; higher is better: that which the case
    declares, else that of the question; the doubt goes to it (`DOUBT`). Not applicable where the answer, or
    the question that has to tell, is short.

    Source: Lesson section 3.1, `language_match`, which leaves it to a judge. Raises ValueError if the
    detector does not know the language.
    """
    expected = sample.declared_language or next(iter(distances(sample.question or "")))
    behind, wanted = distances(sample.uncited), expected.strip().lower().replace("_", "-").split("-")[0]
    if wanted not in behind:
        raise ValueError(
            f"the language detector knows no language {expected!r:.20}; it wants an ISO 639-1 code"
        )
    return float(behind[wanted] <= DOUBT), [
        {"text": sample.uncited, "language": next(iter(behind)), "expected": expected}
    ]


_BRACKETED = re.compile(r"\[([^\[\]\n]{1,200})\]")
_FOREIGN = re.compile(r"[【〔][^【】〔〕\n]{1,100}[】〕]|<(?:cite|ref|source)\b[^<>\n]{0,100}>")
_OPEN = re.compile(r"\[[^\s\[\],;#]{1,100}#p[0-9]{1,9}(?![^\[\]\n]{0,200}\])")
_CODE_FENCE = re.compile(r"\A\s*```(?:json)?[ \t\r]*\n(.+)\n[ \t]*```\s*\Z", re.DOTALL | re.IGNORECASE)
_PLACE = re.compile(
    r"#|\A(?:doc(?:ument)?|source|ref(?:erence)?|chunk|passage|page|p)[\s_.:-]{0,3}\d{1,9}\Z", re.IGNORECASE
)


def schema_problems(answer: str, schema: str) -> list[str]:
    """What keeps the answer, without its code fence, from being JSON that fits the JSON schema.

    Raises ValueError if the schema itself is no valid JSON schema, written as one JSON object.
    """
    import jsonschema

    try:
        wanted = json.loads(schema)
        if not isinstance(wanted, dict):
            raise ValueError("it is no JSON object")
        kind = jsonschema.validators.validator_for(wanted, default=jsonschema.Draft202012Validator)
        kind.check_schema(wanted)
    except (ValueError, RecursionError, jsonschema.SchemaError) as why:
        raise ValueError(f"the JSON schema is not valid: {getattr(why, 'message', why)!s:.200}") from why
    try:
        found = json.loads(_CODE_FENCE.sub(r"\1", answer))
        errors = islice(kind(wanted).iter_errors(found), 20)
        return [f"{error.json_path:.100}: {error.message:.200}" for error in errors]
    except (ValueError, RecursionError) as why:
        return [f"not JSON: {why!s:.200}"]


def house_problems(answer: str, known: Collection[str] = (), *, must_cite: bool = True) -> list[str]:
    """What departs from the house format: a citation, each in the id grammar (`[doc#p3]`, `[3]`).

    known : the ids retrieved, which are citations even outside the grammar; `[sic]` is none and no fault
    must_cite : False for an answer that asserts nothing, or whose reply names its sources beside the text
    """
    cited = any(ids for _, ids in citation_grammar.parse(answer, known=known))
    documents = {one.split("#")[0] for one in known if "#" in one}
    bracketed = [(found[0], found[1].strip()) for found in _BRACKETED.finditer(answer)]
    malformed = [  # what means to be a citation and is none: a `#`, `page` with a number, a document's name
        text
        for text, inside in bracketed
        if (_PLACE.search(inside) or inside in documents) and citation_grammar.strip(f"[{inside}]", known)
    ]
    malformed += [found[0] for pattern in (_FOREIGN, _OPEN) for found in pattern.finditer(answer)]
    none = [] if cited or not must_cite else ["no citation in the form [doc#p3] or [3]"]
    return none + [f"malformed citation {text:.80}" for text in malformed[:20]]


def schema_valid(sample: Sample, tools: Tools) -> Result:
    """1 if the answer keeps its format, else 0; higher is better; the problems are the evidence.

    The format is the JSON schema of its case, or the house format where the case has none.
    """
    if sample.schema is not None:
        problems = schema_problems(sample.answer or "", sample.schema)
    else:
        must_cite = not (sample.answerable is False or sample.abstains or sample.citations)
        problems = house_problems(sample.answer or "", sample.citable, must_cite=must_cite)
    return float(not problems), [{"problem": problem} for problem in problems]


_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+(?:['’.,-][^\W_]+)*")


def count_words(text: str) -> int:
    """Number of words: `1,250.50`, `don't`, `up-to-date` are one; a Chinese or Japanese sign is one."""
    return sum(1 for _ in _WORD.finditer(text))


def answer_words(sample: Sample, tools: Tools) -> Result:
    """Number of words of the answer, citations apart."""
    return float(count_words(sample.uncited)), []


def latency_within_budget(sample: Sample, tools: Tools) -> Result:
    """1 if the answer came within so many seconds, else 0; higher is better.

    Raises ValueError if the latency is below 0.
    """
    seconds, budget = sample.latency_s or 0.0, tools.budgets.seconds
    if seconds < 0:
        raise ValueError(f"a latency is at least 0; found {seconds:g}")
    return float(seconds <= budget), [{"seconds": seconds, "budget": budget}]


CLOSE = 0.1  # a sentence this near to the best cosine with the question may be the answer
ABOUT = 0.2  # least cosine of a sentence that is about the question
OPENING = 3  # sentences in which the direct answer may stand
_CAPITALISED = re.compile(r"(?<=\S )[A-ZÀ-Ý]\w")
_NAME = re.compile(r"(?<=\S )[A-ZÀ-Ý]\w|\A\W*[A-ZÀ-Ý][\w-]*\W*\Z")
_TOKEN = re.compile(r"\w+")
_ITEM = re.compile(r"\b[A-Z]+-?\d+[A-Z\d-]*\b")  # a name with a number: E07, PX-200
KINDS: dict[str, Callable[[str], bool]] = {  # what a question may ask for, and how a sentence shows it
    "number": lambda text: bool(numbers(text)),
    "time": lambda text: bool(numbers(text)) or has_sign("moment", text),
    "name": lambda text: bool(_CAPITALISED.search(text)),
    "yes_no": lambda text: has_sign("decides", text),
}
ASKED: dict[str, Callable[[str], bool]] = {  # the same, finer, of what a sentence adds to the question
    "price": lambda text: (
        has_sign("free", text)
        or any(one.unit is None or one.unit[0] in ("money", "share") for one in find_amounts(text))
    ),
    "measure": lambda text: bool(find_amounts(text)),
    "number": lambda text: bool(read_evidence((text,)).numbers),
    "time": KINDS["time"],
    "person": lambda text: bool(_NAME.search(text)) or has_sign("role", text),
}


def answers_question(sample: Sample, tools: Tools) -> Result:
    """Whether the answer gives what the question asks for, and how near to it, in [0, 1]; higher is better: 0
    if no sentence gives it, else 0.5 and half the greatest cosine with the question of a sentence that does,
    one below 0 counting as 0. One record per sentence.

    What a sentence adds are its words that are not the question's. It gives what is asked for if that holds
    the kind of thing: a price, a measure, a number, a time, a person; of yes or no, if it says so, or the
    head of refusals reads it as an answer; of other questions, if the head does, or if it adds two words and
    does not talk about the question. A sentence on another item (E12 for E07) gives nothing. Not applicable
    to an answer that declines; 0 if it evades. Source: this kit; HCAT section 3.4 takes closeness alone.
    """
    if sample.abstains and sample.reading.declining:
        raise NotApplicable("the assistant abstained")
    question, texts = sample.question or "", [one.text for one in sample.answer_sentences]
    asked = [one.text[:2000] for one in sample.question_sentences]
    kind = next((kind for kind in (*ASKED, "yes_no") for text in asked if has_sign(kind, text)), "")
    known = {word.stem for word in words(question)} | word_lists.kind("asking")
    items, given = set(_ITEM.findall(question)), []
    for text in texts:
        added = _TOKEN.sub(lambda one: "" if stem(one[0].lower()) in known else one[0], text)
        n_added = sum(word.content or word.lower.isdigit() for word in words(added))
        answers, named = bool(n_added) and text in sample.reading.asserting, set(_ITEM.findall(text))
        if sample.abstains or (items and named and not items & named):
            given.append(False)
        elif kind == "yes_no":
            given.append(answers or has_sign("decides", text))
        elif kind:
            given.append(ASKED[kind](added))
        else:
            talks = has_sign("courtesy", text) or has_sign("of_question", text)
            given.append(answers or (n_added > 1 and not talks))
    cosines = tools.cosines(texts, [question])[:, 0]
    value = 0.5 + max(0.0, *cosines[given].tolist()) / 2 if any(given) else 0.0
    return value, [
        {"text": text, "score": score, "answers": gives}
        for text, score, gives in zip(texts, cosines.tolist(), given, strict=True)
    ]


def directness(sample: Sample, tools: Tools) -> Result:
    """How directly the answer answers, in [0, 1]; higher is better; one record per sentence. The mean of four
    points: the answer stands in the first sentence (1) or an early one (0.5); no preamble; the shares of
    sentences that do not speculate, and that are about the question. The answer stands in the first sentence
    with the kind of thing asked for, or else the first near the question.

    Source: Lesson sections 1.3 ("answers the question first, then gives brief context; no detours or
    speculation") and 10.1 (three sentences).
    """
    sentences = [sentence.text for sentence in sample.answer_sentences]
    questions = [sentence.text for sentence in sample.question_sentences]
    cosines = tools.cosines(sentences, questions).max(axis=1)
    close = round(float(cosines.max()) - CLOSE, 9)
    kind = next((kind for kind in KINDS if has_sign(kind, (sample.question or "")[:2000])), None)
    holding = [i for i, text in enumerate(sentences) if kind and KINDS[kind](text)]
    place = holding[0] if holding else int(np.argmax(cosines >= close))
    preamble = any(has_sign(sign, sentences[0][:300]) for sign in ("courtesy", "preamble"))
    speculating = [has_sign("speculation", text) for text in sentences]
    placed = 1.0 if place == 0 else 0.5 if place < OPENING else 0.0
    points = [placed, not preamble, 1 - np.mean(speculating), np.mean(cosines >= ABOUT)]
    return float(np.mean(points)), [
        {
            "text": text,
            "score": cosine,
            "answers": i == place,
            "preamble": preamble and i == 0,
            "speculates": guesses,
            "detour": cosine < ABOUT,
        }
        for i, (text, cosine, guesses) in enumerate(
            zip(sentences, cosines.tolist(), speculating, strict=True)
        )
    ]
