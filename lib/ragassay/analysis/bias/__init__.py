"""Whether all customers are treated alike: groups on the same questions, stereotypes in answers."""

# ruff: noqa: F401  (callers take these names from here)
from ragassay.analysis.bias.bias_checks import Bias, compare_customers, score_versions
