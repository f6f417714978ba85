"""Bulleted lists of guidance prose: what a sentence without an end lists below it, over the passages of a
document; what is to be considered in a step of an examination."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

import pandas as pd

from ragassay.cases.rule_questions import guidance_prose, question_form_checks, word_forms
from ragassay.cases.rule_questions.askable_units import STEP, Candidate, Unit, place
from ragassay.documents import sentences

FEWEST, MOST, LONGEST = 2, 12, 60  # items of a list, words of an item
MARK = re.compile(r"^(?P<mark>[-*•–−▪◦]|\(?[a-z][.)])\s+(?=\S)")
HEDGE = rf"(?: (?:{word_forms.either('hedges')}))?"
FOLLOWING = r"(?:(?: such \w+ as)?(?: the following(?: [a-z]+){0,3}| at least|, at a minimum)?(?:, as \w+)?)"
OPENS_LIST = re.compile(
    rf"(?P<subject>.{{4,120}}?)(?P<modal> (?:should|must|may|can|will))?{HEDGE} "
    rf"(?P<verb>{word_forms.phrases('listing_verbs')}){FOLLOWING}"
)
OPENS_COUNTED_LIST = re.compile(
    rf"(?P<subject>.{{4,120}}?)(?P<modal> (?:should|must|may|can|will))?{HEDGE} "
    rf"(?P<verb>{word_forms.phrases('listing_verbs')}) (?:the following )?"
    rf"(?P<what>(?:{word_forms.NUMBER_WORDS})(?: [a-z]+){{1,3}})"
)
RESPONSIBLE = re.compile(rf"(?P<subject>.{{4,90}}?) (?P<be>is|are){HEDGE} responsible for(?: the following)?")
EXAMPLES = re.compile(r"(?:Some )?[Ee]xamples of (?P<of>.{4,90}) (?:include|are)(?: the following)?")
ACTING = re.compile(r"(?P<subject>.{4,90}?) (?P<how>generally|typically|usually|should|must)")
ORDER = re.compile(rf"(?P<verb>{word_forms.phrases('examining')}) (?P<what>[^.:?]{{15,160}})", re.IGNORECASE)
THEN = re.compile(
    rf"(?:{word_forms.phrases('examining')}|consider|including)(?: (?:whether|if|that|the following))?"
    r"(?: .{0,80})?",
    re.IGNORECASE,
)
ABOUT = re.compile(r"(?P<verb>Determine|Verify|Assess|Evaluate) (?:whether|if|that) (?P<what>[^.:?,]{8,90})")


class BulletList(NamedTuple):
    """A list with the sentence that opens it, the sentence before that, and where all of it stands."""

    lead: str
    intro: str
    items: list[str]
    chunk_ids: tuple[str, ...]
    unit: Unit


def questions(chunks: pd.DataFrame, vocabulary: frozenset[str]) -> Iterator[Candidate]:
    """One question per list, none that two lists answer."""
    made = [one for listed in bullet_lists(chunks) if (one := _ask(listed, vocabulary))]
    yield from guidance_prose.answered_once(made)


def bullet_lists(chunks: pd.DataFrame) -> Iterator[BulletList]:
    """The lists of English documents, over passages where need be; what is nested stays with its item."""
    rows = zip(chunks.to_dict("records"), place(chunks), strict=True)
    for _, own in groupby(rows, key=lambda row: row[1]["doc_id"]):
        lines = [
            (line.strip(), Unit(row["chunk_id"], **where, text=""))
            for row, where in own
            if where["language"] == "en"
            for line in row["text"].split("\n")
            if line.strip()
        ]
        yield from _in_lines(lines)


def _in_lines(lines: list[tuple[str, Unit]]) -> Iterator[BulletList]:
    for i, (line, unit) in enumerate(lines[:-1]):
        if MARK.match(line) or not MARK.match(lines[i + 1][0]) or re.search(r"[.!?]$", line):
            continue
        end = next((j for j in range(i + 1, len(lines)) if not MARK.match(lines[j][0])), len(lines))
        items = _items([text for text, _ in lines[i + 1 : end]])
        parts = sentences(STEP.sub("", line))
        if items and parts:
            where = tuple(dict.fromkeys(own.chunk_id for _, own in lines[i:end]))
            lead, intro = " ".join(parts[-2:-1]), parts[-1].rstrip(" :—–,")
            yield BulletList(lead, intro, items, where, unit._replace(text=f"{lead} {intro}".strip()))


def _items(lines: list[str]) -> list[str]:
    """The items without their marks, nested ones in a row behind theirs; none where it is no plain list."""
    first = MARK.match(lines[0])
    items: list[list[str]] = []
    for line in lines:
        found = MARK.match(line)
        assert first is not None and found is not None
        text = re.sub(r"[;,.]?(?:,? (?:and|or))?$", "", line[found.end() :])
        if len(found["mark"]) > 1 or found["mark"] == first["mark"]:
            items.append([text])
        else:
            items[-1].append(text)
    whole = [" ".join([head, ", ".join(nested)]).strip() for head, *nested in items]
    plain = FEWEST <= len(whole) <= MOST and not any(
        "?" in one or len(one.split()) > LONGEST for one in whole
    )
    return whole if plain else []


def _ask(listed: BulletList, vocabulary: frozenset[str]) -> Candidate | None:
    asked = _to_consider(listed) or _of_intro(listed, vocabulary)
    if not asked or question_form_checks.points_back(asked):
        return None
    answer = " ".join(f"({i}) {item};" for i, item in enumerate(listed.items, start=1)).rstrip(";") + "."
    return Candidate(
        word_forms.capitalize(asked) + "?",
        f"{listed.intro}: {answer}",
        listed.items[0],
        "multi_step" if len(listed.items) >= 3 else "instruction",
        "open",
        "listing",
        listed.chunk_ids,
        listed.unit,
    )


def _to_consider(listed: BulletList) -> str:
    """`Assess the adequacy of reports. Consider whether reports` -> what should be considered when ..."""
    order = ORDER.fullmatch(listed.lead.rstrip("."))
    if order and THEN.fullmatch(listed.intro):
        verb, _, rest = order["verb"].lower().partition(" ")
        what = re.sub(r"^if\b", "whether", f"{rest} {order['what']}".strip())
        return f"what should be considered when {word_forms.gerund(verb)} {what}"
    about = ABOUT.fullmatch(listed.intro)
    if about and question_form_checks.is_telling(about["what"]) and not _has_verb(about["what"]):
        verb = word_forms.participle(about["verb"].lower())
        return f"what should be {verb} about {about['what']}"
    return ""


def _has_verb(text: str) -> bool:
    known = word_forms.AUXILIARIES | (set(word_forms.third_person()) - word_forms.NOUNS_TOO)
    return any(token in known for token in text.split())


def _of_intro(listed: BulletList, vocabulary: frozenset[str]) -> str:
    """`A sound process generally includes` -> what does a sound process include."""
    if found := EXAMPLES.fullmatch(listed.intro):
        return f"what are examples of {found['of']}"
    if found := RESPONSIBLE.fullmatch(listed.intro):
        return _of_subject(found, f"what {found['be']} {{}} responsible for", vocabulary)
    if found := OPENS_COUNTED_LIST.fullmatch(listed.intro):
        return _of_subject(found, f"what {found['what']} {_verb(found)}", vocabulary)
    if found := OPENS_LIST.fullmatch(listed.intro):
        return _of_subject(found, f"what {_verb(found)}", vocabulary)
    found = ACTING.fullmatch(listed.intro)
    if found and all(
        item.split()[0] in word_forms.verbs() | set(word_forms.third_person()) for item in listed.items
    ):
        single = listed.items[0].split()[0] in word_forms.third_person()
        helper = found["how"] if found["how"] in ("should", "must") else "does" if single else "do"
        hedge = "" if helper == found["how"] else f"{found['how']} "
        return _of_subject(found, f"what {helper} {{}} {hedge}do", vocabulary)
    return ""


def _verb(found: re.Match[str]) -> str:
    """`should {} include`, `does {} include`."""
    first, _, rest = found["verb"].partition(" ")
    base = word_forms.third_person().get(first, first)
    helper = (found["modal"] or (" do" if first == base else " does")).strip()
    return f"{helper} {{}} {base} {rest}".strip()


def _of_subject(found: re.Match[str], form: str, vocabulary: frozenset[str]) -> str:
    subject = guidance_prose.ENDING_ADVERBS.sub("", word_forms.uncapitalize(found["subject"], vocabulary))
    return form.format(subject) if question_form_checks.is_telling(subject) and "," not in subject else ""
