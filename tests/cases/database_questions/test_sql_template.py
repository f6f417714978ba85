"""Templates: one SELECT of nothing but reading, over columns that exist."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.cases.database_questions import sql_template
from ragassay.cases.database_questions.database_schema import NUMBER, TEXT, Column, Schema, Table
from ragassay.errors import InputError


def table(name, *columns):
    return Table(
        name,
        tuple(
            Column(name, column, NUMBER if column in ("age", "since") else TEXT, False) for column in columns
        ),
    )


SCHEMA = Schema(
    (
        table("people", "name", "age", "town"),
        table("firms", "name", "trade"),
        table("jobs", "since", "person", "firm"),
    )
)
JOINED = "SELECT j.since FROM jobs j JOIN people p ON j.person = p.name WHERE p.name = '[people.name]' AND j.firm = '[jobs.firm]'"


def test_a_template_by_hand():
    found = sql_template.template("SELECT town FROM people WHERE name = '[people.name]';", SCHEMA)
    assert found.statement == "SELECT town FROM people WHERE name = :p0"
    assert [one.written for one in found.placeholders] == ["[people.name]"]
    assert [one.name for one in found.selected] == ["town"] and found.tables == ("people",) and found.plain


def test_a_join_binds_every_placeholder_and_the_same_one_once():
    found = sql_template.template(JOINED + " AND p.town <> '[people.name]'", SCHEMA)
    assert found.statement.endswith("WHERE p.name = :p0 AND j.firm = :p1 AND p.town <> :p0")
    assert found.tables == ("jobs", "people") and not found.plain
    assert sql_template.template(JOINED, SCHEMA).plain


@pytest.mark.parametrize("written", [
    "SELECT COUNT(name) FROM people WHERE age > [people.age]",
    "SELECT name FROM people WHERE LOWER(town) LIKE 'a%' ORDER BY age LIMIT 1",
    "SELECT name FROM people WHERE CASE WHEN age = 1 THEN 1 ELSE 0 END = 1",
    "SELECT MAX(age) AS oldest FROM people GROUP BY town HAVING COUNT(name) > 1",
    "SELECT p.name FROM people p LEFT JOIN jobs j ON j.person = p.name WHERE j.since IS NULL",
    "SELECT name FROM people WHERE town = 'a; -- no comment'",
])  # fmt: skip
def test_reading_in_other_ways_is_admitted_but_not_put_into_words_by_rule(written):
    assert not sql_template.template(written, SCHEMA).plain


@pytest.mark.parametrize(("written", "reason"), [
    ("", "empty or too long"),
    ("SELECT name FROM people WHERE age = " + "1" * 10_001, "empty or too long"),
    ("DELETE FROM people", "must be one SELECT"),
    ("COPY people TO PROGRAM 'x'", "must be one SELECT"),
    ("SELECT name FROM people UNION SELECT name FROM firms", "must be one SELECT"),
    ("SELECT name FROM people; DROP TABLE people", "second statement"),
    ("SELECT name FROM people -- WHERE age = '[people.age]'", "comment"),
    ("SELECT name FROM people WHERE town = 'x", "open quotation mark"),
    ("WITH gone AS (DELETE FROM people RETURNING name) SELECT name FROM gone", "only read"),
    ("SELECT name INTO other FROM people", "only read"),
    ("SELECT name FROM people FOR UPDATE", "only read"),
    ("SELECT name FROM people WHERE age IN (SELECT age FROM people)", "query within a query"),
    ("SELECT name FROM (SELECT name FROM people) one", "query within a query"),
    ("SELECT load_extension('x') FROM people", "not admitted"),
    ("SELECT pg_read_file('x') FROM people", "not admitted"),
    ("SELECT name FROM people WHERE age = '[people.height]'", "column that does not exist"),
    ("SELECT name FROM people JOIN firms ON trade = town", "exists in two"),
    ("SELECT name FROM persons", "table that does not exist"),
    ("SELECT 1", "reads no table"),
    ("SELECT * FROM people", "all columns"),
    ("SELECT name FROM people WHERE name = '[people.name]'", "gives away"),
    ("SELECT name FROM people WHERE age = :age", "colon"),
    ("SELECT FROM WHERE", "parsed"),
])  # fmt: skip
def test_everything_else_is_refused_with_the_reason(written, reason):
    with pytest.raises(InputError, match=reason):
        sql_template.template(written, SCHEMA)


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=60),
    st.sampled_from(
        [
            "SELECT town FROM people WHERE name = {}",
            "{}",
            "SELECT {} FROM people",
            "SELECT town FROM people {}",
        ]
    ),
)
def test_any_text_is_examined_or_refused(text, frame):
    try:
        found = sql_template.template(frame.replace("{}", text), SCHEMA)
    except InputError:
        return
    assert found.tables and found.statement.lstrip().upper().startswith("SELECT")
