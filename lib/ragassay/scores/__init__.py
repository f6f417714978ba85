"""Answers -> scores: one row per answer and metric, each with its state, its reason and its sentence-level evidence.

metrics/   METRICS, one literal row each, a file per source     score.py     score(answers, ...) -> scores table; score_batches for streams
measure/   (material, tools) -> value and evidence, per family  derived.py   metrics computed from others over the whole table
rows.py    rows of the tables to material                       material.py  one answer made ready: sentences, sources, cited ids
state.py   the four states of a score                           tools.py     the encoder and heads, each text and pair computed once per batch
cards.py   what `ragassay score --list` says of each metric     premises.py  what a sentence is held against: the few nearest to it

The other files hold the families' functions on arrays and strings, which know nothing of tables and models.
"""

from ragassay.scores.metrics import DEFAULT, FAMILIES, METRICS, Metric, headlines, source_of
from ragassay.scores.score import score

__all__ = ["DEFAULT", "FAMILIES", "METRICS", "Metric", "headlines", "score", "source_of"]
