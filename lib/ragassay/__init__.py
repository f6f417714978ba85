"""ragassay: model-risk validation of retrieval-augmented generation.

documents -> cases -> answers -> scores -> verdicts -> findings -> report

documents : a folder of files, cut into passages
cases     : strata of the passages, questions on them, variants of the questions
answers   : the system under test asked, or its logs replayed
scores    : metrics of the answers, one row per case and metric
verdicts  : what a human would say, with stated error
findings  : weakness, robustness, gates
report    : the document a validator signs
"""

__version__ = "0.1.0"
