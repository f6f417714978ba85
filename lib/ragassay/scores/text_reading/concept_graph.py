"""The concepts of a text, and what stands beside what, as a graph (Hybrid 2.1 b; the choices are ours).

A concept is a name (a person, organisation, place or address) or the singular of a word that is no stop word,
verb, adverb or number. They are the nodes of the graph. An edge joins two concepts of one sentence with fewer
than `WINDOW` concepts between them; its weight is how often they stand so.
"""

import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from ragassay.scores.families.facts import Named
from ragassay.scores.text_reading import word_comparison

if TYPE_CHECKING:
    import networkx

WINDOW = 10  # concepts of a sentence farther apart than this are not joined
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LY_NOUNS = frozenset(
    ("monthly", "weekly", "daily", "yearly", "quarterly", "family", "supply", "reply", "assembly", "anomaly")
) | {"monopoly"}
_VAGUE = frozenset(["much", "please", "lot", "thing", "way", "kind", "example", "etc", "yes", "okay"])
_SPACE = re.compile(r"[\W_]+")
Span = tuple[int, int]


def concepts(text: str, names: Sequence[Named] = ()) -> list[str]:
    """The concepts of a text in the order they stand, repeated ones each time;
    `names` are its entities, one concept each.
    """
    return [concept for _, _, concept in _placed(text, names)]


def phrases(text: str, names: Sequence[Named] = ()) -> list[Span]:
    """Where concepts stand side by side:
    `the monthly maintenance fee of Ann Lee` has `monthly maintenance fee` and `Ann Lee`.
    """
    runs: list[Span] = []
    for start, end, _ in _placed(text, names):
        if runs and text[runs[-1][1] : start] == " ":
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    return runs


def build(sentences: Iterable[Sequence[str]]) -> "networkx.Graph":
    """The graph of a text, from the concepts of its sentences."""
    import networkx

    found = networkx.Graph()
    for sentence in sentences:
        found.add_nodes_from(sentence)
        for i, one in enumerate(sentence):
            for other in sentence[i + 1 : i + 1 + WINDOW]:
                if one != other:
                    found.add_edge(
                        one, other, weight=found.get_edge_data(one, other, {"weight": 0})["weight"] + 1
                    )
    return found


def _placed(text: str, names: Sequence[Named]) -> list[tuple[int, int, str]]:
    taken = bytearray(len(text))
    found = []
    for name in names:
        key = _SPACE.sub(" ", text[name.start : name.end]).strip().casefold()
        if key and not any(taken[name.start : name.end]):
            taken[name.start : name.end] = b"\1" * (name.end - name.start)
            found.append((name.start, name.end, key))
    found += [
        (*word.span(), _singular(word[0]))
        for word in _WORD.finditer(text)
        if not taken[word.start()] and _is_concept(word[0])
    ]
    return sorted(one for one in found if one[2])


def _is_concept(word: str) -> bool:
    lower = _bare(word)
    adverb = lower.endswith("ly") and lower not in _LY_NOUNS
    return len(lower) > 1 and not adverb and lower not in _others()


def _singular(word: str) -> str:
    """The word in lower case without a plural or possessive ending:
    `Fees`, `fee's` -> `fee`, `policies` -> `policy`.
    """
    lower = _bare(word)
    if len(lower) > 4 and lower.endswith("ies"):
        return lower[:-3] + "y"
    if lower.endswith(("sses", "xes", "ches", "shes")):
        return lower[:-2]
    return (
        lower[:-1]
        if len(lower) > 3 and lower.endswith("s") and not lower.endswith(("ss", "us", "is"))
        else lower
    )


def _bare(word: str) -> str:
    return word.lower().replace("’", "'").removesuffix("'s")


@cache
def _others() -> frozenset[str]:
    """Stop words of three languages, negations, quantifiers, months, numbers, and the verbs of our list that
    are not nouns as well.
    """
    from ragassay.cases.rule_questions import word_forms

    forms = (
        word_forms.verbs()
        | set(word_forms.third_person())
        | set(word_forms.gerunds())
        | word_forms.AUXILIARIES
        | {_past(verb) for verb in word_forms.verbs()}
    )
    nouns = word_forms.NOUNS_TOO | {noun.removesuffix("s") for noun in word_forms.NOUNS_TOO}
    listed = json.loads((word_forms.DATA / "stop_words.json").read_text(encoding="utf-8")).values()
    kinds = [word_comparison.kind(name) for name in ("stop", "negation", "quantifier", "date")]
    return frozenset(
        (forms - nouns).union(
            *kinds, *(text.split() for text in listed), word_forms.NUMBER_WORDS.split("|"), _VAGUE
        )
    )


def _past(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    return verb[:-1] + "ied" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else verb + "ed"
