"""What a question can be asked about: sentences, lists and table rows, each with its passage, title and
heading; a sentence as subject, verb and rest, by closed lists of words (what cannot be parted safely is left
alone); and Candidate, a question made of one, with what it must pass before anyone is asked it: the document
named where it must be, a well-formed question that does not hold its answer."""

import json
import re
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

import pandas as pd

from ragassay.cases.case_table import DATA
from ragassay.documents import sentences

LISTS = json.loads((DATA / "words.json").read_text(encoding="utf-8"))


def word_list(name: str) -> frozenset[str]:
    """One of the closed lists of `data/words.json`."""
    return frozenset(LISTS[name].split())


def one_of(name: str) -> str:
    """The same list as one_of of a regular expression; `based_on` is a phrase."""
    return "|".join(LISTS[name].split()).replace("_", " ")


NUMBER_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
MONEY = r"(?:US)?[$€£]\s?\d(?:[\d,]*\d)?(?:\.\d+)?(?![.,]?\d)(?:\s(?:million|billion))?"
PERCENT = r"(?<!\d)\d+(?:[.,]\d+)?\s?(?:%|per\s?cent(?:age points?)?|percentage points?)"
UNIT = (
    r"(?:(?:full|whole|business|working|calendar|consecutive|more) )?(?:days?|hours?|minutes?|months?"
    r"|years?|weeks?)"
)
DURATION = rf"(?:(?<!\d)\d+|half an|an?|{NUMBER_WORDS})(?: (?:to|or|and) (?:\d+|{NUMBER_WORDS}))?[- ]{UNIT}"
MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
DATE = rf"(?:\d{{1,2}} (?:{MONTH})(?: \d{{4}})?|(?:{MONTH}) \d{{1,2}}(?:, \d{{4}})?|(?:{MONTH}) \d{{4}})"
TIME = r"\d{1,2}(?::\d{2}(?:\s?[ap]\.?m\.?)?|\s?[ap]\.?m\.?)(?!\d)"
BOUND = (
    r"(?:at least|at most|up to|no more than|not more than|no less than|about|a maximum of|a minimum of"
    r"|only|exactly)"
)
AMOUNT = rf"(?:{BOUND} )?(?:{MONEY}|{PERCENT})(?: (?:a|per|each|every) \w+)?"
SPAN = rf"(?:{BOUND} )?{DURATION}"
PARTICIPLE = rf"(?:(?:fully|normally|usually|automatically|never) )?(?:\w{{2,}}ed|{one_of('participles')})"
AUXILIARIES, NOUNS_TOO, DETERMINERS = map(word_list, ("auxiliaries", "nouns_too", "determiners"))
NOT_SUBJECTS = word_list("pointing") | word_list("not_subjects")
ROLES = re.compile(rf"(?:{one_of('roles')})$")
LONGEST_SUBJECT = 14  # words
INNER, OPENING, ADVERBS = map(word_list, ("inner", "opening", "adverbs"))
_VERBS = [line.split() for line in (DATA / "verbs.txt").read_text(encoding="utf-8").splitlines()]
VERBS = frozenset(base for base, *_ in _VERBS)  # their base forms
THIRD_PERSON = {forms[1]: forms[0] for forms in _VERBS if len(forms) > 1} | {"has": "have"}  # receives
GERUNDS = {gerund: base for base, *forms in _VERBS for gerund in forms[1:]}  # registering, closing, stopping
VAGUE = re.compile(
    rf"^(?:the|an?|no|each|every|all|any)? ?(?:\w+ )?(?:{one_of('vague')}|\w+th)$"
    rf"|^(?:the|this|any|all|an?)? ?(?:same|next|latter|former|{one_of('vague_heads')})\b"
    r"|\b(?:it|its|they|them|their|this|these|those|such|above|below|others?)\b"
    r"|^(?:the|an?) [a-z]+ (?:the|an?|it|they|which|that) "
)
ITEM = re.compile(r"^(?:\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]|[-*•–−▪◦])\s+(?=\S)")
FOOTNOTE = re.compile(r"^\d{1,3} (?=[A-Z][\w-]* )")  # its number
FEWEST, MOST, MOST_COMBINED = 5, 30, 42  # words; a question made of two facts or of an instance may be longer
NUMBERED = rf"(?:{one_of('numbered')})s?"
POINTS_AWAY = re.compile(
    r"\b(?:this|these|those|such|above|below|following|former|latter|hereof|thereof|herein|hereunder|said|we"
    rf"|our|us|ours|{NUMBERED} \W?(?:[A-Z]?\d[\w.]*|(?-i:[A-Z])\b)|sub-?(?:section|paragraph)s?|paragraphs?"
    r"|appendix|annex|referred to|likewise|the same|do(?:es|ing)? so|did so|in that case|there|than that)\b",
    re.IGNORECASE,
)
RESTS_ON_RULE = re.compile(
    rf"\b(?:to|under|in|of|see|by|with) (?:the (?:provisions|requirements) (?:of|in) )?(?:{NUMBERED}\b"
    rf"|\(\w{{1,4}}\)|(?-i:[A-Z]{{2,5}}) (?:Rule )?\d)|\b{NUMBERED} \W?\d|\bth(?:is|ese|at|ose) {NUMBERED}\b",
    re.IGNORECASE,
)
LOOSE_SIGNS = re.compile(
    r"[|#*_{}<>\[\]]|[—–:] ?\(|(?<!\w)\(\w{1,3}\)|\.\s*$|\s[,;:.]|[,—–:]$|(?:\b[A-Z]{2,}\b[ ,&]*){3,}"
    r"|\b1 (?:\w+ )?(?:day|hour|minute|month|year|week)s\b"
)
PART_OF_LIST = re.compile(
    r"[—–:] ?\(|(?<!\w)\(\w{1,3}\)|[—–:]\W*$|[\[\]{}<>|]|[;,:] (?:and |or )?\(?[b-z][.)] "
)
BREAKS_OFF = re.compile(rf"\b(?:{one_of('dangling')})$")
PRODUCT = re.compile(rf"(?!\w+ing )(?:(?!of |and )\S+ )+(?:{one_of('products')})(?: for .*)?", re.IGNORECASE)
GENERIC = re.compile(rf"(?:{one_of('generic_titles')})\b", re.IGNORECASE)
NUMBER = re.compile(
    r"[\d\W_]*|[0-9a-f-]{16,}|.{0,3}|(?:doc|file|text|page|scan|chapter|document)s?[\W_]*\d*|.*\d{5}.*"
)
MARKS = re.compile("[\u200b-\u200f\u202a-\u202e\u2066-\u2069]")  # no width, or the direction of writing


def small_words(texts: Iterable[str]) -> frozenset[str]:
    """Words the collection writes in lower case, and those it writes large at the head of a sentence only."""
    whole = "\n".join(texts)
    small = set(re.findall(r"(?<![\w-])[a-z][a-z’'-]+", whole))
    inside = {word.lower() for word in re.findall(r"(?:[a-z,;] |[“\"(])([A-Z][\w’'-]+)", whole)}
    large = {word.lower() for word in re.findall(r"(?<![\w-])[A-Z][a-z’'-]+", whole)}
    return frozenset(small | (large - inside))


def uncapitalize(phrase: str, vocabulary: frozenset[str]) -> str:
    """The phrase as it stands inside a sentence: its first word in lower case unless it looks like a name.

    vocabulary : see `small_words`
    """
    first, _, rest = phrase.partition(" ")
    plain = re.sub(r"['’]s?$", "", first.lower())
    common = plain in vocabulary and not first.isupper() and not re.match(r"[A-Z][a-zà-ÿ]", rest)
    known = first.lower() in DETERMINERS | NOT_SUBJECTS
    return f"{first.lower()} {rest}".strip() if known or common else phrase


def capitalize(text: str) -> str:
    """The text with its first letter in upper case."""
    at = next((i for i, letter in enumerate(text) if letter.isalpha()), 0)
    return text[:at] + text[at : at + 1].upper() + text[at + 1 :]


def names(text: str) -> list[str]:
    """Names of things in a question: runs of two capitalised words or more, not at its head;
    teams, posts and the bank are none."""
    run = r"\b[A-Z][\w’'&-]*(?: (?:of |and |the |de |for )?[A-Z0-9][\w’'&-]*)+"
    return [name for name in re.findall(run, text.partition(" ")[2]) if not ROLES.search(name)]


class Clause(NamedTuple):
    """`The fee` `is` `waived ...`; for any other verb than an auxiliary, `verb` is as written and `base` its
    base form."""

    subject: str
    verb: str
    base: str
    rest: str

    def ask(self, rest: str) -> str:
        """`does the bank charge REST`, `is the fee REST`, `must the customer REST`."""
        if self.verb in AUXILIARIES:
            return f"{'can' if self.verb == 'cannot' else self.verb} {self.subject} {rest}".strip()
        return f"{'does' if self.verb != self.base else 'do'} {self.subject} {self.base} {rest}".strip()


def parse_clause(sentence: str, vocabulary: frozenset[str]) -> Clause | None:
    """The first clause's subject, verb and rest (to the end of the sentence); None where the sentence is not
    whole or not of that form, or its subject means nothing outside its paragraph (`the period`)."""
    if not re.match(r"[“\"]?[A-Z0-9$]", sentence) or not re.search(r"[.!][”\")]?$", sentence):
        return None
    tokens = sentence.rstrip(".!").split()
    if len(tokens) < 3 or _bare(tokens[0]) in NOT_SUBJECTS or is_order(sentence):
        return None
    at = _find_verb(tokens) or 0  # a subject stands before it
    broken = any(_bare(token) in INNER | {"and/or"} or re.search("[(:]", token) for token in tokens[:at])
    no_noun = OPENING - {"one", "two", "three", "all"} | {"of", "and", "or", "not"}
    if not at or broken or _bare(tokens[at - 1]) in no_noun:
        return None
    verb, rest = tokens[at], tokens[at + 1 :]
    while rest and rest[0] in ADVERBS - {"only", "never"}:
        rest = rest[1:]
    base = verb if verb in AUXILIARIES else THIRD_PERSON.get(verb, verb)
    subject = uncapitalize(" ".join(tokens[:at]), vocabulary)
    return None if VAGUE.search(subject) else Clause(subject, verb, base, " ".join(rest))


def is_order(text: str) -> bool:
    """Whether a text tells somebody to do something: `Ask at a branch`, `Keep the number`."""
    first, second, *_ = [*map(_bare, text.split()), "", ""]
    return first in VERBS and second in OPENING | set("your my not it them".split())


def _bare(token: str) -> str:
    return token.lower().strip("“”\"'’,")


def _find_verb(tokens: list[str]) -> int | None:
    """Position of the finite verb. A word that may be a noun as well counts only if no auxiliary follows."""
    for i, token in enumerate(tokens[1 : LONGEST_SUBJECT + 1], start=1):
        if token in AUXILIARIES:
            return i
        if token in INNER or token.endswith((",", ";", ":")):
            return None
        if tokens[i - 1].lower() in OPENING or i + 1 == len(tokens):
            continue
        if token in THIRD_PERSON and token not in NOUNS_TOO:
            return i
        later = tokens[i + 1 :]  # an auxiliary may follow before the clause ends
        ends = [each in INNER | {"and", "or", "but"} or each.endswith((",", ";", ":")) for each in later]
        auxiliaries = AUXILIARIES & {*later[: [*ends, True].index(True)]}
        if _may_be_verb(tokens[:i], token, later[0]) and not auxiliaries:
            return i
    return None


def _may_be_verb(subject: list[str], token: str, after: str) -> bool:
    """`the bank charges $5`, `purchases carry a fee`; not `credit limits on`."""
    if token in THIRD_PERSON:
        named = subject[0].lower() in DETERMINERS or all(word[0].isupper() for word in subject)
        return named and bool(
            re.match(r"[$€£\d]|(?:an?|the|no|up|within|at|about|only|its|their|all|any)$", after)
        )
    phrase = re.split(r" (?:of|for|on|in|with|from|at|to) ", " ".join(subject))[0]
    single = subject[0].lower() in ("a", "an", "each", "every", "one", "this", "to")
    plural = phrase.endswith("s") and not phrase.endswith(("ss", "'s", "’s", "us")) and not single
    return token in VERBS and plural and (after in OPENING or bool(re.match(r"[$€£\d]", after)))


class Unit(NamedTuple):
    """A sentence in its place."""

    chunk_id: str
    doc_id: str
    topic: str | None
    language: str
    title: str
    heading: str
    text: str


class Block(NamedTuple):
    """Lines that belong together under one heading, with the passage of each, and the first of these: rows of
    a table, or items of a list without their marks."""

    source: Unit
    is_table: bool
    lines: list[str]
    chunk_ids: list[str]


class Candidate(NamedTuple):
    """A question, its answer and its passages.

    answer   : the sentence, or the steps, that answer it
    key_fact : the part of the answer that matters ("$6.00"); for yes/no questions "yes" or "no"
    family   : which pattern made it
    choices  : of a multiple-choice question, what may be chosen
    """

    question: str
    answer: str
    key_fact: str
    answer_type: str
    query_type: str
    family: str
    chunk_ids: tuple[str, ...]
    source: Unit
    choices: tuple[str, ...] = ()


def passages(chunks: pd.DataFrame) -> list[Unit]:
    """The passages, each in its place. The title is that of the column, else the first heading of the
    document, else its name in words."""
    titles: dict[str, str] = {}
    found = []
    for row in chunks.to_dict("records"):
        doc_id, heading = row["doc_id"], row["heading"] if isinstance(row.get("heading"), str) else ""
        if doc_id not in titles:
            given = row["title"].strip() if isinstance(row.get("title"), str) else ""
            title = given or heading.split(" > ")[0].strip()
            spoken = title.title() if title.isupper() else title
            titles[doc_id] = spoken or re.sub(r"[-_]+", " ", doc_id).strip()
        title, last = titles[doc_id], heading.split(" > ")[-1].strip()
        named = {"title": title, "heading": "" if last == title else last, "text": str(row["text"])}
        place = {"topic": row.get("topic"), "language": row.get("language") or "en"}
        found.append(Unit(str(row["chunk_id"]), doc_id, **place, **named))
    return found


def read(chunks: pd.DataFrame) -> tuple[list[Unit], list[Block]]:
    """Sentences of running text and of list items, and blocks of rows and items, in the order of the
    passages; a block that the chunker cut in two is one."""
    units: list[Unit] = []
    lines: list[tuple[str, Unit]] = []
    for passage in passages(chunks):
        said = [text for text in sentences(passage.text, passage.language) if " | " not in text]
        units += [passage._replace(text=FOOTNOTE.sub("", ITEM.sub("", text))) for text in said]
        lines += [(line.strip(), passage) for line in passage.text.split("\n") if line.strip()]

    def kind_of(one: tuple[str, Unit]) -> tuple[str, str, str]:
        line, passage = one
        return passage.doc_id, passage.heading, "row" if " | " in line else "item" if ITEM.match(line) else ""

    blocks: list[Block] = []
    for (_, _, kind), run in groupby(lines, key=kind_of):
        own = list(run)
        if kind:
            texts, ids = [ITEM.sub("", line) for line, _ in own], [passage.chunk_id for _, passage in own]
            blocks.append(Block(own[0][1], kind == "row", texts, ids))
    return units, blocks


def named(candidate: Candidate) -> Candidate:
    """The candidate with its document named in the question where that has no name of its own: neither a
    name (`the Quay Plus Account`) nor most words of the title. Without a document that has a name its heading
    stands in; where that is none either, the question is "".
    """
    source, question = candidate.source, MARKS.sub("", candidate.question)
    said, stop, asked = question.rpartition(". ")  # `I am a customer. May I ...?`
    words, wanted = (
        {word[:4] for word in re.findall(r"[^\W\d_]{4,}", text.lower())}
        for text in (question, source.title.split(": ")[0])
    )
    shares_title = len(wanted) >= 2 and len(words & wanted) / len(wanted) > 0.6
    if names(said) or names(asked) or shares_title:
        return candidate._replace(question=question)
    opening = ""
    if _tells_apart(source.title):
        opening = _opening(source.title, source.language)
    elif source.language == "en" and len(source.heading.split()) > 1 and _tells_apart(source.heading):
        opening = f"According to “{source.heading}”,"
    small = asked if asked.startswith("I ") else asked[:1].lower() + asked[1:]
    small = f"¿{asked[1:2].lower()}{asked[2:]}" if asked.startswith("¿") else small
    if not question.startswith(opening):  # else it is made of a named one
        question = f"{said}{stop}{opening} {small}"
    return candidate._replace(question=question if opening else "")


def _tells_apart(title: str) -> bool:
    """Whether a title tells a document from others: not `Introduction`, `doc 17` or a hash."""
    plain = not NUMBER.fullmatch(title) and not GENERIC.match(title)
    return plain and len(title.split()) <= 14 and not re.search(r"[“”\"|;]", title)


def _opening(title: str, language: str) -> str:
    """`Under the Overdraft Policy,`, `For the Home Equity Line,`, `According to “People and Contacts”,`."""
    since = f"(?:, terms)?,?(?: in force| valid| effective)?(?: from| since| as of| of)? {DATE}"
    title = re.sub(rf"(?:,? [Vv]ersion [\d.]+)?,?(?:{since})?$", "", title)
    title = re.sub(r": Terms$| \([^)]*\)$", "", title)
    if language in ("es", "pt"):
        return f"Según «{title}»," if language == "es" else f"De acordo com «{title}»,"
    if re.search(rf"\b(?:{one_of('kinds')})\b", title, re.IGNORECASE) and ":" not in title:
        return f"Under {'' if title.lower().startswith('the ') else 'the '}{title},"
    main = title.split(": ")[0]
    return f"For the {main}," if PRODUCT.fullmatch(main) else f"According to “{main}”,"


def flaw(candidate: Candidate) -> str:
    """Why the question may not be kept, "" if it may: judged by its form alone."""
    question, key_fact = stem(candidate), candidate.key_fact
    inner, count, kind = question.rstrip("?"), len(question.split()), candidate.query_type
    most = MOST_COMBINED if kind in ("multi_hop", "inference") else MOST
    loose = LOOSE_SIGNS.search(inner) or inner.count('"') % 2 or inner.count("(") != inner.count(")")
    breaks_off = BREAKS_OFF.search(inner)
    part = PART_OF_LIST.search(key_fact) or len(candidate.answer) < 2
    flaws = {  # the first that holds is told
        "needs its document named, and the document has no title": not question,
        "does not end in one question mark": not question.endswith("?") or "?" in inner,
        f"has {count} words; {FEWEST} to {MOST} are asked for": not FEWEST <= count <= most,
        "points to something outside the question": candidate.source.language == "en"
        and POINTS_AWAY.search(inner),
        "has loose signs in it": loose,
        "breaks off or repeats a word": breaks_off or re.search(r"\b(\w+) \1\b", inner, re.IGNORECASE),
        "is answered by a part of a list": candidate.answer_type != "no_answer" and part,
        "is answered by pointing elsewhere": len(key_fact.split()) <= 24 and RESTS_ON_RULE.search(key_fact),
        "contains its own answer": kind not in ("yes_no", "inference") and gives_answer_away(inner, key_fact),
    }
    return next((flaw for flaw, holds in flaws.items() if holds), "")


def stem(candidate: Candidate) -> str:
    """The question without the answers to choose from."""
    return candidate.question.split("? (A) ")[0] + "?" if candidate.choices else candidate.question


def gives_answer_away(question: str, key_fact: str) -> bool:
    """Whether the question holds the key fact: its words as they stand, or, where it has no figure, 80 % of
    its telling words."""
    if len(key_fact) > 1 and re.search(rf"(?<!\w){re.escape(key_fact.lower())}(?!\w)", question.lower()):
        return True
    telling = set(re.findall(r"\w{4,}", key_fact.lower())) - NOT_SUBJECTS
    held = len(telling & set(re.findall(r"\w{4,}", question.lower())))
    return not re.search(r"\d", key_fact) and len(telling) >= 2 and held / len(telling) >= 0.8


def question_key(question: str) -> str:
    """What two questions share if they are the same but for case, signs and articles."""
    return " ".join(word for word in re.findall(r"\w+", question.lower()) if word not in ("the", "a", "an"))
