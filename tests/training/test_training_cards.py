from pathlib import Path

import pytest

import card
from ragassay.models import head_file

TEACHERS = Path(card.__file__).parent / "teachers"
HEADS = [
    pytest.param(path, id=path.stem)
    for folder in (head_file.FOLDER, TEACHERS)
    for path in sorted(folder.glob("*.safetensors"))
]


@pytest.mark.parametrize("path", HEADS)
def test_the_card_says_what_the_file_says(path):
    text = path.with_suffix(".md").read_text(encoding="utf-8")
    written, mark, tables = text.partition(card.MARK)
    assert mark and len(written) > 300
    assert tables.partition(card.ERRS)[0].strip() == card.tables(path).strip()


def test_a_figure_by_hand():
    assert card.figure("accuracy", [0.5, 0.25, 0.75]) == "| accuracy | 0.500 | [0.250, 0.750] |"
    assert card.figure("rows", 1234) == "| rows | 1,234 | |"
