"""Answers -> scores: one row per answer and metric, with its state, its reason and its sentence-level
evidence.

families/              one file a family: formulas and measures; one row a metric in metrics.csv
metric.py              what a metric is, the instruments it may use, each text once per batch; what it gives
metric_registry.py     METRICS: all families together, their cards (`ragassay score --list`), directions
own_metrics.py         metrics of the engagement's own: a decorated function in a file
display_names.py       the names that readers see, of metrics and levels
score.py               score(answers, ...) -> scores; batches for streams; the four states; derived metrics
prepared_answer.py     one answer made ready, from rows of the tables
personal_data.py       forms of personal data; mask_answers: hidden where answers are shown
planted_marks.py       whether a text gives away a canary or a secret

numbers/               numbers, amounts and dates read, compared, traced to the passages
text_reading/          words, clauses, claims, citations, refusals, and the lists of words
"""

from ragassay.scores.families.same_answer import add_other_answers
from ragassay.scores.metric import Metric
from ragassay.scores.metric_registry import (
    DEFAULT,
    FAMILIES,
    JUDGED,
    METRICS,
    OFFLINE,
    headlines,
    judges_of,
    reads_key,
)
from ragassay.scores.own_metrics import choose
from ragassay.scores.personal_data import mask_answers
from ragassay.scores.score import instruments_of, score

__all__ = [
    "DEFAULT",
    "FAMILIES",
    "JUDGED",
    "METRICS",
    "OFFLINE",
    "Metric",
    "add_other_answers",
    "choose",
    "headlines",
    "instruments_of",
    "judges_of",
    "mask_answers",
    "reads_key",
    "score",
]
