"""What a generated question must pass before anyone is asked it; candidates as rows of a case, the document
named where it must be, with the flaw of those of bad form."""

import re
from collections.abc import Iterable
from functools import cache

import numpy as np

from ragassay.cases.rule_questions import word_forms
from ragassay.cases.rule_questions.askable_units import Candidate
from ragassay.cases.rule_questions.fact_patterns import vague

FEWEST, MOST, MOST_COMBINED = (
    5,
    30,
    42,
)  # words; a question made of two facts, or of a rule and its instance, may be longer
NUMBERED = rf"(?:{word_forms.either('numbered')})s?"
POINTS_AWAY = re.compile(
    r"\b(?:this|these|those|such|above|below|following|former|latter|aforementioned|hereof|thereof|herein"
    r"|hereunder|said|"
    rf"{NUMBERED} \W?[A-Z]?\d[\w.]*|{NUMBERED} (?-i:[A-Z])|"
    r"sub-?sections?|sub-?paragraphs?|paragraphs?|appendix|annex|(?-i:[A-Z]{2,5}) \d+(?:\.\d+)+|"
    r"we|our|us|ours|referred to|points? \d|likewise|the same|do so|does so|doing so|did so|in that case"
    r"|there|than that|in this sense)\b",
    re.IGNORECASE,
)
ELSEWHERE = re.compile(
    r"\b(?:with|out in|specified in|referred to in|described in|to|under|in|of|see|by) (?:the "
    r")?(?:(?:provisions|requirements|procedures?) "
    rf"(?:set out )?(?:of|in) (?:the )?)?(?:{NUMBERED}\b|\(\w{{1,4}}\)|(?-i:[A-Z]{{2,5}}) (?:Rule )?\d)"
    rf"|\b{NUMBERED} \W?\d|\bth(?:is|ese|at|ose) {NUMBERED}\b",
    re.IGNORECASE,
)
MARKS = re.compile("[\u200b-\u200f\u202a-\u202e\u2066-\u2069]")  # no width, or the direction of writing
BARE = re.compile(
    r"\b[Tt]he (?:Guidance|Rulebook|Rules|Regulations|Chapter|Part|Guide|Document) [a-z]"
    r"|\b[Tt]he (?!(?:bank|regulator|public|law|court|internet)\b)[a-z-]+(?: [a-z-]+)? "
    r"(?:is|are|was|were|has|have|does|do|must|may|can|will|shall|in question|be|been)\b"
)
SHOUTED = re.compile(
    r"(?:\b[A-Z]{2,}\b[ ,&]*){3,}|\b[A-Z]{6,} [A-Z][a-z]*\b|[a-z] (?:A|An|The|If|When|In|Where) [A-Za-z]"
)  # a heading run into its sentence
CUT = re.compile(r"[;,:] (?:and |or )?\(?[b-z][.)] ")
FIRST = re.compile(r"(?:^|[\s—–(])\(?a[.)] ")
BROKEN = re.compile(r"[—–:] ?\(|(?<!\w)\(\w{1,3}\)|[\[\]{}<>|]")
OPEN_ENDED = ("what", "depends", "state", "listing")  # What should reports include? What is it based on?
DANGLING = re.compile(rf"\b(?:{word_forms.either('dangling')})$")


def flaw(question: str, candidate: Candidate) -> str:
    """Why the question may not be kept, "" if it may: judged by its form alone."""
    question = stem(question, candidate)
    inner = question.rstrip("?")
    if not question.endswith("?") or "?" in inner:
        return "does not end in one question mark"
    return _length(question, candidate) or _misshapen(inner, candidate) or _poor_answer(inner, candidate)


def _length(question: str, candidate: Candidate) -> str:
    count, most = (
        len(question.split()),
        MOST_COMBINED if candidate.query_type in ("multi_hop", "inference") else MOST,
    )
    return "" if FEWEST <= count <= most else f"has {count} words; {FEWEST} to {most} are asked for"


def _misshapen(inner: str, candidate: Candidate) -> str:
    if candidate.source.language == "en" and POINTS_AWAY.search(inner):
        return "points to something outside the question"
    if re.search(r"\b(?:under|in|of|with|to|and) \W?\(\w{1,4}\)|[—–:]$", inner):
        return "points to something outside the question"
    if (
        re.search(r"[|#*_{}<>\[\]]|[—–:] ?\(|(?<!\w)\(\w{1,3}\)|\.\s*$|\s[,;:.]|,$", inner)
        or inner.count('"') % 2
        or inner.count("(") != inner.count(")")
    ):
        return "has loose signs in it"
    if SHOUTED.search(inner):
        return "has a heading in it"
    breaks_off = candidate.family not in OPEN_ENDED and DANGLING.search(inner)
    if re.search(r"\b(\w+) \1\b", inner, re.IGNORECASE) or breaks_off:
        return "breaks off or repeats a word"
    return ""


def _poor_answer(inner: str, candidate: Candidate) -> str:
    if BROKEN.search(candidate.key_fact) or (
        CUT.search(candidate.answer) and not FIRST.search(candidate.answer)
    ):
        return "is answered by a part of a list"
    if points_elsewhere(candidate.key_fact):
        return "is answered by pointing elsewhere"
    told = re.sub(r"\d", "", candidate.key_fact) if candidate.family == "definition" else candidate.key_fact
    if candidate.query_type not in ("yes_no", "inference") and gives_answer_away(inner, told):
        return "contains its own answer"
    return ""


def unnamed(question: str) -> bool:
    """Whether a question that names no document speaks of `the application` or `the period` as if its reader
    knew which."""
    return bool(BARE.search(question))


def stem(question: str, candidate: Candidate) -> str:
    """The question without the answers to choose from."""
    return question.split("? (A) ")[0] + "?" if candidate.choices else question


def points_elsewhere(key_fact: str) -> bool:
    """Whether a short key fact rests on another rule: `it will follow the procedure in Rule 6.9.6`;
    a long one says enough besides."""
    return len(key_fact.split()) <= 24 and bool(ELSEWHERE.search(MARKS.sub("", key_fact)))


def gives_answer_away(question: str, key_fact: str) -> bool:
    """Whether the question holds the key fact:
    its words as they stand, or, where it has no figure, 80 % of its telling words."""
    if len(key_fact) > 1 and re.search(rf"(?<!\w){re.escape(key_fact.lower())}(?!\w)", question.lower()):
        return True
    if re.search(r"\d", key_fact):
        return False
    telling = {
        word for word in re.findall(r"\w{4,}", key_fact.lower()) if word not in word_forms.NOT_SUBJECTS
    }
    return (
        len(telling) >= 2
        and len(telling & set(re.findall(r"\w{4,}", question.lower()))) / len(telling) >= 0.8
    )


def question_key(question: str) -> str:
    """What two questions share if they are the same but for case, signs and articles."""
    return " ".join(word for word in re.findall(r"\w+", question.lower()) if word not in ("the", "a", "an"))


GENERIC = re.compile(rf"^(?:{word_forms.either('generic_titles')})\b", re.IGNORECASE)
MASS = re.compile(rf"(?:{word_forms.either('mass')})$", re.IGNORECASE)
UNNAMED = re.compile(
    r"^(?:[\d\W_]*|[0-9a-f-]{16,}|.{0,3}|(?:doc|file|text|page|scan|chapter|document)s?[\W_]*\d*)$"
    r"|^(?>.*?\d{5}).*+$"
)


def name_document(question: str, title: str, language: str = "en", heading: str = "") -> str | None:
    """The question with its document named where it has no name of its own; else its heading; None where
    neither is a name.

    A question is clear by itself if it holds a name (`the Quay Plus Account`) or most words of the title.
    """
    said, stop, asked = question.rpartition(". ")  # `I am a customer. May I ...?`
    if stop and not word_forms.names(said):
        placed = name_document(asked, title, language, heading)
        return placed and f"{said}. {word_forms.capitalize(placed)}"
    if word_forms.names(question) or shares_title(question, title):
        return question
    if not names_something(title):
        plain = heading if not heading.isupper() else heading.capitalize()
        telling = (
            len(plain.split()) >= 2 and names_something(plain) and not re.search(r"[“”\"\d|:;()]", plain)
        )
        return f"According to “{plain}”, {_small_first(question)}" if telling and language == "en" else None
    if language in ("es", "pt"):
        opening = {"es": f"Según «{title}», ", "pt": f"De acordo com «{title}», "}[language]
        return opening + ("¿" if question.startswith("¿") else "") + _small_first(question.lstrip("¿"))
    return f"{opening_for(title)} {_small_first(question)}"


def names_something(title: str) -> bool:
    """Whether a title tells a document from others: not `Introduction`, `doc 17` or a hash."""
    return bool(title) and not UNNAMED.match(title) and not GENERIC.match(title) and len(title.split()) <= 14


def opening_for(title: str) -> str:
    """`Under the Overdraft Policy 2026,`, `According to “People and Contacts”,`,
    `When applying for a mortgage,`, `For the Home Equity Line,`."""
    title = re.sub(rf",? (?:[Vv]ersion [\d.]+)?,? ?(?:(?:{word_forms.MONTH}) \d{{4}})?$", "", title)
    title = re.sub(r": Terms$| \| .{0,300}$| \([^)]{0,200}\)$", "", title)
    main = title.split(": ")[0]
    if re.search(rf"\b(?:{word_forms.either('kinds')})\b", title, re.IGNORECASE):
        plain = title.replace(": ", " ")
        return f"Under {'' if plain.lower().startswith(('the ', 'a ')) else 'the '}{plain},"
    first, _, rest = main.partition(" ")
    if first.lower() in word_forms.gerunds():
        return f"When {first.lower()} {rest.lower()},"
    if " and " in main or "," in main or MASS.search(main):
        return f"According to “{main}”,"
    last = re.split(r" (?:for|of|on|to|in|and) ", main)[0].split()[-1]
    singular = not last.endswith("s") and " and " not in main and " " in main
    return f"For {'the ' if singular and not main.lower().startswith('the ') else ''}{main},"


def shares_title(question: str, title: str) -> bool:
    """Whether a question holds most words of a title."""
    asked, named = (
        {word[:4] for word in re.findall(r"[^\W\d_]{4,}", text.lower())}
        for text in (question, title.split(": ")[0])
    )
    return len(named) >= 2 and len(asked & named) / len(named) > 0.6


def _small_first(question: str) -> str:
    named = question.split(" ")[0] in word_forms.word_list("invented") or question.startswith("I ")
    return question if named else question[:1].lower() + question[1:]


HEDGES = word_forms.either("hedges")
KNOWN = (
    word_forms.verbs() | word_forms.word_list("object_verbs") | word_forms.word_list("ends")
) - word_forms.word_list("no_second")
PLAIN_VERBS = "|".join(sorted(verb for verb in KNOWN if word_forms.third(verb) not in word_forms.NOUNS_TOO))
THIRDS = "|".join(sorted(set(word_forms.third_person()) - word_forms.NOUNS_TOO))
MODALS = "|".join(sorted(word_forms.AUXILIARIES))
POINTING = re.compile(
    r"\b(?:this|these|those|such(?! as)|above|below|others?|following|former|latter|similar|same|said)\b"
)
PRONOUN = re.compile(r"\b(?:its?|they|their|them|he|she|his|her)\b", re.IGNORECASE)
PRAISE = word_forms.word_list("praise")
SMALL = word_forms.word_list("small") | word_forms.DETERMINERS | word_forms.AUXILIARIES | PRAISE | {"purpose"}
SOMEBODY = re.compile(
    rf"(?:{word_forms.either('agents')}|{word_forms.either('firms')}|{word_forms.either('people')}|{word_forms.either('actors')}"
    r"|person|entity|body|regulator|member)s?",
    re.IGNORECASE,
)
NARROWED = re.compile(r" (?:of|for|in|on|with|to|who|which|that|\w+ing|involved|provided) ")


def is_telling(subject: str) -> bool:
    """Whether a subject names its thing: two words that carry meaning, or one that is no person, firm or body
    and does not point back (`the report`)."""
    if not is_whole(subject):
        return False
    found = telling_words(subject)
    alone = len(found) == 1 and not re.match(r"(?:the|an?|each|every|all|any)\b", subject)
    return len(found) >= 2 or (alone and not SOMEBODY.fullmatch(found[0]))


def is_whole(subject: str) -> bool:
    """Whether a subject is one, and stands for nothing said before it."""
    return not (vague(subject) or _unfit().search(subject) or points_back(subject))


@cache  # of hundreds of verbs: it takes long to read
def _unfit() -> re.Pattern[str]:
    """No subject, but a number, an order, or more than one."""
    return re.compile(
        rf"^\d|\(|^(?:{PLAIN_VERBS}) (?:how|whether|if|that|the|an?|any|all)\b"
        rf"|\b(?:{HEDGES}|regardless|given|depending|included|whenever|wherever|examples?)\b"
    )


def points_back(text: str) -> bool:
    """Whether a text speaks of what stands elsewhere: `these rules`, `its members`."""
    return bool(POINTING.search(text) or PRONOUN.search(text))


def is_anybody(subject: str) -> bool:
    """Whether a subject is a person or body of a kind (`an Authorised Person`), of whom much is said."""
    core, _, more = NARROWED.sub("|", subject, count=1).partition("|")
    return bool(SOMEBODY.fullmatch(core.split()[-1])) and len(telling_words(more)) < 2


def telling_words(text: str) -> list[str]:
    """The words that carry meaning, in their order."""
    return [word for word in re.findall(r"[\w’'-]+", text) if word.lower() not in SMALL]


def well_formed(made: Iterable[Candidate]) -> list[dict]:
    """The candidates of good form as rows of a case, each question once, with the document named in it."""
    return [row for row in once(map(candidate_row, made), set()) if not row["reason"]]


def once(found: Iterable[dict], seen: set[str]) -> list[dict]:
    """The rows, with a reason to leave out each question that is asked already, here or in `seen`, to which
    the others are added."""
    rows = list(found)
    for row in rows:
        key = question_key(row["question"])
        row["reason"] = row["reason"] or ("is asked already" if key in seen else "")
        seen |= set() if row["reason"] else {key}
    return rows


def _unclear(question: str | None, candidate: Candidate) -> str:
    """Why a question would not be clear to somebody who has not read the passage, "" if it would."""
    if question is None:
        return "needs its document named, and the document has no title"
    title = candidate.source.title
    named = (
        candidate.placed
        or shares_title(question, title)
        or (question != candidate.question and names_something(title))
    )
    return "" if named or not unnamed(question) else "speaks of something it does not name"


def candidate_row(candidate: Candidate) -> dict:
    """What a case needs of a candidate, and what the draw of questions needs; `reason` says its flaw."""
    source, silent = candidate.source, candidate.answer_type == "no_answer"
    question = (
        candidate.question
        if candidate.placed
        else name_document(candidate.question, source.title, source.language, source.heading)
    )
    reason = _unclear(question, candidate) or flaw(question or "", candidate)
    question = MARKS.sub("", question or candidate.question)
    return {
        "question": question,
        "reason": reason,
        "answer_type": candidate.answer_type,
        "query_type": candidate.query_type,
        "topic": source.topic,
        "answerable": not silent,
        "reference_answer": None if silent else candidate.answer,
        "reference_chunk_ids": list(candidate.chunk_ids),
        "language": source.language,
        "kind": "generated",
        "key_fact": None if silent else candidate.key_fact,
        "family": candidate.family,
        "similarity": np.nan,
        "choices": list(candidate.choices),
        "chunk_id": candidate.chunk_ids[0] if candidate.chunk_ids else getattr(source, "chunk_id", ""),
        "stem": stem(question, candidate),
        "told": candidate.told(),
        "fact": (candidate.chunk_ids, getattr(source, "text", candidate.question)),
        "candidate": candidate._replace(question=question, placed=True),
    }
