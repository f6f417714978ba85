"""GRAMMAR's modular evaluation (section 3.3): what an assistant does not know, what it knows in some words
only, and which of its modules fails then.

results      one row a query: its group, whether the answer and the retrieval were right; checked
groups       gap, robust and non-robust groups; accuracy, robustness R, lambda, Acc = R (1 - lambda); contexts
             compared; which module the failures of non-robust groups are of, and whether one is defective
contrasts    two linguistic clusters against each other; evaluators that need no gold answer, against gold
"""

# ruff: noqa: F401  (callers take these names from here)
from ragassay.analysis.diagnosis.contrasts import compare_evaluators, contrast_clusters
from ragassay.analysis.diagnosis.groups import (
    NO_FAILURE,
    QUANTITIES,
    Defect,
    assign_modules,
    compare_contexts,
    count_kinds,
    count_modules,
    defective_module,
    group_table,
    measure_groups,
)
from ragassay.analysis.diagnosis.results import read_results
