"""Robustness: does an answer hold when its question is asked less well, again, or should not be asked?"""

# ruff: noqa: F401  (callers take these names from here)
from ragassay.analysis.robustness.changed_passages import measure_changes, passage_checks, summarize_changes
from ragassay.analysis.robustness.false_answers import outside_checks, outside_rates, summarize_outside
from ragassay.analysis.robustness.paired_differences import against_originals, compare, perturbation_checks
from ragassay.analysis.robustness.repeatability import pair_answers, repeat_checks, summarize_repeats
from ragassay.analysis.robustness.wordings import failing_modules, summarize_wordings, wordings_checks
