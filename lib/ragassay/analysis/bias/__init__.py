"""Whether all customers are treated alike: groups on the same questions, stereotypes in answers."""

from ragassay.analysis.bias.bias_checks import Bias, compare_customers, score_versions

__all__ = ["Bias", "compare_customers", "score_versions"]
