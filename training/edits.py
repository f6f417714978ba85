"""Pairs made from sentences by rule: what follows from a sentence, what contradicts it, and what it does not
say.

The rules change a sentence (the hypothesis) while its source, alone or among its neighbours, stays the
premise:
  contradiction  a number, date, name, quantifier or word of a group swapped for another of its kind; a
  negation put in or taken out
  neutral        a clause of another sentence put in; a part of the source taken away from the premise only
  entailment     nothing changed, synonyms put in, a clause left out, the first letters lowered
A changed sentence may carry synonyms too, so that a changed word alone decides nothing.
"""

import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import data

Pair = tuple[str, str, str]
FOLDER = Path(__file__).parent
WORD = re.compile(r"[A-Za-z][A-Za-z'-]*|\d[\d.,]*\d|\d|[^\sA-Za-z\d]+|\s+")
NUMBER = re.compile(r"\d[\d.,]*\d|\d")
NAME = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][a-z]+(?: [A-Z][a-z]+)*\b")
BE = re.compile(
    r"\b(is|are|was|were|can|could|will|would|should|must|may|has|have|had|does|do|did)\b(?! not| n't|n't)",
    re.IGNORECASE,
)
NOT = re.compile(r"\b(?:not|never) |n't\b")
DETERMINER = re.compile(r"\b(?:the|his|her|their|its|our|some|two|three|any) (?=[a-z])")
CLAUSE = re.compile(r"(?:which|who|where|and|but|with|including)\b")
OPENING = re.compile(r"(?:In|On|At|By|After|Before|During|Since|From|For)\b")
FRAMES = ("The text says that ", "According to the text, ", "It is stated that ")
FRAMES += ("The author reports that ", "We are told that ", "In short, ")


QUALIFIERS, SMALL_TALK = (data.lines(FOLDER / f"{name}.txt") for name in ("qualifiers", "small_talk"))


def groups(file: str) -> dict[str, list[str]]:
    """Word -> the words that may take its place, from one of the two lists."""
    found: dict[str, list[str]] = {}
    for line in data.lines(FOLDER / file):
        words = [word.replace("-", " ") for word in line.split()]
        for word in words:
            found.setdefault(word, []).extend(other for other in words if other != word)
    return found


SWAPS, SYNONYMS = groups("word_groups.txt"), groups("same_meaning.txt")


def swap_word(sentence: str, draw: random.Random, table: dict[str, list[str]] = SWAPS) -> str | None:
    """The sentence with one word replaced by another of its group, or None if it holds none."""
    parts = WORD.findall(sentence)
    places = [i for i, part in enumerate(parts) if part.lower() in table]
    if not places:
        return None
    place = draw.choice(places)
    new = draw.choice(table[parts[place].lower()])
    parts[place] = new.capitalize() if parts[place][0].isupper() else new
    return "".join(parts)


def synonyms(sentence: str, draw: random.Random, most: int = 5) -> str | None:
    """The sentence with one to `most` words replaced by words of the same meaning."""
    changed = None
    for _ in range(draw.randint(1, most)):
        changed = swap_word(changed or sentence, draw, SYNONYMS) or changed
    return changed


def change_number(sentence: str, draw: random.Random) -> str | None:
    """The sentence with one number in digits changed a little."""
    found = list(NUMBER.finditer(sentence))
    if not found:
        return None
    one = draw.choice(found)
    digits = list(one[0])
    place = draw.choice([i for i, sign in enumerate(digits) if sign.isdigit()])
    others = "0123456789".replace(digits[place], "")
    digits[place] = draw.choice(others.lstrip("0") if place == 0 else others)
    return sentence[: one.start()] + "".join(digits) + sentence[one.end() :]


def swap_name(sentence: str, draw: random.Random, others: Sequence[str]) -> str | None:
    """The sentence with one name replaced by a name from elsewhere."""
    found = list(NAME.finditer(sentence))
    choices = [name for name in others if name not in sentence]
    if not found or not choices:
        return None
    one = draw.choice(found)
    alike = [name for name in choices if name.count(" ") == one[0].count(" ")] or choices
    return sentence[: one.start()] + draw.choice(alike) + sentence[one.end() :]


def exchange_names(sentence: str, draw: random.Random) -> str | None:
    """The sentence with two of its names in each other's place."""
    found = list(NAME.finditer(sentence))
    if len({one[0] for one in found}) < 2:
        return None
    a, b = sorted(draw.sample(found, 2), key=lambda one: one.start())
    if a[0] == b[0]:
        return None
    return sentence[: a.start()] + b[0] + sentence[a.end() : b.start()] + a[0] + sentence[b.end() :]


def negate(sentence: str, draw: random.Random) -> str | None:
    """The sentence with a negation taken out, or one put in after an auxiliary verb."""
    if NOT.search(sentence):
        return re.sub(r"\s+", " ", NOT.sub(" ", sentence, count=1))
    found = list(BE.finditer(sentence))
    if not found:
        return None
    one = draw.choice(found)
    return f"{sentence[: one.end()]} not{sentence[one.end() :]}"


def shorten(sentence: str, draw: random.Random) -> str | None:
    """The sentence without a bracket, an opening phrase or what follows its last comma."""
    bare = re.sub(r"\s*\([^)]*\)", "", sentence)
    parts = bare.rstrip(".").split(", ")
    choices = [bare] if bare != sentence else []
    first, last = parts if len(parts) == 2 else ("", "")
    if len(first.split()) >= 5 and CLAUSE.match(last):
        choices.append(first + ".")
    if len(last.split()) >= 5 and OPENING.match(first):
        choices.append(last[0].upper() + last[1:] + ".")
    return draw.choice(choices) if choices else None


def qualify(sentence: str, draw: random.Random) -> str | None:
    """The sentence with a qualifier that nothing supports put before one of its nouns."""
    found = [one for one in DETERMINER.finditer(sentence) if one.end() < len(sentence) - 12]
    if not found:
        return None
    one = draw.choice(found)
    return f"{sentence[: one.end()]}{draw.choice(QUALIFIERS)} {sentence[one.end() :]}"


def insert(sentence: str, draw: random.Random, others: Sequence[str]) -> str | None:
    """The sentence with a clause of another one joined to it."""
    drawn = draw.sample(others, min(6, len(others)))
    parts = [part for other in drawn for part in other.rstrip(".").split(", ")[1:]]
    clauses = [part for part in parts if 3 <= len(part.split()) <= 10]
    return f"{sentence.rstrip('.')}, {draw.choice(clauses)}." if clauses else None


def pairs(sentences: Sequence[str], draw: random.Random, window: int = 3) -> list[Pair]:
    """Premise, hypothesis and label for one text's sentences, in their order; about three pairs a
    sentence."""
    names = sorted({name for sentence in sentences for name in NAME.findall(sentence)})
    changes: list[Callable[[str], str | None]] = [
        lambda s: swap_word(s, draw),
        lambda s: swap_word(s, draw),
        lambda s: change_number(s, draw),
        lambda s: swap_name(s, draw, names),
        lambda s: exchange_names(s, draw),
        lambda s: negate(s, draw),
    ]
    made: list[Pair] = []
    for place, sentence in enumerate(sentences):
        if not 5 <= len(sentence.split()) <= 50:
            continue
        premise = _premise(sentences, place, draw, window)
        made.append((premise, _varied(sentence, draw), "entailment"))
        tried = (change(sentence) for change in draw.sample(changes, len(changes)))
        wrong = next((new for new in tried if new and new != sentence), None)
        if wrong:
            made.append((premise, _varied(wrong, draw), "contradiction"))
        made += _neutral(sentences, place, premise, draw)
    return [(p.lower(), h.lower(), label) if draw.random() < 0.12 else (p, h, label) for p, h, label in made]


def _neutral(sentences: Sequence[str], place: int, premise: str, draw: random.Random) -> list[Pair]:
    """One pair whose hypothesis says more than its premise: a clause put in, the long form against the short
    one, or another sentence."""
    sentence, kind = sentences[place], draw.random()
    if kind < 0.35 and (more := insert(sentence, draw, sentences)):
        return [(premise, _varied(more, draw), "neutral")]
    if kind < 0.6 and (more := qualify(sentence, draw)):
        return [(premise, _varied(more, draw), "neutral")]
    if kind < 0.64:
        return [(premise, draw.choice(SMALL_TALK), "neutral")]
    if kind < 0.78 and (short := shorten(sentence, draw)) and len(short) < len(sentence) - 12:
        return [(short, _varied(sentence, draw), "neutral")]
    other = draw.choice(sentences)
    apart = other not in premise and draw.random() < 0.5
    return [(premise, _varied(other, draw), "neutral")] if apart else []


def _varied(sentence: str, draw: random.Random) -> str:
    """The sentence, mostly with synonyms, a clause less or a frame around it: changes that change nothing."""
    kind = draw.random()
    if kind < 0.55:
        sentence = synonyms(sentence, draw) or sentence
    if 0.45 < kind < 0.75:
        sentence = shorten(sentence, draw) or sentence
    return draw.choice(FRAMES) + sentence if kind > 0.93 else sentence


def _premise(sentences: Sequence[str], place: int, draw: random.Random, window: int) -> str:
    """The source sentence alone or among up to `window` - 1 other sentences of its text, near or far, in
    their order."""
    count = draw.choice([1, 1, *range(2, window + 1)])
    near = [i for i in range(max(0, place - 2), min(len(sentences), place + 3)) if i != place]
    chosen = draw.sample(near, min(count - 1, len(near)))
    return " ".join(sentences[i] for i in sorted([place, *chosen]))
