"""Tables read back from flattened text, the two layouts alike; and what a number's own clause in prose says of it."""

import pytest
from number_tables import LAYOUTS

from ragassay.scores.numbers.stated_amounts import keys, read_prose
from ragassay.scores.numbers.tables import read_lines


def rows(text: str) -> list[tuple[str, dict[str, str]]]:
    return [
        (line.label, dict(zip(line.headings, line.cells, strict=True)))
        for line in read_lines(text)
        if line.cells
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_layout_gives_the_same_rows_under_the_same_headings(layout):
    assert rows(LAYOUTS[layout])[:4] == [
        ("Tea sales", {"2023": "4,310", "2022": "3,920"}),
        ("Coffee sales", {"2023": "1,250", "2022": "1,475"}),
        ("Result", {"2023": "(215)", "2022": "88"}),
        ("Gross margin", {"2023": "41.5%", "2022": "39.0%"}),
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_caption_travels_with_each_row_and_prose_is_none(layout):
    lines = read_lines(LAYOUTS[layout])
    assert all("in thousands" in line.caption for line in lines if line.cells)
    assert lines[-1].prose and lines[-1].cells == ()


@pytest.mark.parametrize(
    "text, said",
    [
        ("Harbour dues were $70 million in 2022 and $77 million in 2023.", ["harbour dues million"] * 2),
        (
            "Harbour dues were $70 million and wages were $30 million.",
            ["harbour dues million", "wages million"],
        ),
        ("Replace the seal after 40 hours and the ring after 90.", ["replace seal hours", "replace ring"]),
    ],
)
def test_the_words_are_those_of_the_clause(text, said):
    assert [one.words for one in read_prose(text)] == [frozenset(keys(words)) for words in said]


@pytest.mark.parametrize(
    "text, told",
    [
        ("Dues were $70 million in 2022 and $77 million in 2023.", [{"2022"}, {"2023"}]),
        ("In 2023 dues rose from $70 million to $77 million.", [None, {"2023"}]),
        ("Dues were $70 and $77 in 2022 and 2023, respectively.", [{"2022", "2023"}] * 2),
    ],
)
def test_the_year_is_the_one_beside_the_number(text, told):
    assert [one.years for one in read_prose(text)] == told
