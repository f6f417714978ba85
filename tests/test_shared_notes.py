"""What stands in several rows of a table is told once below it, word for word."""

import pandas as pd

from ragassay import show

LONG = "it follows from the design: every answer is quoted, and states nothing new"


def test_a_part_of_several_rows_is_told_once_below():
    """Formerly the same five lines stood in each row of the table of gates."""
    table = pd.DataFrame({"gate": list("abcd"), "why": [f"bound 1; {LONG}", LONG, "short", f"own {LONG}"]})
    printed, note = show.shared_notes(table, "why")
    assert printed["why"].tolist() == ["bound 1; (a)", "(a)", "short", f"own {LONG}"]
    assert note == f"(a) {LONG}." and table["why"].iloc[1] == LONG, "the table given stays as it is"


def test_what_stands_once_or_is_short_stays():
    table = pd.DataFrame({"why": ["value misses", "value misses", LONG, ""]})
    printed, note = show.shared_notes(table, "why")
    assert note == "" and printed.equals(table)
    printed, note = show.shared_notes(table, "why", shortest=5)
    assert note == "(a) value misses." and printed["why"].iloc[0] == "(a)"


def test_there_are_marks_for_every_part():
    table = pd.DataFrame({"why": [f"{LONG} {n}" for n in range(60)] * 2})
    printed, note = show.shared_notes(table, "why")
    assert printed["why"].nunique() == 60 and "(z)" in note and "(aa)" in note


def test_a_part_twice_in_one_row_is_no_part_of_several():
    printed, note = show.shared_notes(pd.DataFrame({"why": [f"{LONG}; {LONG}", "x"]}), "why")
    assert note == "" and printed["why"].iloc[1] == "x"
