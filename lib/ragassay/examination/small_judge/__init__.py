"""A judge of one's own, trained on a language model's marks: GroUSE section 5, on the frozen encoder.

    traces (answers with marks) -> features -> heads, one per mark -> held-out agreement, unit tests -> folder
    -> scorer

traces     answers and the marks a judge gave, read and checked
features   an answer beside question, references and true answer, in numbers
heads      one classifier per mark, null as a class
judge      features and heads together: a scorer of suites, and its file
alignment  agreement with the marks, on questions held out
card       what a reader must know before believing it
training   the whole way
lora       the same from a causal language model that the user names, tuned by low-rank adaptation (extra
           `lora`)
loading    either judge from its folder

It is worth what its traces are worth: it repeats a language model's marks, and is to be examined like any
other instrument.
"""

from ragassay.examination.small_judge.judge import SmallJudge
from ragassay.examination.small_judge.loading import load
from ragassay.examination.small_judge.traces import Traces, of_scores, read
from ragassay.examination.small_judge.training import Trained, train

__all__ = ["SmallJudge", "Traces", "Trained", "load", "of_scores", "read", "train"]
