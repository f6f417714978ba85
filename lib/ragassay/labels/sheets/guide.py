"""What a rater reads before the first answer."""

from collections.abc import Sequence
from pathlib import Path

from ragassay import evidence
from ragassay.errors import InputError
from ragassay.labels.dimensions import Dimension
from ragassay.labels.sheets.texts import visible

RULES = (
    "Read the question, then the answer, then the passages it was made from.",
    "Judge each answer by itself, in the order given; do not go back to make labels alike.",
    "You see no score and not the name of the assistant; do not look them up.",
    "Leave a cell empty where you cannot judge: an empty cell is counted, a guess is not noticed.",
    "Write only labels of the scale into the columns of the scale; whatever else there is to say goes into the comment.",
    "Change no other column: the row and the hash tell which answer a label belongs to.",
)


def lines(dimensions: Sequence[Dimension], file: str | Path | None = None) -> list[str]:
    """The guide, line by line: the rules, the scales, then the text of a guide of your own.

    Raises
    ------
    InputError
        If the file does not exist or is not UTF-8.
    """
    scales = [f"{each.name}: {each.allowed}" for each in dimensions]
    return ["How to label", "", *RULES, "", "Scales", "", *scales, *(["", *_own(file)] if file else [])]


def _own(file: str | Path) -> list[str]:
    path = evidence.source(file)
    try:
        return visible(path.read_text(encoding="utf-8-sig"), 0).splitlines()
    except (UnicodeDecodeError, OSError) as problem:
        raise InputError(
            "the guide cannot be read", where=path, found=str(problem)[:120], do="give a text file in UTF-8"
        ) from problem
