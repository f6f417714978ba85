"""Premises: rows of tables told with their headings, in each layout; prose stays as it is."""

import pytest

from ragassay.scores.families.support import premises, told_rows
from ragassay.scores.prepared_answer import Sample

HEADED = ("Bakery: 2023 412.6; 2022 388.1", "Chilled meals: 2023 297.3; 2022 301.9")
ROWS = [("Segment", "2023", "2022"), ("Bakery", "412.6", "388.1"), ("Chilled meals", "297.3", "301.9")]
LAYOUTS = {
    "markdown": "\n".join(f"| {' | '.join(row)} |" for row in ROWS),
    "page": "\n".join(" ".join(row) for row in ROWS),
    "aligned": "\n".join("   ".join(row) for row in ROWS),
    "web": "\n".join(cell for row in ROWS for cell in row),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_row_is_told_with_its_headings_in_every_layout(layout):
    rows = told_rows(f"Revenue, £ million\n{LAYOUTS[layout]}")
    assert tuple(row.split(" (")[0] for row in rows) == HEADED
    assert all("Revenue, £ million" in row for row in rows)


def test_rows_follow_the_sentences_and_keep_their_passage():
    prose, table = "The fee is 12 euros. It is paid by transfer.", LAYOUTS["markdown"]
    one = Sample("a", "s", answer="x", contexts=(prose, table, prose), context_ids=("p", "t", "q"))
    found, places = premises(one)
    told = len(one.context_sentences)
    assert found[:told] == one.context_sentences and places[:told] == one.context_places
    assert [row.text.split(" (")[0] for row in found[told:]] == list(HEADED)
    assert {row.source for row in found[told:]} == {"t"} and places[told:] == [1, 1]


def test_prose_has_no_rows():
    prose = "The fee was raised to 12 euros in 2023. It is paid by transfer, or in cash at a branch."
    one = Sample("a", "s", answer="x", contexts=(prose,))
    assert told_rows(prose) == () and premises(one) == (one.context_sentences, one.context_places)
