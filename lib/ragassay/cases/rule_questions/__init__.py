"""Questions from the passages themselves, without a language model (HCAT section 2, step 5, by rules).

askable_units         sentences, lists and table rows of the passages; verbs, values and names by closed
                      lists, a sentence as subject, verb and rest; Candidate: a question, what is well formed
sentence_questions    facts by patterns (`data/question_patterns.csv`), claims asked back, steps, tables

Here: the questions of all of them, and those made of others: four answers to choose from; two passages on one
thing; and what the documents do not answer: things of their kind that do not exist, where no passage speaks
of the whole kind in the words of the question. That is a proof for the words looked for, not for every way
of saying a thing.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import dropwhile

import numpy as np
import pandas as pd

from ragassay import models
from ragassay.cases import case_table, question_filter
from ragassay.cases.question_filter import SAID, Index, content_words
from ragassay.cases.rule_questions import askable_units, sentence_questions
from ragassay.cases.rule_questions.askable_units import Candidate
from ragassay.cases.rule_questions.sentence_questions import change_number

SILENT = 0.1  # share of the questions that ask for what does not exist, at most
POOL = 3  # questions compared with their passages, per question wanted
REJECTED = ["question", "reason", "family", "chunk_id", "similarity"]
EXTRA = ["key_fact", "family", "similarity", "difficulty", "choices"]
DIFFICULTY = {"open": "medium", "inference": "medium", "multi_hop": "hard"}
WORKED_OUT = ("yes_no", "inference", "multi_hop")  # answers that stand nowhere as they are
OPTIONS = 4  # of a choice
DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
NUMBER = re.compile(rf"{DIGITS.pattern}|\b(?:{askable_units.NUMBER_WORDS})\b")
OPENING = re.compile(r"(?:According to “[^”]+”|(?:Under|For) [^,?]+), ")
NAME = re.compile(r"(?<![\w’'-])(?:[A-Z][\w’'-]* ){1,3}[A-Z][\w’'-]*")
NO_THING = re.compile(
    rf"\b(?:Day|Eve|Street|Road|Avenue|Square|{askable_units.MONTH}|{askable_units.one_of('kinds')}"
    rf"|{askable_units.one_of('roles')})\b",
    re.IGNORECASE,
)


def generate(
    chunks: pd.DataFrame,
    n: int,
    *,
    seed: int = 0,
    allocation: str = "proportional",
    encode: Callable = models.encode,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """At most n questions over the topics, and those that failed the checks.

    Facts of sentences, table rows, lists and steps are asked in their own words; the document is named where
    the question would not be clear without it. Superseded documents are no reference; where one in force says
    otherwise, the question asks what holds today. A tenth (SILENT) asks for what does not exist. Fewer than n
    come back where there are fewer good ones.

    Parameters
    ----------
    chunks : chunk_id, doc_id, text; topic, language, heading, title and status where known
    allocation : "proportional" to the passages of a topic, or "equal"

    Returns
    -------
    cases : rows of the cases table, kind "generated", with key_fact, family, similarity (cosine with its
        passage, NaN without one), difficulty (easy, medium, hard) and choices (of a multiple-choice question,
        else empty) besides
    rejected : question, reason, family, chunk_id, similarity; at most POOL times n questions of good form
        are compared with their passages
    """
    rng, index = np.random.default_rng(seed), Index(chunks["text"].tolist())
    texts = dict(zip(chunks["chunk_id"], chunks["text"], strict=True))
    asked: set[str] = set()
    current = question_filter.in_force(chunks)
    plain = _checked(_ask_for_today(current, chunks.drop(current.index), rng), asked)
    kept = [row["candidate"] for row in plain if not row["reason"] and row["query_type"] == "factual"]
    combined: list[Candidate] = []
    for topic in sorted({one.source.topic or "" for one in kept}):
        facts = [one for one in kept if (one.source.topic or "") == topic]
        combined += [*choices(facts, texts, rng), *links(facts, rng)]
    formed = plain + _checked(combined, asked)
    english = [row for row in plain if not row["reason"] and row["language"] == "en"]
    invented = [
        Candidate(question, "", "", "no_answer", "factual", "unknown_thing", (), row["candidate"].source)
        for row, question in invented_things(english, chunks, index, rng)
    ]
    silent = _checked(invented, asked)

    def draw(rows: Iterable[dict], count: int) -> list[dict]:
        good = [row for row in rows if not row["reason"]]
        return question_filter.draw_questions(good, current, count, allocation, rng)

    pool = draw(formed, POOL * n)
    question_filter.screen_questions(pool, chunks, index, encode)
    outside = draw(silent, round(SILENT * n))
    drawn = enumerate([*draw(pool, n - len(outside)), *outside], start=1)
    cases = [{"case_id": f"g-{i:04d}"} | row for i, row in drawn]
    rejected = pd.DataFrame([row for row in formed + silent if row["reason"]], columns=REJECTED)
    return case_table.cases_frame(cases, extra=EXTRA), rejected


def candidates(chunks: pd.DataFrame, rng: np.random.Generator) -> Iterator[Candidate]:
    """Every question the rules make of one passage: sentences first, then tables and steps."""
    vocabulary = askable_units.small_words(chunks["text"])
    units, blocks = askable_units.read(chunks)
    for unit in units:
        yield from sentence_questions.questions(unit, vocabulary)
        yield from sentence_questions.claims(unit, vocabulary, rng)
    for block in blocks:
        yield from sentence_questions.block_questions(block, vocabulary)


def _ask_for_today(
    current: pd.DataFrame, superseded: pd.DataFrame, rng: np.random.Generator
) -> Iterator[Candidate]:
    """The candidates of the passages in force; `today` stands in those that superseded ones answer
    otherwise."""
    key = askable_units.question_key
    former = {key(one.question): one.key_fact for one in candidates(superseded, np.random.default_rng(0))}
    for one in candidates(current, rng):
        changed = former.get(key(one.question), one.key_fact) != one.key_fact and one.source.language == "en"
        yield one._replace(question=one.question.removesuffix("?") + " today?") if changed else one


def well_formed(made: Iterable[Candidate]) -> list[dict]:
    """The candidates of good form as rows of a case, each question once, with the document named in it."""
    return [row for row in _checked(made, set()) if not row["reason"]]


def _checked(made: Iterable[Candidate], asked: set[str]) -> list[dict]:
    """The candidates as rows of a case, each with its flaw as `reason`; what is in `asked` already has one,
    the others are added to it. Screening and drawing need `stem` (the question without the answers to choose
    from), `expected` (what a reader must find) and `fact`."""
    rows = []
    for one in made:
        named = askable_units.named(one)
        reason, key = askable_units.flaw(named), askable_units.question_key(named.question)
        if not reason and key in asked:
            reason = "is asked already"
        asked |= set() if reason else {key}
        chosen, source = named if named.question else one, one.source
        silent, worked_out = one.answer_type == "no_answer", one.query_type in WORKED_OUT
        row = {
            "question": chosen.question,
            "answer_type": one.answer_type,
            "query_type": one.query_type,
            "topic": source.topic,
            "answerable": not silent,
            "reference_answer": None if silent else one.answer,
            "reference_chunk_ids": list(one.chunk_ids),
            "language": source.language,
            "kind": "generated",
            "key_fact": None if silent else one.key_fact,
            "family": one.family,
            "similarity": np.nan,
            "difficulty": "hard" if silent else DIFFICULTY.get(one.query_type, "easy"),
            "choices": list(one.choices),
            "chunk_id": source.chunk_id,
            "stem": askable_units.stem(chosen),
            "expected": source.text if worked_out else one.key_fact,
            "fact": (one.chunk_ids, source.text),
        }
        rows.append(row | {"reason": reason, "candidate": named})
    return rows


def choices(
    facts: Sequence[Candidate], texts: dict[str, str], rng: np.random.Generator
) -> Iterator[Candidate]:
    """Facts asked with four answers to choose from: the wrong ones are those of other facts of the topic in
    the same form, then the figure itself changed; none stands in the passage of the right one.

    texts : chunk_id -> text
    """
    for one in facts:
        form, right, text = _form(one), one.key_fact.rstrip("."), texts[one.chunk_ids[0]].lower()
        pool = sorted({other.key_fact.rstrip(".") for other in facts if form and _form(other) == form})
        pool = [pool[i] for i in rng.permutation(len(pool))]
        number = DIGITS.search(right)
        if form and number and one.family not in ("date", "age"):
            changed = [change_number(number.group(), rng, (factor,)) for factor in (2.0, 0.5, 1.5, 3.0)]
            pool += [right.replace(number.group(), value) for value in changed]
        wrong = [value for value in dict.fromkeys(pool) if value != right and value.lower() not in text]
        if len(wrong) < OPTIONS - 1:
            continue
        numbers = {option: DIGITS.search(option) for option in [right, *wrong[: OPTIONS - 1]]}
        size = {
            option: float(found[0].replace(",", "")) if found else 0.0 for option, found in numbers.items()
        }
        options = sorted(size, key=lambda option: (size[option], option))
        listed = "; ".join(f"({letter}) {option}" for letter, option in zip("ABCD", options, strict=True))
        yield one._replace(
            question=f"{one.question} {listed}",
            answer=f"({'ABCD'[options.index(right)]}) {right}. {one.answer}",
            query_type="multiple_choice",
            family="choice",
            choices=tuple(options),
        )


def _form(one: Candidate) -> str:
    """What other facts must share to be a plausible wrong answer; "" where none can be."""
    if one.source.language != "en" or one.family == "definition":
        return ""
    form = NUMBER.sub("0", one.key_fact.lower().rstrip("."))
    return form.rstrip("s") if form.count("0") == 1 and re.fullmatch(r"[^,]{2,40}", form) else ""


def links(facts: Sequence[Candidate], rng: np.random.Generator) -> Iterator[Candidate]:
    """Two facts of two passages about one thing, which both questions name, as one question: `What is the fee
    of the Tide Card, and how old must a holder of the Tide Card be?`"""
    plain = [one for one in facts if one.family != "condition" and one.source.language == "en"]
    waiting: dict[str, Candidate] = {}
    for one in (plain[i] for i in rng.permutation(len(plain))):
        things = askable_units.names(re.sub("“[^”]*”", "", one.question))
        thing = next((thing for thing in things if thing in waiting), "")
        former = waiting.get(thing)
        if former is None or set(former.chunk_ids) & set(one.chunk_ids) or former.family == one.family:
            waiting |= dict.fromkeys(things, one)
            continue
        waiting = {name: other for name, other in waiting.items() if other is not former}
        first, second = (one, former) if one.family == "definition" else (former, one)
        opening = OPENING.match(second.question)
        tail = second.question.removeprefix(opening.group() if opening and thing in opening.group() else "")
        yield Candidate(
            f"{first.question.rstrip('?')}, and {tail[:1].lower()}{tail[1:]}",
            f"{first.answer} {second.answer}",
            second.key_fact,
            "short_fact",
            "multi_hop",
            "linked",
            first.chunk_ids + second.chunk_ids,
            first.source,
        )


def names_in(texts: Sequence[str]) -> list[str]:
    """Names that two passages or more hold, without articles; no plural, and none that is the beginning of
    another."""
    small = askable_units.NOT_SUBJECTS | askable_units.DETERMINERS
    found = Counter[str]()
    for text in texts:
        runs = {
            " ".join(dropwhile(lambda word: word.lower() in small, run.split())) for run in NAME.findall(text)
        }
        found.update(name for name in runs if " " in name and not name.endswith("s"))
    several = sorted(name for name, count in found.items() if count > 1)
    return [name for name in several if not any(one.startswith(f"{name} ") for one in several)]


def invented_things(
    asked: Sequence[dict], chunks: pd.DataFrame, index: Index, rng: np.random.Generator
) -> Iterator[tuple[dict, str]]:
    """Questions that name one thing, put about one of its kind that does not exist: the row and the new
    question. A name's kind is the longest run of last words that it shares with another (`Credit Card`); one
    that shares none has none. `asked` : rows with `question`."""
    names = names_in(chunks["text"].tolist())
    tails = {name: [" ".join(name.split()[i:]) for i in range(1, len(name.split()))] for name in names}
    counts = Counter(end for own in tails.values() for end in own)
    shared = {end for end, count in counts.items() if count > 1 and not NO_THING.search(end)}
    kinds = {name: next((end for end in own if end in shared), "") for name, own in tails.items()}
    known = {word for text in chunks["text"] for word in content_words(text)}
    listed = (case_table.DATA / "invented_names.txt").read_text(encoding="utf-8").split()
    unknown = [name for name in listed if not known & set(content_words(name))]
    whole = (chunks["text"] + " " + chunks.get("title", "") + " " + chunks.get("heading", "")).tolist()
    for row in asked if unknown else ():
        said = re.sub("“[^”]*”", "", row["question"])  # the name of a document is none
        found = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said)]
        found = [name for name in found if not any(name != other and name in other for other in found)]
        if len(found) != 1 or not kinds[found[0]]:
            continue
        name, kind = found[0], kinds[found[0]]
        bare, alike = row["question"].replace(name, ""), [one for one, its in kinds.items() if its == kind]
        near = [whole[i] for i in index.top(bare)]  # a rule for all of the kind?
        if not any(index.share(bare, text) > SAID and not any(one in text for one in alike) for text in near):
            other = f"{unknown[int(rng.integers(len(unknown)))]} {kind}"
            right, wrong = ("an", "a") if other[0] in "AEIOU" else ("a", "an")
            yield row, row["question"].replace(name, other).replace(f" {wrong} {other}", f" {right} {other}")
