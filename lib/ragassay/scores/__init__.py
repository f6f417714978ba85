"""Answers -> scores: one row per answer and metric, each with its state, its reason and its sentence-level evidence.

metrics.py     METRICS, one literal row per metric        score.py      score(answers, ...) -> scores table, batch by batch
similarity.py  cosine of sentences (HCAT 3)               material.py   one answer made ready: sentences, sources, cited ids
transport.py   exact optimal transport (HCAT 3.3.2)       measure.py    material -> value and evidence
citations.py   ids, validity, support (Lesson 4.1)        retrieval.py  hard and soft recall and precision (HCAT figures 5, 6)
abstention.py  does it decline when it should (Lesson 6)  privacy.py    patterns of personal data (HCAT 4)
toxicity.py    terms of toxicity_terms.txt (HCAT 4)
"""

from ragassay.scores.metrics import DEFAULT, METRICS, Metric
from ragassay.scores.score import score

__all__ = ["DEFAULT", "METRICS", "Metric", "score"]
