"""A made-up company: its documents state what its database holds, and the same seed makes the same company."""

import sqlite3

import pytest

from ragassay.cases import database_questions
from ragassay.cases.database_questions import database_schema, fictional_company
from ragassay.cases.database_questions.database_schema import NUMBER, TEXT, Column, Link, Schema, Table
from ragassay.errors import ParameterError


def table(name, *columns, links=()):
    """`*` marks a key that means nothing to people; a link is (column, table, column there)."""
    found = tuple(Column(name, one.strip("*"), kind, one.startswith("*")) for one, kind in columns)
    return Table(name, found, tuple(Link(name, (here,), other, (there,)) for here, other, there in links))


def asked(found, query: str) -> list:
    with sqlite3.connect(found.database) as connection:
        return connection.execute(query).fetchall()


STAFF = table(
    "staff", ("*id", NUMBER), ("name", TEXT), ("*manager_id", NUMBER), links=[("manager_id", "staff", "id")]
)


def texts(found) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(found.documents.iterdir())}


def test_every_fact_asked_by_name_stands_in_a_document_beside_that_name(tmp_path):
    found = fictional_company.make_up_company(tmp_path / "company", rows=6, seed=4)
    cases = database_questions.generate(str(found.database), styles=["short"]).cases
    named = cases[cases["sql"].str.contains(r"\.name\]'$", regex=True) & ~cases["sql"].str.contains("JOIN")]
    assert len(named) > 50
    for row in named.itertuples():
        name = row.question.rstrip("?").split()[-1]
        assert any(name in text and row.reference_answer in text for text in texts(found).values()), (
            row.question
        )


def test_what_a_link_says_stands_in_both_documents(tmp_path):
    found = fictional_company.make_up_company(tmp_path / "company", rows=5)
    told = [
        line
        for text in texts(found).values()
        for line in text.splitlines()
        if line.startswith("A posting links")
    ]
    assert len(told) == 10


def test_a_name_is_given_once(tmp_path):
    found = fictional_company.make_up_company(tmp_path / "company", rows=300, seed=2)
    titles = [text.split("\n", 1)[0].split(" ", 3)[3] for text in texts(found).values()]
    assert len(titles) == len(set(titles)) == 900


def test_the_same_seed_makes_the_same_company_and_another_seed_another(tmp_path):
    one, again, other = (
        texts(fictional_company.make_up_company(tmp_path / name, seed=seed))
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert one == again and not set(one.values()) & set(other.values())


def test_a_schema_of_ones_own(bank, tmp_path):
    known = database_schema.reflect(database_schema.open_database(str(bank)))
    found = fictional_company.make_up_company(tmp_path / "company", known, rows=4)
    again = database_schema.reflect(database_schema.open_database(str(found.database)))
    assert [table.name for table in again.tables] == [table.name for table in known.tables]
    assert "Quay" not in "".join(texts(found).values())
    assert (database_questions.generate(str(found.database)).account["kept"] > 0).mean() > 0.8


@pytest.mark.parametrize("rows", [0, 2_001])
def test_too_few_or_too_many_rows(tmp_path, rows):
    with pytest.raises(ParameterError, match="rows"):
        fictional_company.make_up_company(tmp_path / "company", rows=rows)


def test_nothing_is_overwritten(tmp_path):
    fictional_company.make_up_company(tmp_path / "company")
    with pytest.raises(ParameterError, match="already"):
        fictional_company.make_up_company(tmp_path / "company")


def test_every_link_leads_to_a_row_even_along_a_chain_of_codes(tmp_path):
    last = table("c", ("title", TEXT), ("b_code", TEXT), links=[("b_code", "b", "a_code")])
    middle = table("b", ("a_code", TEXT), links=[("a_code", "a", "code")])
    found = fictional_company.make_up_company(
        tmp_path / "company", Schema((last, middle, table("a", ("code", TEXT), ("city", TEXT)))), rows=9
    )
    assert asked(
        found, "SELECT COUNT(*) FROM c JOIN b ON c.b_code = b.a_code JOIN a ON a.code = b.a_code"
    ) == [(9,)]
