"""Perturbations: the same questions put less well or otherwise (HCAT section 6.1, type 3: spelling errors,
grammatical mistakes, colloquial language; beside them synonyms, a second language, and paraphrases by a
model); and which of them still ask the same (`guard_meaning`).

Every variant keeps the parent's names, numbers, negations and limits (`at least`, `before`). A rewording
(synonyms, grammar, paraphrase) has to follow from the parent and the parent from it, by the head of
entailment; it knows English. Surface noise (letters, capitals, marks, a greeting) breaks entailment although
no reader is misled: there no slip may make another word, and the letters stay near the parent's.

A new one is a function from question, language, level (1 light, 3 heavy) and rng to a question, the same one
where it finds nothing to change; its row in PERTURBATIONS, and in REWORDED or MISSPELT; its name for readers,
if another, in `scores/level_names.csv`. Their words are `data/perturbation_words.json`.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache, partial
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from ragassay import models, parameter_ranges
from ragassay.cases import case_table
from ragassay.models.judge import make_judge
from ragassay.models.judge_messages import FENCE_RULE, Ask, Form, Request, Unparsed, fence, parse_reply
from ragassay.stats import random_base, random_stream

PROMPT = Path(__file__).parent / "prompts" / "paraphrase.md"
LISTS = json.loads((case_table.DATA / "perturbation_words.json").read_text(encoding="utf-8"))
LEVELS = (1, 2, 3)  # light to heavy
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
OPTIONS = re.compile(r"\(\s*[Aa1]\s*\)")  # where the answers to choose from begin
MARKS = re.compile(r"(?<!\d)[.,;:?!¿¡\"“”()]+|[.,;:?!¿¡\"“”()]+(?!\d)")  # those inside a number stay
SHARES = {1: 0.15, 2: 0.3, 3: 0.5}  # level -> share of the words that are misspelt
SHORTEST = 4  # letters of a word that is misspelt
KEYS_BESIDE = dict(  # QWERTY
    zip(
        "qwertyuiopasdfghjklzxcvbnm",
        (
            "wa qes wrd etf ryg tuh yij uok ipl ol qsz adwx sfec dgrv fhtb gjyn hkum jli kop xas zcd xvf cbg "
            "vnh bmj nk"
        ).split(),
        strict=True,
    )
)
MIXED_WITH = {"en": ("es", "pt"), "es": ("en",), "pt": ("en",)}  # a question's language -> what comes in
BY_MODEL = "paraphrase"
Make = Callable[[str, str, int, np.random.Generator], str]
Span = tuple[int, int]
SAME_MEANING = 0.4  # least probability of entailment, both ways: chosen by bench/meaning_guard.py
READABLE = 0.8  # least share of letters in common where words are misspelt
UNCHANGED = "nothing to change"
_NUMBER = re.compile(r"(?<![^\W_])\d+(?:[.,:]\d+)*")
_NAME = re.compile(r"(?<=[^\W_] )(?:[A-Z][\w’'&-]*\d*)(?: [A-Z0-9][\w’'&-]*)*")
_LETTERS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")  # digits may have slipped in
_APART = re.compile(r"[\W_]+")


def add_slips(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """One slip of the keyboard in each word touched: a neighbouring key, two letters swapped, one dropped or
    one doubled. Level: the share of the words, SHARES."""
    spans = touchable_words(question, language, SHORTEST)
    count = min(len(spans), max(1, round(SHARES[level] * len(spans))))
    chosen = [spans[i] for i in rng.choice(len(spans), size=count, replace=False)] if spans else []
    for start, end in sorted(chosen, reverse=True):
        question = question[:start] + _slip(question[start:end], rng) + question[end:]
    return question


def _slip(word: str, rng: np.random.Generator) -> str:
    """The word with a slip that makes no other word; itself where there is none."""
    at = int(rng.integers(1, len(word) - 1))
    keys = KEYS_BESIDE.get(word[at].lower(), "e")
    slips = [
        word[:at] + keys[int(rng.integers(len(keys)))] + word[at + 1 :],
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
    ]
    first = int(rng.integers(len(slips)))
    turned = slips[first:] + slips[:first]
    return next((slip for slip in turned if slip != word and slip.lower() not in known_words()), word)


def make_casual(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """An opening word; also in small letters with little punctuation; also with every short form there is."""
    openings = LISTS["openings"].get(language, LISTS["openings"]["en"])
    opening = openings[int(rng.integers(len(openings)))]
    if level == 1:
        return f"{opening}, {question}"
    short_forms = LISTS["short_forms"].get(language, {}) if level == 3 else {}
    places = phrases_found(question, language, short_forms)
    text = replace_some(question, places, len(places), rng)
    return " ".join([opening, *MARKS.sub(" ", text.lower()).split()])


def change_words(question: str, language: str, level: int, rng: np.random.Generator, *, by: str) -> str:
    """One, two or three words or phrases in the form that a list (`by`) has for them; unchanged if there are
    fewer."""
    listed = LISTS[by].get(language, {})
    table = {old: new if by == "grammar" else new[int(rng.integers(len(new)))] for old, new in listed.items()}
    return replace_some(question, phrases_found(question, language, table), level, rng)


def mix_languages(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """A greeting in another language; also two words of it; also thanks and four words."""
    others = MIXED_WITH.get(language, ("en",))
    given = LISTS["mixed"][others[int(rng.integers(len(others)))]]
    places = phrases_found(question, language, given["words"]) if level > 1 else []
    mixed = replace_some(question, places, min(len(places), {1: 0, 2: 2, 3: 4}[level]), rng)
    if level > 1 and mixed == question:
        return question
    greeting = given["greeting"][int(rng.integers(len(given["greeting"])))]
    thanks = f" {given['thanks'][int(rng.integers(len(given['thanks'])))]}" if level == 3 else ""
    return f"{greeting}, {mixed}{thanks}"


PERTURBATIONS: dict[str, Make] = {  # kind of the perturbed cases -> how they are made
    "spelling": add_slips,
    "grammar": partial(change_words, by="grammar"),  # agreement, articles, order
    "casual": make_casual,
    "synonyms": partial(change_words, by="synonyms"),
    "language_mix": mix_languages,
}
REWORDED = {"grammar", "synonyms", BY_MODEL}  # words change: the head of entailment must find the same asked
MISSPELT = {"spelling"}  # letters change: no other word may come of it


class Paraphrase(Form):
    """A language model's reply: one question."""

    question: Annotated[str, Field(strict=True, min_length=1, max_length=4_000)]


def paraphrase(questions: Sequence[str], judge: Ask) -> list[str]:
    """Each question in other words, in the order given; "" where no readable reply came."""
    rules = PROMPT.read_text(encoding="utf-8").format(rule=FENCE_RULE).strip()
    replies = judge([Request("paraphrase", rules, fence("QUESTION", text), 400) for text in questions])
    found = []
    for reply in replies:
        try:
            found.append(parse_reply(reply, Paraphrase).question.strip())
        except Unparsed:
            found.append("")
    return found


def perturb(
    cases: pd.DataFrame, rng: np.random.Generator, *, kinds: Sequence[str] = (), judge: Ask | None = None
) -> pd.DataFrame:
    """Every case in every kind of perturbation at one of LEVELS (1 light, 3 heavy), the next level in the
    next kind (a Latin square): of as many kinds as levels, every case is asked at every level.

    A question in which a kind finds nothing to change comes back as it is: `guard_meaning` sorts it out. Each
    variant has random numbers of its own: it stays the same whatever else is made.

    Parameters
    ----------
    kinds : of PERTURBATIONS; none named: all
    judge : a language model (`models.judge.Judge`) that paraphrases as well; None: no paraphrase

    Raises
    ------
    ParameterError
        If a kind is unknown.
    """
    for kind in kinds:
        parameter_ranges.check("kinds", kind, f"one of {', '.join(PERTURBATIONS)}")
    base, asked, rows = random_base(rng), cases.to_dict("records"), list[dict]()
    for place, kind in enumerate(kinds or PERTURBATIONS):
        for turn, i in sorted(((i + place) % len(LEVELS), i) for i in range(len(asked))):
            case, level = asked[i], LEVELS[turn]
            own = random_stream(base, kind, str(level), str(case["case_id"]))
            text = PERTURBATIONS[kind](case["question"], str(case["language"]), level, own)
            rows.append(case_table.varied_case(case, kind, f"{kind}-{level}", text, level))
    if judge is not None:
        texts = paraphrase([case["question"] for case in asked], judge)
        rows += [
            case_table.varied_case(case, BY_MODEL, BY_MODEL, text)
            for case, text in zip(asked, texts, strict=True)
        ]
    return case_table.cases_frame(rows, extra=None)


def words_of(name: str, language: str) -> frozenset[str]:
    """The words of one list in one language; none where it has no such list."""
    return frozenset(LISTS[name].get(language, "").split())


@cache
def known_words() -> frozenset[str]:
    """Whole words of three letters or more that the default encoder's vocabulary has: what a slip must not
    become, for then another thing is asked (`form` for `from`)."""
    return frozenset(word for word in models.tokenizer().get_vocab() if len(word) >= 3 and word.isalpha())


def touchable_words(question: str, language: str, shortest: int = 1) -> list[Span]:
    """The words that may be touched, in order: of `shortest` letters or more, before the answers to choose
    from (`... fee? (A) $5; (B) $6`).

    Never a word with a digit, one written like a name (a capital inside the question, or at its head before
    another), an acronym, a negation, a limit (`at least`, `before`) or a number in words.
    """
    options = OPTIONS.search(question)
    end = options.start() if options and options.start() else len(question)
    kept = frozenset().union(*(words_of(name, language) for name in ("negations", "limiting", "numbers")))
    found = []
    for match in WORD.finditer(question, 0, end):
        word, start = match.group(), match.start()
        around, after = question[max(0, start - 1) : match.end() + 1], question[match.end() :].lstrip()[:1]
        head = not question[:start].strip("¿¡\"'“ ")
        name = word[0].isupper() and (not head or after.isupper()) and word != "I"
        acronym, plain = word.isupper() and len(word) > 1, word.casefold().replace("’", "'")
        fixed = {plain, plain.replace("'", "")} & kept or any(map(str.isdigit, around))
        if len(word) >= shortest and not (name or acronym or fixed):
            found.append(match.span())
    return found


def phrases_found(question: str, language: str, table: Mapping[str, str]) -> list[tuple[Span, str]]:
    """Where the words or phrases of a table stand among the touchable words, each with what the table gives
    for it; the longest first where two overlap, in order."""
    free = touchable_words(question, language)
    found: list[tuple[Span, str]] = []
    for size in sorted({len(phrase.split()) for phrase in table}, reverse=True):
        for run in (free[i : i + size] for i in range(len(free) - size + 1)):
            start, end = run[0][0], run[-1][1]
            given = table.get(question[start:end].casefold().replace("’", "'"))
            if given is not None and all(end <= a or b <= start for (a, b), _ in found):
                found.append(((start, end), given))
    return sorted(found)


def replace_some(
    question: str, places: Sequence[tuple[Span, str]], count: int, rng: np.random.Generator
) -> str:
    """The question with `count` of the places replaced, drawn by rng; unchanged if there are fewer."""
    if not 0 < count <= len(places):
        return question
    chosen = [places[i] for i in rng.choice(len(places), size=count, replace=False)]
    for (start, end), new in sorted(chosen, reverse=True):
        old = question[start:end]
        capital = old[:1].isupper() and old != "I"
        question = question[:start] + (new[:1].upper() + new[1:] if capital else new) + question[end:]
    return " ".join(question.split())


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
    judged = [i for i, row in enumerate(rows) if not reasons[i] and row["kind"] in REWORDED]
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


def reason_against(parent: str, variant: str, kind: str, language: str, names: Sequence[str]) -> str:
    """Why a variant is left out by its words and letters; "" where nothing is against it.

    names : what the parent calls by name
    """
    before, after = carried(parent, language), carried(variant, language)
    misspelt = kind in MISSPELT
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
        "no head judges this language": kind in REWORDED and language != "en",
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
