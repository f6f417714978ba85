"""GRAMMAR's modular evaluation (section 3.3): what an assistant does not know, what it knows in some words
only, and which of its modules fails then.

    results.py            one row a query: its group, whether the answer and the retrieval were right; checked
    groups.py             gap, robust and non-robust groups; accuracy, robustness R, lambda, Acc = R (1 -
                          lambda); contexts compared: passages that served another wording of the query
    modules.py            which module the failures of non-robust groups are of, and whether one is defective
    contrasts.py          two linguistic clusters against each other, on the same groups and as sampled
    against_gold.py       evaluators that need no gold answer, held against gold (table 1)
"""

from ragassay.analysis.diagnosis.against_gold import compare_evaluators
from ragassay.analysis.diagnosis.contrasts import contrast_clusters
from ragassay.analysis.diagnosis.groups import count_kinds, group_table, measure_groups
from ragassay.analysis.diagnosis.modules import Defect, assign_modules, count_modules, defective_module
from ragassay.analysis.diagnosis.results import read_results

__all__ = [
    "Defect",
    "assign_modules",
    "compare_evaluators",
    "contrast_clusters",
    "count_kinds",
    "count_modules",
    "defective_module",
    "group_table",
    "measure_groups",
    "read_results",
]
