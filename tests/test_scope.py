"""Scope: the engagement's record, its tables, the risk register, and checks of the inputs that tell a limit from a flaw."""

import datetime
from pathlib import Path

import pandas as pd
import pytest
import yaml

from ragassay import scope
from ragassay.errors import ParameterError
from ragassay.run import parameters

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
DECLARED = {p.name: p.default for p in parameters.declared(NOTEBOOKS / "00_scope.ipynb")}
GIVEN = {name: DECLARED[name] for name in scope.FIELDS} | {
    "documents": "documents",
    "assistant": "desk.py:ask",
    "model_name": "Desk assistant",
    "tier": "medium",
    "profile": "sr-26-2-by-analogy",
    "date": "2026-09-01",
    "architecture": {"Retriever": "BM25", "Generator": "extractive"},
    "vendor_components": {"bm25s": "retrieval"},
}
DOCUMENTS = pd.DataFrame(
    {"doc_id": ["a", "b", "c"], "sha256": ["1", "2", "2"], "language": ["en", "es", "en"]}
)
CHUNKS = pd.DataFrame(
    {
        "chunk_id": ["a#p1", "a#p2", "b#p1", "c#p1"],
        "doc_id": ["a", "a", "b", "c"],
        "text": ["one two three", "four five", "uno dos tres", "six"],
        "n_sentences": [1, 2, 1, 0],
    }
)


def test_every_field_is_a_parameter_of_the_notebook():
    assert set(scope.FIELDS) <= set(DECLARED) and len(set(scope.FIELDS)) == len(scope.FIELDS)


def test_the_record_keeps_what_was_given_and_the_order_of_parts():
    record = scope.engagement(**GIVEN | {"architecture": {"z": "last letter", "a": "first letter"}})
    assert record["architecture"] == [["z", "last letter"], ["a", "first letter"]]
    assert {name: record[name] for name in GIVEN if name not in ("architecture", "vendor_components")} == {
        name: GIVEN[name] for name in GIVEN if name not in ("architecture", "vendor_components")
    }


def test_an_assistant_writes_its_own_words_unless_the_engagement_says_that_it_quotes():
    """The bundled assistant quotes; other engagements say nothing of it."""
    bundled = yaml.safe_load((NOTEBOOKS.parent / "params/bank.yml").read_text(encoding="utf-8"))
    assert scope.engagement(**GIVEN)["generates"] is True
    assert scope.engagement(**GIVEN | bundled["00_scope"])["generates"] is False


@pytest.mark.parametrize(
    "flaw, complaint",
    [
        ({"date": "1 May 2026"}, r"(?s)no date.*00_scope.date.*YYYY-MM-DD"),
        ({"date": "2026-02-30"}, "no date"),
        ({"tier": "extreme"}, r"(?s)tier is outside its range.*'extreme'.*high, medium, low"),
        ({"validation_type": "yearly"}, r"(?s)validation_type is outside.*periodic"),
        ({"profile": "basel"}, r"(?s)no profile 'basel'.*00_scope.profile.*a CSV"),
    ],
)
def test_refuses(flaw, complaint):
    with pytest.raises(ParameterError, match=complaint):
        scope.engagement(**GIVEN | flaw)


NOTHING = {"documents": "", "assistant": "", "answers_log": ""}


@pytest.mark.parametrize("given", [{}, {"documents": "folder"}, {"assistant": "mine.py:ask"}])
def test_an_engagement_without_anything_to_validate_is_refused(given):
    """The bundled bank is nobody's default: its documents once stood behind the log of a bike shop."""
    with pytest.raises(
        ParameterError, match=r"(?s)00_scope.*found: documents: .*expected: .*do: set "
    ) as caught:
        scope.engagement(**GIVEN | NOTHING | given)
    assert all(f"set {name}" not in str(caught.value) for name in given)


@pytest.mark.parametrize("given", [{}, {"documents": "folder"}, {"assistant": "mine.py:ask"}])
def test_a_log_is_enough(given):
    assert scope.engagement(**GIVEN | NOTHING | given | {"answers_log": "log.jsonl"})["answers_log"]


def test_nothing_of_the_bundled_bank_is_a_default():
    books = [path.read_text() for path in NOTEBOOKS.glob("*.ipynb")]
    assert [book for book in books if "bundled:" in book or "ragassay.example" in book] == []


def test_a_profile_of_the_users_is_kept_in_the_record(tmp_path):
    own = tmp_path / "own.csv"
    own.write_text("regime,clause,summary,sections,tests\nOur policy,Theme,What it asks.,scope gates,x\n")
    record = scope.engagement(**GIVEN | {"profile": str(own)})
    assert record["profile"] == str(own) and record["crosswalk"][0]["sections"] == "scope gates"
    assert "crosswalk" not in scope.engagement(**GIVEN)


def test_the_record_as_tables():
    more = {"prohibited_uses": ["advice", "decisions"], "languages": ["en", "es"]}
    record = scope.engagement(**GIVEN | more)
    used = scope.uses(record)
    assert used.aspect.tolist() == ["Purpose", "Users", "Languages", "Prohibited", "Prohibited"]
    assert used.declared[2] == "en, es"
    assert scope.parts(record).kind.value_counts().to_dict() == {
        "part": 2,
        "system": 1,
        "vendor component": 1,
    }


@pytest.mark.parametrize(
    "customers, checked, tier",
    [(True, False, "high"), (True, True, "medium"), (False, False, "medium"), (False, True, "low")],
)
def test_the_tier_follows_from_exposure(customers, checked, tier):
    record = scope.engagement(**GIVEN | {"customer_facing": customers, "human_in_the_loop": checked})
    assert scope.tier_by_exposure(record) == tier
    assert tier in scope.materiality(record).declared.tolist()


def test_each_part_has_its_typical_failure():
    architecture = {"Retriever": "BM25", "LLM": "a model", "Teapot": "<b>$x$</b>", "Documents": "files"}
    record = scope.engagement(**GIVEN | {"architecture": architecture})
    found = scope.failure_modes(record)
    assert found.text.tolist() == ["Documents", *architecture] and found.note[:4].is_unique
    assert "passage" in found.note[1] and found.note[4] == found.note[0]
    assert scope.parts(record).tested_in.tolist()[1:5] == found.tested_in.tolist()[1:]


def test_what_was_not_declared_is_said_to_be():
    assert (scope.design_choices(scope.engagement(**GIVEN)).declared == scope.NONE).all()
    given = GIVEN | {"assumptions": ["a", "b"], "alternatives": ["c"], "developer_testing": "report 7"}
    assert scope.design_choices(scope.engagement(**given)).declared.tolist() == ["a", "b", "c", "report 7"]


def test_own_risks_are_kept_in_the_record(tmp_path):
    (tmp_path / "risks.csv").write_text("risk,tested in\nOutage,\n")
    record = scope.engagement(**GIVEN | {"risks": str(tmp_path / "risks.csv")})
    assert scope.own_risks(record).to_dict("records") == [{"risk": "Outage", "tested in": ""}]
    assert scope.own_risks(scope.engagement(**GIVEN)).empty


def test_the_collection_by_hand():
    documents = DOCUMENTS.assign(status=[None, "superseded", None])
    table = scope.corpus(documents, CHUNKS)
    assert table.to_dict("records") == [
        {"language": "en", "status": "unmarked", "documents": 2, "passages": 3, "sentences": 3, "words": 6},
        {"language": "es", "status": "superseded", "documents": 1, "passages": 1, "sentences": 1, "words": 3},
    ]
    assert (scope.corpus(DOCUMENTS, CHUNKS).status == "unmarked").all()


def test_each_check_can_fail():
    record = {"documents": "", "log_rows": {"flaws": 3}, "languages": []}
    chunks = CHUNKS.assign(text=["The old one is no longer valid", "four five", "uno", "six"])
    documents = DOCUMENTS.assign(status=[None, None, "superseded"], at_its_word=[False, False, True])
    checks = scope.input_checks(record, documents, chunks, pd.DataFrame({"path": ["x.pdf"]}))
    assert not checks.passed.any() and checks.found.tolist() == [1, 1, 1, 1, 1, 2, 3, 1, 4]
    assert checks.which[0] == "x.pdf" and checks.which[2] == DOCUMENTS.doc_id[0], "what is meant is named"
    assert checks.which[3] == DOCUMENTS.doc_id[2], "a status that is the document's own word is named"
    marked = DOCUMENTS.assign(status=["superseded", None, None])
    assert scope.input_checks(record, marked, chunks, pd.DataFrame()).found[2] == 0


def test_each_check_can_pass():
    documents = DOCUMENTS.assign(sha256=["1", "2", "3"], language="en")
    chunks = pd.concat([CHUNKS.assign(n_sentences=1)] * 5, ignore_index=True)
    assert scope.input_checks(
        {"documents": "d", "languages": ["en"]}, documents, chunks, pd.DataFrame()
    ).passed.all()


def test_a_date_left_empty_is_today():
    assert scope.engagement(**GIVEN | {"date": ""})["date"] == datetime.date.today().isoformat()


@pytest.mark.parametrize("said", ["n/a", "tbd", "x" * 201])
def test_a_test_of_the_intake_that_is_not_named_is_refused(said):
    with pytest.raises(ParameterError, match="intake control is not named"):
        scope.engagement(**GIVEN | {"intake_test": said})


@pytest.mark.parametrize(
    "tier, checked, low",
    [("medium", False, True), ("medium", True, False), ("low", True, True), ("unstated", False, False)],
)
def test_a_tier_below_its_exposure(tier, checked, low):
    given = GIVEN | {"tier": tier, "customer_facing": True, "human_in_the_loop": checked}
    assert scope.engagement(**given)["tier_below_exposure"] is low
