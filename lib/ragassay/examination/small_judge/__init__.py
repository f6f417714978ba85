"""A judge of one's own, trained on a language model's marks: GroUSE section 5, on the frozen encoder.

    traces (answers with marks) -> features -> heads, one per mark -> agreement, unit tests -> folder

traces     answers and the marks a judge gave, read and checked
features   an answer beside question, references and true answer, in numbers
judge      one classifier per mark on the features: a scorer of suites, and its file
training   the whole way: agreement with the marks on questions held out, unit tests, a card

It is worth what its traces are worth: it repeats a language model's marks, and is to be examined like any
other instrument.
"""

from ragassay.examination.small_judge.judge import SmallJudge, load
from ragassay.examination.small_judge.traces import Traces, read
from ragassay.examination.small_judge.training import Trained, train

__all__ = ["SmallJudge", "Traces", "Trained", "load", "read", "train"]
