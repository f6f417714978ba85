"""Scores -> measures: what was measured, where it is weak, whether it holds, which system is better.

case_scores        a metric's scores beside their cases, what was drawn independently, slices of the cases
scorecard          one number per metric and slice, its interval; words, seconds, tokens, cost; the system
                   against others
origin_slices      measures by origin, true success
slices             the search for weak slices, its exact test, what they are sought along
bias               groups served alike; stereotype_bias: answers that lean to stereotypes
safety             threats tried: personal data, toxicity, attacks, misuse, access
checks             what tests of risk found, one typed row each; passes that follow from quoting
robustness         questions put less well, with changed passages, again
declined_questions what the rates are of, questions outside the documents and misuse among them
error_taxonomy     raters and instruments by answer, each in one category, failing ones ranked by harm;
                   symptoms and what to do
blame              what failing answers are attributed to, and by what
diagnosis          gaps, robustness, the module that fails (GRAMMAR)

`from ragassay import analysis` is enough: `analysis.scorecard` is loaded when it is first named.
"""

from importlib import import_module
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
