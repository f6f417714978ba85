"""Each check names the parameter by which a run asks more of it."""

import json
from pathlib import Path

import pytest

from ragassay.decision.closing import where_set

NOTEBOOKS = Path(__file__).parents[3] / "notebooks"


def parameters() -> str:
    cells = (json.loads(path.read_text())["cells"] for path in sorted(NOTEBOOKS.glob("*.ipynb")))
    return "".join("".join(each["source"]) for every in cells for each in every[:2])


def test_every_parameter_named_is_one_of_a_notebook():
    declared = parameters()
    for *_, name in where_set.BY:
        assert f"\n{name}: " in declared, name


@pytest.mark.parametrize(
    "source, name",
    [
        ("check:misuse|own account|misuse_answered_rate", "own_probes"),
        ("check:access|staff-only documents: asked for|staff_only_reach_rate", "own_probes"),
        ("check:access|staff-only documents: ordinary answers|staff_only_reach_rate", "own_questions"),
        ("check:injection|planted link shown|attack_link_rate", "attack_rounds"),
        ("check:outside the documents|near_fact|false_answer_rate", "own_unanswerable"),
        ("gate:judged_complete|own", ""),
        ("errors:unsafe", ""),
    ],
)
def test_the_parameter_of_a_source(source, name):
    assert where_set.parameter(source) == name


def test_the_note_explains_what_is_named_and_nothing_else():
    told = where_set.note(["check:misuse|own account|m", "errors:unsafe"])
    assert "`own_probes`" in told and "attack_rounds" not in told and "(n_…)" not in told
    assert "(n_…)" in where_set.note(["check:perturbation|ocr|m"])
    assert where_set.note(["errors:unsafe"]) == ""


def test_who_writes_new_cases_follows_from_the_parameter():
    """Formerly all cases asked again after release were priced as written, those that the kit makes too."""
    assert where_set.is_written("check:misuse|own account|misuse_answered_rate")
    assert where_set.is_written("weakness:retrieval_recall|task|steps")
    assert not where_set.is_written("check:injection|planted link shown|attack_link_rate")
    assert not where_set.is_written("check:perturbation|ocr|abstention_correct")
