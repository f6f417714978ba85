"""How the report says which intervals are adjusted: by the tables that are headed so, and by no chapter's subject."""

from ragassay.report import adjusted_intervals, document_control
from ragassay.report.block_builders import bullets
from ragassay.report.blocks import Chapter, Table, Text, plain
from ragassay.report.numbering import number
from ragassay.show import ADJUSTED, ADJUSTED_SHARES


def table(head: str) -> Table:
    return Table(head, [(Text("kind"),), (Text(head),)], [[(Text("a"),), (Text("0 %"),)]], ["left", "left"])


def chapters(*heads: str) -> list[Chapter]:
    return [
        Chapter("", "Control", "control", [bullets(["A share.", "What is missing."])], "front"),
        Chapter("5", "Robustness", "robustness", [table(head) for head in heads]),
    ]


def test_the_tables_with_adjusted_intervals_are_named_and_no_other():
    """Formerly several checks of safety or robustness were said to be adjusted: those of safety are not."""
    made = chapters("value [95 % interval]", f"value [{ADJUSTED}]")
    number(made)
    document_control.tell_intervals(made[0], made)
    said = plain(made[0].blocks[0].items[1][0].words)
    assert said.endswith("made at once: Table 5.2, and none else.") and len(made[0].blocks[0].items) == 3


def test_where_none_is_adjusted_none_is_said_to_be():
    made = chapters("value [95 % interval]")
    number(made)
    assert plain(adjusted_intervals.sentence(made).words) == f"{adjusted_intervals.ALONE}."


def test_a_table_whose_differences_stand_at_the_plain_level_is_named_for_its_shares():
    made = chapters(f"value [{ADJUSTED}]", f"value [{ADJUSTED_SHARES}]")
    number(made)
    said = plain(adjusted_intervals.sentence(made).words)
    assert said.endswith("Table 5.1, Table 5.2 (of its shares alone), and none else.")
