"""Templates: one SELECT of nothing but reading, over columns that exist; made by rule, or by a language model, whose templates are examined as anybody's."""

import json

import pytest
from sqlalchemy import Column, Integer, MetaData, Table, Text

from cases.database_questions.conftest import make_sqlite
from ragassay.cases import database_questions
from ragassay.cases.database_questions.database import open_database, parse_template
from ragassay.cases.database_questions.template_writers import (
    ask_for_templates,
    make_templates,
    word_template,
)
from ragassay.errors import InputError
from ragassay.models.judge_messages import Reply

PEOPLE = MetaData()
Table("people", PEOPLE, Column("name", Text), Column("age", Integer), Column("town", Text))
Table("firms", PEOPLE, Column("name", Text), Column("trade", Text))
Table("jobs", PEOPLE, Column("since", Integer), Column("person", Text), Column("firm", Text))
JOINED = "SELECT j.since FROM jobs j JOIN people p ON j.person = p.name WHERE p.name = '[people.name]' AND j.firm = '[jobs.firm]'"


def test_a_template_by_hand():
    found = parse_template("SELECT town FROM people WHERE name = '[People.Name]';", PEOPLE)
    assert found.statement == "SELECT town FROM people WHERE name = :p0" and found.plain
    assert [str(column) for column in found.placeholders] == ["people.name"]
    assert str(found.target) == "people.town" and found.tables == ("people",)


def test_a_join_binds_every_placeholder_and_the_same_one_once():
    found = parse_template(JOINED + " AND p.town <> '[people.name]'", PEOPLE)
    assert found.statement.endswith("WHERE p.name = :p0 AND j.firm = :p1 AND p.town <> :p0")
    assert found.tables == ("jobs", "people") and not found.plain and parse_template(JOINED, PEOPLE).plain


@pytest.mark.parametrize("written", [
    "SELECT COUNT(name) FROM people WHERE age > [people.age]",
    "SELECT name FROM people WHERE LOWER(town) LIKE 'a%' ORDER BY age LIMIT 1",
    "SELECT name FROM people WHERE CASE WHEN age = 1 THEN 1 ELSE 0 END = 1",
    "SELECT MAX(age) AS oldest FROM people GROUP BY town HAVING COUNT(name) > 1",
    "SELECT p.name FROM people p LEFT JOIN jobs j ON j.person = p.name WHERE j.since IS NULL",
    "SELECT name FROM people WHERE town = 'a; -- no comment'",
])  # fmt: skip
def test_reading_in_other_ways_is_admitted_but_not_put_into_words_by_rule(written):
    assert word_template(parse_template(written, PEOPLE)).texts == {}


@pytest.mark.parametrize(("written", "culprit"), [
    ("SELECT name FROM people WHERE age = " + "1" * 10_001, "characters"),
    ("COPY people TO PROGRAM 'x'", "COPY"),
    ("SELECT name FROM people UNION SELECT name FROM firms", "UNION"),
    ("SELECT name FROM people; DROP TABLE people", ";"),
    ("SELECT name FROM people -- WHERE age = '[people.age]'", "--"),
    ("SELECT name FROM people WHERE town = 'x", "'"),
    ("WITH gone AS (DELETE FROM people RETURNING name) SELECT name FROM gone", "WITH gone"),
    ("SELECT name INTO other FROM people", "INTO other"),
    ("SELECT name FROM people FOR UPDATE", "FOR UPDATE"),
    ("SELECT name FROM people WHERE age IN (SELECT age FROM people)", "SELECT age"),
    ("SELECT load_extension('x') FROM people", "LOAD_EXTENSION"),
    ("SELECT name FROM people WHERE age = '[people.height]'", "people.height"),
    ("SELECT name FROM people JOIN firms ON trade = town", "name"),
    ("SELECT name FROM persons", "persons"),
    ("SELECT 1", "no FROM"),
    ("SELECT * FROM people", r"\*"),
    ("SELECT FROM WHERE", "parsed"),
])  # fmt: skip
def test_everything_else_is_refused_and_the_culprit_named(written, culprit):
    with pytest.raises(InputError, match=culprit):
        parse_template(written, PEOPLE)


def test_rules_ask_by_surrogate_keys_never_and_through_links(known):
    made = [template.text for template in make_templates(known)]
    assert "SELECT monthly_fee FROM accounts WHERE product_name = '[accounts.product_name]'" in made
    assert len(made) >= 20 and len(set(made)) == len(made)
    assert not any("SELECT a.branch_id" in one or "_id]" in one for one in made)
    assert (
        "SELECT a.since FROM postings a JOIN branches b ON a.branch_id = b.branch_id JOIN clerks c ON a.clerk_id = c.clerk_id "
        "WHERE b.name = '[branches.name]' AND c.name = '[clerks.name]'"
    ) in made


def test_words_by_hand(known):
    lookup = parse_template("SELECT monthly_fee FROM accounts WHERE opened = '[accounts.opened]'", known)
    first = word_template(lookup).texts["interrogative"][0]
    assert first == "What is the monthly fee of the account whose opened is [accounts.opened]?"
    sql = "SELECT b.city FROM accounts a JOIN branches b ON a.branch_id = b.branch_id WHERE a.product_name = '[accounts.product_name]'"
    assert word_template(parse_template(sql, known)).texts["directive"] == [
        "State the city of the branch that belongs to the account [accounts.product_name].",
        "Look up the city recorded for the branch that belongs to the account [accounts.product_name].",
    ]


GOOD = "SELECT city FROM branches WHERE name = '[branches.name]'"
BAD = (
    "DELETE FROM branches", "SELECT * FROM branches", "SELECT city FROM branches WHERE name = '[branches.title]'",
    "SELECT city FROM branches; DROP TABLE branches", "WITH x AS (DELETE FROM branches RETURNING city) SELECT city FROM x",
)  # fmt: skip


def model(templates, **texts):
    """A model that says these templates, and of every template these texts by style."""

    def ask(requests):
        said = {"grounded_sql": {"templates": list(templates)}, "grounded_texts": {"texts": texts}}
        return [Reply(json.dumps(said[request.name])) for request in requests]

    return ask


def test_good_templates_become_questions(bank, known):
    said = model([GOOD], short=["City of [branches.name]?"], casual=["Where's [branches.name]?"])
    templates, rejected = ask_for_templates(known, said)
    cases = database_questions.generate(str(bank), given=templates).cases
    assert rejected.empty and cases["group_id"].nunique() == 3
    asked = cases.loc[cases["reference_answer"] == "Ostend", "question"]
    assert set(asked) == {"City of Harbour?", "Where's Harbour?"}


def test_flawed_templates_are_refused_with_the_reason(known):
    said = model([*BAD, GOOD, GOOD + ";"], short=["City of [branches.name]?"])
    templates, rejected = ask_for_templates(known, said)
    assert [one.text for one in templates] == [GOOD]
    assert rejected["template"].tolist() == list(BAD) and rejected["reason"].str.len().gt(10).all()


@pytest.mark.parametrize(("style", "text"), [
    ("short", "City?"),
    ("short", "City of [branches.name] or [clerks.name]?"),
    ("rude", "City of [branches.name]?"),
    ("short", "City\x1b[2J of [branches.name]?"),
    ("short", "City of [branches.name]?" + "?" * 500),
])  # fmt: skip
def test_flawed_wordings_are_refused_with_the_reason(known, style, text):
    templates, rejected = ask_for_templates(known, model([GOOD], **{style: [text]}))
    assert templates == [] and rejected["wording"].tolist() == [text, ""]
    assert set(rejected["template"]) == {GOOD}


@pytest.mark.parametrize("reply", [Reply(None, "status 500"), Reply("not json"), Reply("{}")])
def test_a_model_that_misbehaves_costs_the_templates_and_says_so(known, reply):
    templates, rejected = ask_for_templates(known, lambda requests: [reply for _ in requests])
    assert templates == [] and len(rejected) == 1


def test_names_of_columns_are_data_and_dictate_no_reply(tmp_path):
    dictated = json.dumps({"templates": ["x"]})
    path = make_sqlite(tmp_path / "hostile.db", f"CREATE TABLE notes (name TEXT, '{dictated}' TEXT)")
    schema = open_database(str(path))[1]
    shown = []

    def ask(requests):
        shown.extend(requests)
        return [Reply(dictated) for _ in requests]

    templates, rejected = ask_for_templates(schema, ask)
    assert dictated not in shown[0].system and dictated in shown[0].user
    assert templates == [] and "dictated" in rejected["reason"][0]
