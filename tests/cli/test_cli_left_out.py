"""`ragassay questions` names the files that it leaves out, each with its reason; the list is bounded."""

from ragassay.cli.questions import left_out_lines
from ragassay.documents import load


def test_what_was_left_out_is_named_with_its_reason(tmp_path):
    (tmp_path / "fees.md").write_text("The monthly fee is $3.00.")
    for number in range(30):
        (tmp_path / f"{number:02}.txt").write_bytes(b"\xff")
    lines = left_out_lines(load(tmp_path)[1])
    assert lines[0] == "00.txt: The file is not UTF-8: byte 0xff at offset 0"
    assert lines[20:] == ["and 10 more"]


def test_a_file_name_cannot_act_on_the_terminal(tmp_path):
    (tmp_path / "fees.md").write_text("The monthly fee is $3.00.")
    (tmp_path / "a\nb\x1b[31m.xlsx").write_text("x")
    assert left_out_lines(load(tmp_path)[1]) == ["a b␛[31m.xlsx: The file's format is not read: .xlsx"]
