"""Ways to put a question less well or otherwise, a function each.

What may be touched is found as spans of characters, which are replaced at once. Slips of the keyboard and the
scanner; capitals and marks; words dropped, swapped, moved; synonyms, errors, languages mixed; as people type
in a hurry; paraphrases by a language model.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from ragassay.cases.rule_questions.word_forms import capitalize
from ragassay.models.judge import FENCE_RULE, Reply, Request, fence
from ragassay.models.judge.messages import Form, Unanswered, Unparsed, parse_reply

DATA = Path(__file__).parents[1] / "data"
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
OPTIONS = re.compile(r"\(\s*[Aa1]\s*\)")  # where the answers to choose from begin
SHARES = {1: 0.15, 2: 0.3, 3: 0.5}  # level -> share of the words that may be touched
Span = tuple[int, int]


@cache
def word_list(name: str) -> Any:
    """One of the lists of `data/perturbations.json`."""
    return json.loads((DATA / "perturbations.json").read_text(encoding="utf-8"))[name]


@cache
def words_of(name: str, language: str) -> frozenset[str]:
    """The words of one list in one language; none where it has no such list."""
    return frozenset(word_list(name).get(language, "").split())


@cache
def kept_words(language: str) -> frozenset[str]:
    """Words that carry what is asked and are never touched: negations, limits and numbers."""
    return frozenset().union(*(words_of(name, language) for name in ("negations", "limiting", "numbers")))


def stem_end(question: str) -> int:
    """Where the question ends and the answers to choose from begin: `... fee? (A) $5; (B) $6`."""
    found = OPTIONS.search(question)
    return found.start() if found and found.start() else len(question)


def touchable_words(question: str, language: str, shortest: int = 1) -> list[Span]:
    """The words that may be touched, in order: of `shortest` letters or more, in the question's stem.

    Never a word with a digit, one written like a name (a capital inside the question, or at its head before
    another), an acronym, a negation, a limit (`at least`, `before`) or a number in words.
    """
    end = stem_end(question)
    return [
        match.span()
        for match in WORD.finditer(question, 0, end)
        if len(match.group()) >= shortest and _may_be_touched(question, match, language)
    ]


def _may_be_touched(question: str, match: re.Match[str], language: str) -> bool:
    word, head = match.group(), not question[: match.start()].strip("¿¡\"'“ ")
    around = question[max(0, match.start() - 1) : match.end() + 1]
    after = question[match.end() :].lstrip()[:1]
    name = word[0].isupper() and (not head or after.isupper()) and word != "I"
    plain = word.casefold().replace("’", "'")
    kept = plain in kept_words(language) or plain.replace("'", "") in kept_words(language)
    acronym = word.isupper() and len(word) > 1
    return not (name or acronym or kept or any(map(str.isdigit, around)))


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
        question = question[:start] + like_written(question[start:end], new) + question[end:]
    return " ".join(question.split())


def change_some(
    question: str, spans: Sequence[Span], level: int, change: Callable[[str], str], rng: np.random.Generator
) -> str:
    """The question with the level's share of the words changed, at least one of them."""
    count = min(len(spans), max(1, round(SHARES[level] * len(spans))))
    chosen = [spans[i] for i in rng.choice(len(spans), size=count, replace=False)] if spans else []
    for start, end in sorted(chosen, reverse=True):
        question = question[:start] + change(question[start:end]) + question[end:]
    return question


def like_written(old: str, new: str) -> str:
    """The new words with a capital at their head where the old ones had it."""
    return new[:1].upper() + new[1:] if old[:1].isupper() and old != "I" else new


MARKS = re.compile(r"(?<!\d)[.,;:?!¿¡\"“”()]+|[.,;:?!¿¡\"“”()]+(?!\d)")  # those inside a number stay
STRAY = (",", "..", " ,", "?", " -")


def change_case(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """All in small letters; all in capitals; capitals at random."""
    if level < 3:
        return question.lower() if level == 1 else question.upper()
    raised = rng.random(len(question)) < 0.5
    return "".join(sign.upper() if up else sign.lower() for sign, up in zip(question, raised, strict=True))


def change_marks(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """No mark at the end; no mark at all but inside numbers; none, and stray ones after a third of the
    words."""
    if level == 1:
        return question.rstrip(" .?!…")
    bare = MARKS.sub(" ", question).split()
    if level == 2:
        return " ".join(bare)
    stray = [STRAY[int(rng.integers(len(STRAY)))] if rng.random() < 1 / 3 else "" for _ in bare]
    stray = ["" if word[-1].isdigit() else mark for word, mark in zip(bare, stray, strict=True)]
    return " ".join(word + mark for word, mark in zip(bare, stray, strict=True)) + "??"


BESIDE = (
    "wa qes wrd etf ryg tuh yij uok ipl ol qsz adwx sfec dgrv fhtb gjyn hkum jli kop xas zcd xvf cbg "
    "vnh bmj nk"
).split()
KEYS_BESIDE = dict(zip("qwertyuiopasdfghjklzxcvbnm", BESIDE, strict=True))  # QWERTY
SHORTEST = 4  # letters of a word that is misspelt


@cache
def known_words() -> frozenset[str]:
    """Whole words of three letters or more that the default encoder's vocabulary has: what a slip must not
    become, for then another thing is asked (`form` for `from`)."""
    from ragassay import models

    return frozenset(word for word in models.tokenizer().get_vocab() if len(word) >= 3 and word.isalpha())


def add_slips(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """One slip of the keyboard in each word touched: a neighbouring key, two letters swapped, one dropped or
    one doubled."""
    spans = touchable_words(question, language, SHORTEST)
    return change_some(question, spans, level, lambda word: _first_unknown(word, _slips(word, rng), rng), rng)


def misread(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """One letter in each word touched read as a scanner misreads it: rn for m, 1 for l; never the first."""
    spans = touchable_words(question, language, SHORTEST)
    return change_some(
        question, spans, level, lambda word: _first_unknown(word, _misreadings(word), rng), rng
    )


def _first_unknown(word: str, slips: list[str], rng: np.random.Generator) -> str:
    """One of the slips, from a place drawn by rng on, that is no other word; the word where there is none."""
    if not slips:
        return word
    first = int(rng.integers(len(slips)))
    turned = slips[first:] + slips[:first]
    return next((slip for slip in turned if slip != word and slip.lower() not in known_words()), word)


def _slips(word: str, rng: np.random.Generator) -> list[str]:
    at = int(rng.integers(1, len(word) - 1))
    keys = KEYS_BESIDE.get(word[at].lower(), "e")
    return [
        word[:at] + keys[int(rng.integers(len(keys)))] + word[at + 1 :],
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
    ]


def _misreadings(word: str) -> list[str]:
    return [
        word[:at] + read + word[at + len(sign) :]
        for sign, read in word_list("ocr").items()
        for at in range(1, len(word))
        if word.startswith(sign, at)
    ]


_CLAUSE = r"(?P<clause>(?:if|when|while|because)\s[^,;?]+)"
_PHRASE = r"(?P<clause>(?:for|under|in|according to|with)\s[^,;?]+)"
_ALONE = r"(?:(?!\b(?:and|or|if)\b)[^,;?])*"  # one question, nothing joined to it
_ASKED = (
    rf"(?P<asked>(?:what|which|who|how|when|where|why|is|are|can|may|must|do|does|will|should)\b{_ALONE})"
)
ORDERS = tuple(
    (re.compile(pattern, re.IGNORECASE), template)
    for pattern, template in (
        (rf"{_CLAUSE},\s{_ASKED}\?", "{asked} {clause}?"),
        (rf"{_PHRASE},\s{_ASKED}\?", "{asked} {clause}?"),
        (rf"{_ASKED}\s(?P<clause>if\s[^,;?]+)\?", "{clause}, {asked}?"),
    )
)


def drop_words(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """One, two or three small words left out: articles, auxiliaries, possessives; unchanged if there are
    fewer."""
    small = words_of("small_words", language)
    spans = [span for span in touchable_words(question, language) if _word(question, span) in small]
    if len(spans) < level:
        return question
    chosen = sorted((spans[i] for i in rng.choice(len(spans), size=level, replace=False)), reverse=True)
    for start, end in chosen:
        question = question[:start] + question[end:]
    return capitalize(" ".join(question.split()))


def swap_words(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """One, two or three pairs of neighbouring words swapped, one of them small (`card company` is no `company
    card`); unchanged if there are fewer."""
    if language != "en":
        return question
    pairs = _pairs(question, language)
    chosen: list[tuple[Span, Span]] = []
    for i in rng.permutation(len(pairs)):
        if len(chosen) < level and all(pairs[i][1][1] < a[0] or b[1] < pairs[i][0][0] for a, b in chosen):
            chosen.append(pairs[i])
    if len(chosen) < level:
        return question
    for (a, b), (c, d) in sorted(chosen, reverse=True):
        question = question[:a] + question[c:d] + question[b:c] + question[a:b] + question[d:]
    return question


def reorder_clauses(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """An English clause or phrase moved to the other end: `If I pay late, what happens?` to `What happens if
    I pay late?`, and back; unchanged where none stands alone."""
    stem, options = question[: stem_end(question)].strip(), question[stem_end(question) :]
    if language != "en":
        return question
    for pattern, template in ORDERS:
        if found := pattern.fullmatch(stem):
            parts = {name: _small_head(text) for name, text in found.groupdict().items()}
            return " ".join([capitalize(template.format(**parts)), options]).strip()
    return question


def _pairs(question: str, language: str) -> list[tuple[Span, Span]]:
    fixed = words_of("fixed", language)
    spans = [span for span in touchable_words(question, language) if _word(question, span) not in fixed]
    small = words_of("movable", language)
    return [
        (one, other)
        for one, other in pairwise(spans)
        if question[one[1] : other[0]] == " " and {_word(question, one), _word(question, other)} & small
    ]


def _word(question: str, span: Span) -> str:
    return question[span[0] : span[1]].casefold()


def _small_head(text: str) -> str:
    first = text.split()[0]
    return text if first == "I" or first.isupper() else text[0].lower() + text[1:]


MIXED_WITH = {"en": ("es", "pt"), "es": ("en",), "pt": ("en",)}  # a question's language -> what comes in


def use_synonyms(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """One, two or three words or phrases replaced by their synonyms; unchanged if there are fewer."""
    table = {old: new[int(rng.integers(len(new)))] for old, new in synonyms().items()}
    return (
        replace_some(question, phrases_found(question, language, table), level, rng)
        if language == "en"
        else question
    )


def make_errors(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """One, two or three errors of grammar: agreement, verb forms, articles, word order of a statement."""
    table = word_list("grammar").get(language, {})
    return replace_some(question, phrases_found(question, language, table), level, rng)


def mix_languages(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """A greeting in another language; also two words of it; also thanks and four words."""
    others = MIXED_WITH.get(language, ("en",))
    given = word_list("mixed")[others[int(rng.integers(len(others)))]]
    places = phrases_found(question, language, given["words"]) if level > 1 else []
    mixed = replace_some(question, places, min(len(places), {1: 0, 2: 2, 3: 4}[level]), rng)
    if level > 1 and mixed == question:
        return question
    greeting = given["greeting"][int(rng.integers(len(given["greeting"])))]
    thanks = f" {given['thanks'][int(rng.integers(len(given['thanks'])))]}" if level == 3 else ""
    return f"{greeting}, {mixed}{thanks}"


@cache
def synonyms() -> dict[str, list[str]]:
    """What may stand for a word or phrase of a question, of `data/question_synonyms.txt`."""
    lines = (DATA / "question_synonyms.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split(" = ") for line in lines if line and not line.startswith("#"))
    return {old: new.split(", ") for old, new in pairs}


def make_casual(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """An opening word; also in small letters with little punctuation; also with every short form there is."""
    openings = word_list("openings").get(language, word_list("openings")["en"])
    opening = openings[int(rng.integers(len(openings)))]
    if level == 1:
        return f"{opening}, {question}"
    places = phrases_found(question, language, _short_forms(language)) if level == 3 else []
    text = replace_some(question, places, len(places), rng)
    return " ".join([opening, *MARKS.sub(" ", text.lower()).split()])


def shorten_words(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """Short forms of text messages in one, two or three places: u, pls, acct."""
    return replace_some(question, phrases_found(question, language, _short_forms(language)), level, rng)


def contract(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """English contractions written where there is none, or written out where there is one: what's, don't."""
    if language != "en":
        return question
    stem, options = question[: stem_end(question)], question[stem_end(question) :]
    pairs = word_list("contractions")
    written_out = _replaced(stem, {short: full for full, short in pairs.items()})
    return (written_out if written_out != stem else _replaced(stem, pairs)) + options


def _short_forms(language: str) -> Mapping[str, str]:
    return word_list("short_forms").get(language, {})


def _replaced(text: str, pairs: Mapping[str, str]) -> str:
    lower = {old.casefold(): new for old, new in pairs.items()}
    return _pattern(tuple(lower)).sub(
        lambda found: like_written(found[0], lower[found[0].casefold().replace("’", "'")]), text
    )


@cache
def _pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(phrases, key=len, reverse=True)
    alternatives = "|".join(re.escape(phrase).replace("'", "['’]") for phrase in longest_first)
    return re.compile(rf"\b(?:{alternatives})\b", re.IGNORECASE)


Ask = Callable[[Sequence[Request]], list[Reply]]
PROMPT = Path(__file__).parent / "prompts" / "paraphrase.md"


class Paraphrase(Form):
    """The reply: one question."""

    question: Annotated[str, Field(strict=True, min_length=1, max_length=4_000)]


def paraphrase(questions: Sequence[str], judge: Ask) -> list[str]:
    """Each question in other words, in the order given; "" where no readable reply came."""
    rules = PROMPT.read_text(encoding="utf-8").format(rule=FENCE_RULE).strip()
    replies = judge([Request("paraphrase", rules, fence("QUESTION", text), 400) for text in questions])
    return [_read(reply) for reply in replies]


def _read(reply: Reply) -> str:
    try:
        return parse_reply(reply, Paraphrase).question.strip()
    except (Unanswered, Unparsed):
        return ""
