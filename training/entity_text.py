"""Texts with labelled names, made from sentences and lists of words that we wrote (entity_sentences.txt,
entity_words.txt)."""

import random
from pathlib import Path

import data
from entity_values import SLOT, value_of

Span = tuple[int, int, str]  # first character, end, kind
Text = tuple[str, list[Span]]
KINDS = {
    "person": "person given family",
    "organisation": "org firm body",
    "place": "town country state place",
    "address": "address street line spot military code unit house",
}
KIND = {slot: kind for kind, slots in KINDS.items() for slot in slots.split()}


def sentences() -> list[str]:
    """The sentences with their slots."""
    lines = data.lines(Path(__file__).with_name("entity_sentences.txt"))
    return [line if line.startswith("| ") else line.replace("|", "\n") for line in lines]


def fill(sentence: str, draw: random.Random) -> Text:
    """A sentence with a value in every slot, and the spans of those that are names."""
    text, spans, last = "", list[Span](), 0
    for slot in SLOT.finditer(sentence):
        text += sentence[last : slot.start()]
        value, last = value_of(slot[1], draw), slot.end()
        if kind := KIND.get(slot[1]):
            skip = 4 if kind == "place" and value.startswith("the ") else 0
            spans.append((len(text) + skip, len(text) + len(value), kind))
        text += value
    return text + sentence[last:], spans


def made(count: int, draw: random.Random) -> list[Text]:
    """`count` texts: one to three sentences each, some in lower or upper case."""
    known, texts = sentences(), []
    for _ in range(count):
        parts = [fill(draw.choice(known), draw) for _ in range(draw.choice((1, 1, 2, 3)))]
        texts.append(_cased(_joined(parts), draw))
    return texts


def _joined(parts: list[Text]) -> Text:
    text, spans = "", list[Span]()
    for part, its in parts:
        space = "" if not text else "\n" if "\n" in text or "\n" in part else " "
        spans += [(start + len(text + space), end + len(text + space), kind) for start, end, kind in its]
        text += space + part
    return text, spans


def _cased(text: Text, draw: random.Random) -> Text:
    """Mostly as it is; some texts in capitals or without any, since the head sees which words begin with
    one."""
    kind = draw.random()
    other = text[0].upper() if kind < 0.04 else text[0].lower() if kind < 0.12 else text[0]
    return (other, text[1]) if len(other) == len(text[0]) else text
