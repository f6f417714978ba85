"""Notebooks of the engagement's own: named, their differences printed cut and attached whole; texts are data."""

import json

import pytest

from ragassay.report import own_notebooks
from ragassay.report.blocks import Verbatim
from ragassay.report.run_folder import Run


def run_with(folder, *diffs, **more):
    record = {
        "notebook": "07_conclusion",
        "sha256": "a" * 64,
        "kit_sha256": "b" * 64,
        "added": 2,
        "removed": 1,
    }
    (folder / own_notebooks.FILE).write_text(json.dumps([record | {"diff": diff} | more for diff in diffs]))
    return Run(folder)


def test_a_departure_is_named_printed_and_attached(tmp_path):
    run = run_with(tmp_path, "--- kit/07\n+++ own/07\n-x\n+y\n+z")
    assert own_notebooks.in_words(run) == "07_conclusion (+2 and -1 lines)"
    printed = [block for block in own_notebooks.blocks(run) if isinstance(block, Verbatim)]
    assert printed[0].text.endswith("-x\n+y\n+z")
    assert [(file.name, file.data) for file in own_notebooks.attached(run)] == [
        ("departure_07_conclusion.diff", b"--- kit/07\n+++ own/07\n-x\n+y\n+z\n")
    ]


def test_a_long_one_is_cut_in_print_and_whole_in_the_file(tmp_path):
    run = run_with(tmp_path, "\n".join(["+" + "x" * 1_000_000, *["+y"] * 999]))
    text = next(block.text for block in own_notebooks.blocks(run) if isinstance(block, Verbatim))
    assert text.splitlines()[-1] == "... and 940 lines more, in the attached file" and len(text) < 1000
    assert len(next(own_notebooks.attached(run)).data) > 1_000_000


def test_nothing_of_a_strangers_acts(tmp_path):
    run = run_with(tmp_path, "+\x1b[31m\u202e</script>", notebook="../\x1b[2J")
    shown = [*own_notebooks.blocks(run)][-1]
    assert "\x1b" not in shown.text + shown.title and "\u202e" not in shown.text
    assert (
        next(own_notebooks.attached(run)).name == "departure_______2J.diff"
        or "/" not in next(own_notebooks.attached(run)).name
    )


@pytest.mark.parametrize("text", ["{", "{}", "[1]", '[{"notebook": 1}]', "[" * 100_000])
def test_a_record_that_is_none_is_a_gap(tmp_path, text):
    (tmp_path / own_notebooks.FILE).write_text(text)
    run = Run(tmp_path)
    assert own_notebooks.blocks(run) == [] and len(run.gaps) == 1
