"""A judge of one's own, trained on a language model's marks: GroUSE section 5, on the frozen encoder.

    traces (answers with marks) -> features -> heads, one per mark -> agreement, unit tests -> folder

traces     answers and the marks a judge gave, read and checked
features   an answer beside question, references and true answer, in numbers
judge      one classifier per mark on the features: a scorer of suites, and its file
training   the whole way: agreement with the marks on questions held out, unit tests, a card
lora       the same from a causal language model that the user names, tuned by adapters (extra `lora`)

It is worth what its traces are worth: it repeats a language model's marks, and is to be examined like any
other instrument.
"""

from pathlib import Path

from ragassay.examination.scorers import Scorer
from ragassay.examination.small_judge import judge, lora
from ragassay.examination.small_judge.judge import SmallJudge
from ragassay.examination.small_judge.traces import Traces, read
from ragassay.examination.small_judge.training import Trained, train
from ragassay.scores.shared_instruments import Tools

__all__ = ["SmallJudge", "Traces", "Trained", "load", "read", "train"]


def load(folder: str | Path, *, tools: Tools | None = None) -> Scorer:
    """The scorer in a folder that `train` or `lora.train` wrote.

    tools : instruments for the features of heads; None takes the encoder that they were trained on

    Raises ModelError if there is none, it is damaged, or what it was trained on is not here.
    """
    return lora.load(folder) if (Path(folder) / lora.FILE).is_file() else judge.load(folder, tools=tools)
