"""Answers -> scores: one row per answer and metric, with its state, its reason and its evidence by sentence.

score.py     score(answers, ...) -> table; score_batches    metric.py    Family, Metric, Method; what a measure gives
rows.py      rows of the tables to samples                  metrics.py   METRICS, FAMILIES: every family in order
sample.py    one answer made ready, sentence by sentence    derived.py   metrics computed from others, whole table
state.py     the four states of a score                     tools.py     encoder and heads, each text once a batch
cards.py     what `ragassay score --list` says of each      premises.py  the few sentences nearest to a sentence

Every other file is a family of metrics (formulas, measures, its rows, its part of annexes D and F), named by
METRICS, or holds a part of one that stands beside it under the same name.
"""

from ragassay.scores.metrics import DEFAULT, FAMILIES, METRICS, Metric, headlines, source_of
from ragassay.scores.score import score

__all__ = ["DEFAULT", "FAMILIES", "METRICS", "Metric", "headlines", "score", "source_of"]
