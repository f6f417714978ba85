"""A made-up company: its documents state what its database holds, and the same seed makes the same company."""

import pytest

from ragassay.cases import grounded
from ragassay.cases.grounded import database, knowledge, schema
from ragassay.errors import ParameterError


def texts(found) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(found.documents.iterdir())}


def test_every_fact_asked_by_name_stands_in_a_document_beside_that_name(tmp_path):
    found = knowledge.build(tmp_path / "company", rows=6, seed=4)
    cases = grounded.generate(str(found.database), styles=["short"]).cases
    named = cases[cases["sql"].str.contains(r"\.name\]'$", regex=True) & ~cases["sql"].str.contains("JOIN")]
    assert len(named) > 50
    for row in named.itertuples():
        name = row.question.rstrip("?").split()[-1]
        assert any(name in text and row.reference_answer in text for text in texts(found).values()), row.question


def test_what_a_link_says_stands_in_both_documents(tmp_path):
    found = knowledge.build(tmp_path / "company", rows=5)
    told = [line for text in texts(found).values() for line in text.splitlines() if line.startswith("A posting links")]
    assert len(told) == 10


def test_a_name_is_given_once(tmp_path):
    found = knowledge.build(tmp_path / "company", rows=300, seed=2)
    titles = [text.split("\n", 1)[0].split(" ", 3)[3] for text in texts(found).values()]
    assert len(titles) == len(set(titles)) == 900


def test_the_same_seed_makes_the_same_company_and_another_seed_another(tmp_path):
    one, again, other = (texts(knowledge.build(tmp_path / name, seed=seed)) for name, seed in (("a", 1), ("b", 1), ("c", 2)))
    assert one == again and not set(one.values()) & set(other.values())


def test_a_schema_of_ones_own(bank, tmp_path):
    known = schema.reflect(database.opened(str(bank)))
    found = knowledge.build(tmp_path / "company", known, rows=4)
    again = schema.reflect(database.opened(str(found.database)))
    assert [table.name for table in again.tables] == [table.name for table in known.tables]
    assert "Quay" not in "".join(texts(found).values())
    assert (grounded.generate(str(found.database)).account["kept"] > 0).mean() > 0.8


@pytest.mark.parametrize("rows", [0, 2_001])
def test_too_few_or_too_many_rows(tmp_path, rows):
    with pytest.raises(ParameterError, match="rows"):
        knowledge.build(tmp_path / "company", rows=rows)


def test_nothing_is_overwritten(tmp_path):
    knowledge.build(tmp_path / "company")
    with pytest.raises(ParameterError, match="already"):
        knowledge.build(tmp_path / "company")
