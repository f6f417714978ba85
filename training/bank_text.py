"""Sentences of the bundled bank's documents with their names labelled, some of them exchanged for other names
of the same kind."""

import random
import re
from functools import cache

from entity_text import Span, Text, value_of

PERSONS = """Ingrid Solberg; Beatrice Amadi; Paulo Teixeira; Noor Haddad
Wanda Kowal; Agnes Delacroix; Victor Lindqvist
Rafael Quintana
Miriam Okonjo; Tobias Renner; Lucía Ferrante; Desmond Ashby
Priya Ramanathan; Joana Medeiros; Aled Prosser; Henrike Vos; Samuel Tewolde; Clara Whitlock"""
ORGANISATIONS = "Alder Quay Bank; Alder Quay; ALDER QUAY BANK; Coastal Banking Ombudsman"
PLACES = """Port Alder; Calder Vale; Easting; Millbrook; Salt Point; United States
Harbour Street; Old Mint; Quayside; Northgate
Calder Market
Easting Cross; Ferry Terminal"""
STREETS = (
    "Cross Road; Harbour Street; Mint Row; Lighthouse Road; Northgate Avenue; Scholar Lane; Market "
    "Square; Quay Parade; Weir Street; Coiners' Alley"
)
SLOT = {"person": "person", "organisation": "org", "place": "town", "address": "house"}
EXCHANGED = 0.6  # share of the names that another takes the place of


@cache
def pattern() -> re.Pattern[str]:
    """All names, addresses first; the group's name is the kind."""
    address = rf"\d+ (?:{_any(STREETS)})|(?:{_any(STREETS.replace('Harbour Street; ', ''))})"
    lists = {"address": address, "person": _any(PERSONS)}
    lists |= {"organisation": _any(ORGANISATIONS), "place": _any(PLACES)}
    return re.compile("|".join(rf"(?P<{kind}>\b(?:{names})\b)" for kind, names in lists.items()))


def _any(names: str) -> str:
    return "|".join(re.escape(name.strip()) for name in re.split(r"[;\n]", names))


@cache
def sentences() -> list[str]:
    from ragassay import documents, provenance

    texts, _ = documents.load(provenance.source("bundled:documents"))
    return sorted({sentence for text in texts["text"] for sentence in documents.sentences(text)})


def labelled(sentence: str, draw: random.Random, exchanged: float = EXCHANGED) -> Text:
    """The sentence and its names."""
    text, spans, last = "", list[Span](), 0
    for name in pattern().finditer(sentence):
        kind = name.lastgroup or ""
        value = value_of(SLOT[kind], draw) if draw.random() < exchanged else name[0]
        text += sentence[last : name.start()]
        spans.append((len(text), len(text) + len(value), kind))
        text, last = text + value, name.end()
    return text + sentence[last:], spans


def made(count: int, draw: random.Random) -> list[Text]:
    """`count` texts of one or two sentences; those with names come four times as often."""
    pool = [sentence for sentence in sentences() for _ in range(4 if pattern().search(sentence) else 1)]
    return [
        labelled(" ".join(draw.choice(pool) for _ in range(draw.choice((1, 1, 2)))), draw)
        for _ in range(count)
    ]
