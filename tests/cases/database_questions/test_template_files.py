"""SQL templates from a schema, and their words."""

import pytest

from ragassay.cases.database_questions import database_schema, sql_template, template_files


@pytest.fixture
def known(bank):
    return database_schema.reflect(database_schema.open_database(str(bank)))


def test_every_template_passes_the_examination(known):
    made = template_files.sql_templates(known)
    assert len(made) >= 20 and len(set(made)) == len(made)
    for one in made:
        assert sql_template.template(one, known).plain


def test_names_come_first_and_surrogate_keys_never(known):
    made = template_files.sql_templates(known)
    assert made[0] == "SELECT monthly_fee FROM accounts WHERE product_name = '[accounts.product_name]'"
    assert not any(
        "SELECT a.branch_id" in one or "[accounts.account_id]" in one or "[branches.branch_id]" in one
        for one in made
    )


def test_a_link_table_is_asked_by_both_sides(known):
    expected = (
        "SELECT a.since FROM postings a JOIN branches b ON a.branch_id = b.branch_id JOIN clerks c ON a.clerk_id = c.clerk_id "
        "WHERE b.name = '[branches.name]' AND c.name = '[clerks.name]'"
    )
    assert expected in template_files.sql_templates(known)


def test_words_by_hand(known):
    lookup = sql_template.template(
        "SELECT monthly_fee FROM accounts WHERE opened = '[accounts.opened]'", known
    )
    assert (
        template_files.texts(lookup)["interrogative"][0]
        == "What is the monthly fee of the account whose opened is [accounts.opened]?"
    )
    joined = sql_template.template(
        "SELECT b.city FROM accounts a JOIN branches b ON a.branch_id = b.branch_id WHERE a.product_name = '[accounts.product_name]'",
        known,
    )
    assert template_files.texts(joined, ["directive"]) == {
        "directive": [
            "State the city of the branch that belongs to the account [accounts.product_name].",
            "Look up the city recorded for the branch that belongs to the account [accounts.product_name].",
        ]
    }


def test_what_rules_cannot_read_gets_no_words(known):
    assert (
        template_files.texts(
            sql_template.template("SELECT name FROM branches WHERE city <> '[branches.city]'", known)
        )
        == {}
    )


@pytest.mark.parametrize(("name", "words"), [
    ("Sales_in_Billion", "sales in billion"), ("monthlyFee", "monthly fee"), ("APR", "APR"), ("IBAN_code", "IBAN code"),
])  # fmt: skip
def test_names_in_words(name, words):
    assert template_files.in_words(name) == words
