"""A judge from the folder that training wrote, whichever way it was trained."""

from pathlib import Path

from ragassay.examination.scorers import Scorer
from ragassay.examination.small_judge import judge, lora
from ragassay.scores.tools import Tools


def load(folder: str | Path, *, tools: Tools | None = None) -> Scorer:
    """The scorer in a folder that `training.train` or `lora.train` wrote.

    Parameters
    ----------
    tools : instruments for the features of heads; None takes the encoder that they were trained on

    Raises
    ------
    ModelError
        If there is none, it is damaged, or what it was trained on is not here.
    """
    return lora.load(folder) if (Path(folder) / lora.FILE).is_file() else judge.load(folder, tools=tools)
