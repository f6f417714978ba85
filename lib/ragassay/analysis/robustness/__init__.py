"""Robustness: does an answer hold when its question is asked less well, again, or should not be asked at all?

paired_differences   questions put less well against themselves
false_answers        questions that the documents do not answer, answered; needless hedges
changed_passages     distractors, a false passage, the evidence taken away
repeatability        the same question again, and follow-ups
wordings             right in some wordings only, and the module that fails (GRAMMAR)
"""

# ruff: noqa: F401  (callers take these names from here)
from ragassay.analysis.robustness.changed_passages import measure_changes, passage_checks, summarize_changes
from ragassay.analysis.robustness.false_answers import outside_checks, outside_rates, summarize_outside
from ragassay.analysis.robustness.paired_differences import (
    POOLED,
    against_originals,
    compare,
    perturbation_checks,
)
from ragassay.analysis.robustness.repeatability import pair_answers, repeat_checks, summarize_repeats
from ragassay.analysis.robustness.wordings import failing_modules, summarize_wordings, wordings_checks
