"""Answers -> scores: one row per answer and metric, with its state, its reason and its sentence-level
evidence.

families/    one file a family: its formulas, measures, and FAMILY (rows, methods, glossary)
metric.py    what a family says of itself, what a measure gives     registry.py METRICS: all families together
score.py     score(answers, ...) -> scores; batches for streams     derived.py  metrics computed from others
sample.py    one answer made ready, from rows of the tables         state.py    the four states of a score
tools.py     encoder and heads, each text once per batch            vectors.py  cosines of sentences
masking.py   mask_answers: personal data hidden where answers are shown
cards.py     what `ragassay score --list` says of each metric        directions.py which way is better
other_answers.py  further answers to the same question, beside each

The other files read texts (dates, quantities, concepts, wording, signs) or are parts of a family too long for
one file.
"""

from ragassay.scores.masking import mask_answers
from ragassay.scores.other_answers import add_other_answers
from ragassay.scores.registry import (
    DEFAULT,
    FAMILIES,
    JUDGED,
    METRICS,
    OFFLINE,
    Metric,
    choose,
    family_name,
    headlines,
    judges_of,
    source_of,
)
from ragassay.scores.score import score

__all__ = [
    "DEFAULT",
    "FAMILIES",
    "JUDGED",
    "METRICS",
    "OFFLINE",
    "Metric",
    "add_other_answers",
    "choose",
    "family_name",
    "headlines",
    "judges_of",
    "mask_answers",
    "score",
    "source_of",
]
