"""Perturbations: the same questions put less well or otherwise (HCAT section 6.1, type 3: spelling errors,
grammatical mistakes, colloquial language; beside them synonyms, a second language, and paraphrases by a
model). `meaning_guard`: which still ask the same. And the same questions once more, or as the second turn of
a conversation, whose first names the subject that the second leaves out.

A new one is a function from question, language, level and rng to a question, and its row in PERTURBATIONS.
Their words are `data/perturbations.json`.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from ragassay import parameter_ranges
from ragassay.cases import case_table
from ragassay.models.judge_messages import FENCE_RULE, Form, Reply, Request, Unparsed, fence, parse_reply
from ragassay.stats.random_streams import random_base, random_stream

PROMPT = Path(__file__).parent / "prompts" / "paraphrase.md"
LISTS = json.loads((case_table.DATA / "perturbations.json").read_text(encoding="utf-8"))
LEVELS = (1, 2, 3)  # light to heavy
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
OPTIONS = re.compile(r"\(\s*[Aa1]\s*\)")  # where the answers to choose from begin
MARKS = re.compile(r"(?<!\d)[.,;:?!¿¡\"“”()]+|[.,;:?!¿¡\"“”()]+(?!\d)")  # those inside a number stay
SHARES = {1: 0.15, 2: 0.3, 3: 0.5}  # level -> share of the words that are misspelt
SHORTEST = 4  # letters of a word that is misspelt
BESIDE = (
    "wa qes wrd etf ryg tuh yij uok ipl ol qsz adwx sfec dgrv fhtb gjyn hkum jli kop xas zcd xvf cbg "
    "vnh bmj nk"
).split()
KEYS_BESIDE = dict(zip("qwertyuiopasdfghjklzxcvbnm", BESIDE, strict=True))  # QWERTY
MIXED_WITH = {"en": ("es", "pt"), "es": ("en",), "pt": ("en",)}  # a question's language -> what comes in
BY_MODEL = "paraphrase"
Make = Callable[[str, str, int, np.random.Generator], str]
Ask = Callable[[Sequence[Request]], list[Reply]]
Span = tuple[int, int]
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


@dataclass(frozen=True)
class Perturbation:
    """A way to put a question: `make(question, language, level, rng)` gives the text, the same one where it
    finds nothing to change; level is 1 (light), 2 or 3 (heavy).

    reworded : whether it changes words, so that the head of entailment must find that both ask the same
    misspelt : whether it changes letters, so that no other word may come of it
    """

    make: Make
    reworded: bool = False
    misspelt: bool = False


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


PERTURBATIONS = {  # kind of the perturbed cases -> how they are made
    "spelling": Perturbation(add_slips, misspelt=True),
    "grammar": Perturbation(partial(change_words, by="grammar"), reworded=True),  # agreement, articles, order
    "casual": Perturbation(make_casual),
    "synonyms": Perturbation(partial(change_words, by="synonyms"), reworded=True),
    "language_mix": Perturbation(mix_languages),
}


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


def sample_parents(cases: pd.DataFrame, n: int, seed: int) -> pd.DataFrame:
    """At most n of the answerable questions, 1 or more, drawn by seed, in the order of their ids; later turns
    of a conversation, which mean nothing alone, are left out."""
    parameter_ranges.check("n_parents", n, "in [1, inf)")
    alone = cases["answerable"].astype(bool)
    if "turn" in cases:
        alone &= ~(cases["turn"] > 1)
    return cases[alone].sample(min(n, int(alone.sum())), random_state=seed).sort_values("case_id")


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
    base, turn = random_base(rng), np.arange(len(cases)) % len(LEVELS)
    tables = []
    for place, kind in enumerate(kinds or PERTURBATIONS):
        for at, level in enumerate(LEVELS):
            chosen = cases[(turn + place) % len(LEVELS) == at]
            texts = [
                PERTURBATIONS[kind].make(
                    question, str(language), level, random_stream(base, kind, str(level), str(case_id))
                )
                for case_id, question, language in chosen[["case_id", "question", "language"]].to_numpy()
            ]
            tables.append(_variants(chosen, kind, level, texts))
    if judge is not None:
        tables.append(_variants(cases, BY_MODEL, None, paraphrase(cases["question"].tolist(), judge)))
    return pd.concat(tables, ignore_index=True)


def _variants(cases: pd.DataFrame, kind: str, level: int | None, texts: Sequence[str]) -> pd.DataFrame:
    """The texts as a cases table, with the further columns of the cases they were made from."""
    mark = kind if level is None else f"{kind}-{level}"
    rows = [
        case_table.varied_case(case, kind, mark, text, level)
        for case, text in zip(cases.to_dict("records"), texts, strict=True)
    ]
    return case_table.cases_frame(rows, extra=None)


def words_of(name: str, language: str) -> frozenset[str]:
    """The words of one list in one language; none where it has no such list."""
    return frozenset(LISTS[name].get(language, "").split())


@cache
def known_words() -> frozenset[str]:
    """Whole words of three letters or more that the default encoder's vocabulary has: what a slip must not
    become, for then another thing is asked (`form` for `from`)."""
    from ragassay import models

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


def ask_again(asked: pd.DataFrame, n: int, *, seed: int) -> pd.DataFrame:
    """At most n answerable questions once more, in another order (kind `repeat`), and of a third as many a
    conversation (`follow_ups`).

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
    first, last = _FIRST.match(question), _LAST.search(question)
    if first:
        subject, rest = first["subject"], question[first.end() :]
    elif last:
        subject, rest = last["subject"], question[: last.start()] + "?"
    else:
        return None
    rest = rest[:1].upper() + rest[1:]
    fits = len(rest.split()) >= LEAST_WORDS and not _OTHER.search(rest) and not _DAY.search(subject)
    return (subject, rest) if fits else None
