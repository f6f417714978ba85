"""From a database to cases: what is kept, what is dropped and counted, and that the same seed gives the same cases."""

import json
import sqlite3
from itertools import product
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from ragassay.cases import database_questions
from ragassay.cases.database_questions import database_schema
from ragassay.cli import cli
from ragassay.errors import InputError, ParameterError

SPIDER = Path(__file__).resolve().parents[4] / "shared" / "data" / "grammar_spider"
published = pytest.mark.skipif(
    not SPIDER.is_dir(), reason="the published data of the GRAMMAR paper is not here"
)
LOOKUP = {
    "sql": "SELECT city FROM branches WHERE name = '[branches.name]'",
    "texts": {"short": ["City of [branches.name]?", "Where is '[branches.name]'?"]},
}


def templates(tmp_path, *rows) -> Path:
    path = tmp_path / "templates.json"
    path.write_text(json.dumps(rows))
    return path


def test_a_database_by_hand(bank, tmp_path):
    found = database_questions.generate(str(bank), given=templates(tmp_path, LOOKUP))
    asked = dict(zip(found.cases["question"], found.cases["reference_answer"], strict=True))
    assert asked == {
        "City of Harbour?": "Ostend", "Where is 'Harbour'?": "Ostend", "City of Old Mill?": "Ghent", "Where is 'Old Mill'?": "Ghent",
        "City of Station?": "Ghent", "Where is 'Station'?": "Ghent",
    }  # fmt: skip
    assert found.cases.groupby("group_id")["question"].count().tolist() == [2, 2, 2]
    assert found.counts().startswith(
        "1 SQL templates (M), 1 of them with an answer; 2 text templates (M x N); 3 of 3 combinations"
    )


def test_only_single_answers_are_kept_and_the_others_counted(bank, tmp_path):
    several = {
        "sql": "SELECT name FROM branches WHERE city = '[branches.city]'",
        "texts": {"short": ["Branch in [branches.city]?"]},
    }
    empty = {
        "sql": "SELECT monthly_fee FROM accounts WHERE product_name = '[accounts.product_name]'",
        "texts": {"short": ["Fee of [accounts.product_name]?"]},
    }
    none = {"sql": "SELECT a.opened FROM accounts a JOIN branches b ON a.branch_id = b.branch_id WHERE a.product_name = '[accounts.product_name]' "
                   "AND b.name = '[branches.name]'", "texts": {"short": ["[accounts.product_name] at [branches.name]?"]}}  # fmt: skip
    found = database_questions.generate(str(bank), given=templates(tmp_path, several, empty, none))
    assert found.account["dropped"].tolist() == ["several values: 1", "several values: 1", "no row: 5"]
    assert found.account["kept"].tolist() == [1, 2, 4] and found.account["combinations"].tolist() == [2, 3, 9]


def test_every_combination_is_answered_as_sqlite_itself_answers(bank):
    found = database_questions.generate(str(bank))
    connection = sqlite3.connect(bank)
    for row in found.account.itertuples():
        values = [
            [v for (v,) in connection.execute(f"SELECT DISTINCT {c} FROM {t} WHERE {c} IS NOT NULL")]
            for t, c in columns(row.template)
        ]
        filled = [fill(row.template, chosen) for chosen in product(*values)]
        rows = [connection.execute(statement, chosen).fetchall() for statement, chosen in filled]
        assert row.kept == sum(len(one) == 1 and one[0][0] not in (None, "") for one in rows), row.template
    connection.close()


def columns(template: str) -> list[tuple[str, str]]:
    return list(
        dict.fromkeys(
            (match[1], match[2]) for match in database_questions.sql_template.PLACEHOLDER.finditer(template)
        )
    )


def fill(template: str, chosen: tuple) -> tuple[str, tuple]:
    return database_questions.sql_template.PLACEHOLDER.sub("?", template), chosen


def test_a_value_that_looks_like_a_placeholder_stays_a_value(bank, tmp_path):
    row = {
        "sql": "SELECT desk FROM clerks WHERE name = '[clerks.name]'",
        "texts": {"short": ["Desk of [clerks.name]?"]},
    }
    back = {
        "sql": "SELECT name FROM clerks WHERE desk = '[clerks.desk]'",
        "texts": {"short": ["Clerk at [clerks.desk]?"]},
    }
    found = database_questions.generate(str(bank), given=templates(tmp_path, row, back))
    assert "Desk of Odd O'Hara?" in found.cases["question"].tolist()
    assert "Clerk at [branches.name]?" in found.cases["question"].tolist()


def test_the_same_seed_gives_the_same_cases_and_another_seed_others(bank):
    one, again, other = (
        database_questions.generate(str(bank), cap=3, groups=2, seed=seed) for seed in (1, 1, 2)
    )
    pd.testing.assert_frame_equal(one.cases, again.cases)
    assert set(one.cases["question"]) != set(other.cases["question"])
    assert one.account["tried"].max() <= 3 and one.account["kept"].max() <= 3
    assert one.account["notes"].str.contains("combinations, drawn by seed").any()


def test_true_and_false_are_answered_in_words(tmp_path):
    path = tmp_path / "flags.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE firms (name TEXT, listed BOOLEAN)")
        connection.execute("INSERT INTO firms VALUES ('Mill', 1), ('Quay', 0)")
    row = {
        "sql": "SELECT listed FROM firms WHERE name = '[firms.name]'",
        "texts": {"short": ["Is [firms.name] listed?"]},
    }
    cases = database_questions.generate(str(path), given=templates(tmp_path, row)).cases
    assert dict(zip(cases["question"], cases["reference_answer"], strict=True)) == {
        "Is Mill listed?": "yes",
        "Is Quay listed?": "no",
    }


def test_balanced_groups_have_as_many_questions_each(bank, tmp_path):
    other = {
        "sql": "SELECT desk FROM clerks WHERE name = '[clerks.name]'",
        "texts": {"short": ["Desk of [clerks.name]?"]},
    }
    assert sorted(
        database_questions.generate(str(bank), given=templates(tmp_path, LOOKUP, other))
        .cases["group_id"]
        .value_counts()
    ) == [1, 1, 2, 2, 2]
    assert set(
        database_questions.generate(str(bank), given=templates(tmp_path, LOOKUP, other), balanced=True)
        .cases["group_id"]
        .value_counts()
    ) == {1}


def test_templates_are_saved_edited_and_loaded(bank, tmp_path):
    first, path = database_questions.generate(str(bank)), tmp_path / "saved.json"
    database_questions.save(path, first.templates)
    pd.testing.assert_frame_equal(database_questions.generate(str(bank), given=path).cases, first.cases)
    path.write_text(path.read_text().replace("What is the", "Tell me the"))
    assert any(
        question.startswith("Tell me the")
        for question in database_questions.generate(str(bank), given=path).cases["question"]
    )


@pytest.mark.parametrize(("content", "reason"), [
    ("[]", "no templates"),
    ("{", "cannot be read"),
    ('[{"sql": 7}]', "unknown form"),
    ('[{"sql": "SELECT city FROM branches WHERE name = \'[branches.name]\'", "texts": {"short": "one"}}]', "unknown form"),
    ('{"DROP TABLE branches": ["x"]}', "template 1"),
    ('{"SELECT city FROM branches WHERE name = \'[branches.name]\'": ["City?"]}', "placeholders"),
    ('{"SELECT city FROM branches WHERE name = \'[branches.name]\'": ["City of [branches.name] and [clerks.name]?"]}', "placeholders"),
])  # fmt: skip
def test_flawed_templates_are_refused(bank, tmp_path, content, reason):
    path = tmp_path / "templates.json"
    path.write_text(content)
    with pytest.raises(InputError, match=reason):
        database_questions.generate(str(bank), given=path)


@pytest.mark.parametrize(
    "options", [{"cap": 0}, {"groups": -1}, {"seconds": 0}, {"seconds": float("nan")}, {"styles": ["rude"]}]
)
def test_parameters_out_of_range(bank, options):
    with pytest.raises(ParameterError):
        database_questions.generate(str(bank), **options)


def test_nothing_to_ask(tmp_path):
    path = tmp_path / "bare.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE log (id INTEGER PRIMARY KEY, blob_key BLOB)")
    with pytest.raises(InputError, match="no template"):
        database_questions.generate(str(path))


def test_a_database_that_goes_away_half_way_says_so(postgres, tmp_path):
    import psycopg

    engine = database_schema.open_database(postgres)
    with (
        pytest.raises(database_schema.Unanswered, match=r"terminating connection|closed"),
        database_schema.reading(engine) as connection,
    ):
        (process,) = database_schema.rows(connection, "SELECT pg_backend_pid()", {}, 1)[0]
        with psycopg.connect(
            host=postgres.split("host=")[1], user="postgres", dbname="postgres", autocommit=True
        ) as other:
            other.execute("SELECT pg_terminate_backend(%s)", [process])
        database_schema.rows(connection, "SELECT name FROM branches", {}, 1)


def test_both_databases_give_the_same_cases(bank, postgres):
    made = [database_questions.generate(url).cases for url in (str(bank), postgres)]
    one, other = (
        cases[~cases["sql"].str.contains("monthly_fee")] for cases in made
    )  # 3.5 in SQLite is 3.50 in PostgreSQL
    pd.testing.assert_frame_equal(
        one.sort_values("question", ignore_index=True), other.sort_values("question", ignore_index=True)
    )


@published
def test_the_schema_alone_gives_thirty_valid_templates():
    assert (
        database_questions.generate(str(SPIDER / "company_employee.sqlite")).account["kept"] > 0
    ).sum() >= 30


@published
def test_published_templates_give_the_published_questions_and_answers():
    found = database_questions.generate(
        str(SPIDER / "company_employee.sqlite"), given=SPIDER / "text_short.json"
    ).cases
    groups = [group for template in json.loads((SPIDER / "qa_short.json").read_text()) for group in template]
    expected = {question: answer for answer, questions in groups for question in questions}
    ours = dict(zip(found["question"], found["reference_answer"], strict=True))
    assert len(ours) == len(expected) == 570 and found["group_id"].nunique() == len(groups) == 57
    assert all(
        expected[question] in (f"[('{answer}',)]", f"[({answer},)]") for question, answer in ours.items()
    )


def test_the_command_line(bank, tmp_path):
    out = tmp_path / "cases.jsonl"
    done = CliRunner().invoke(cli, ["grounded", "--db", f"sqlite:///{bank}", "--out", str(out)])
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert {row["style"] for row in rows} >= {"short", "casual"} and all(
        row["group_id"] and row["reference_answer"] for row in rows
    )
    assert "SQL templates (M)" in done.output and str(out) in done.output


def test_whole_groups_are_drawn(bank):
    cases = database_questions.generate(str(bank)).cases
    few = database_questions.whole_groups(cases, 40, seed=3)
    assert 1 <= len(few) <= 40 and few.equals(database_questions.whole_groups(cases, 40, seed=3))
    whole = cases["group_id"].value_counts()
    assert all(whole[group] == count for group, count in few["group_id"].value_counts().items())
    assert database_questions.whole_groups(cases, 1)["group_id"].nunique() == 1


@pytest.mark.parametrize(("options", "words"), [
    (["--dry-run"], "none is named"), (["--judge", "http://127.0.0.1:9/v1"], "an endpoint and a model"),
    (["--judge", "http://127.0.0.1:9/v1", "--judge-model", "m", "--templates", "t.json"], "leave out one"),
])  # fmt: skip
def test_half_a_model_is_refused(bank, tmp_path, options, words):
    done = CliRunner().invoke(
        cli, ["grounded", "--db", str(bank), "--out", str(tmp_path / "cases.jsonl"), *options]
    )
    assert done.exit_code != 0 and words in str(done.exception)


def test_a_dry_run_says_what_a_model_would_take(bank, tmp_path):
    asked = ["--judge", "http://127.0.0.1:9/v1", "--judge-model", "m", "--dry-run"]
    done = CliRunner().invoke(
        cli, ["grounded", "--db", str(bank), "--out", str(tmp_path / "cases.jsonl"), *asked]
    )
    assert (
        done.exit_code == 0
        and "nothing was sent" in done.output
        and "calls" in done.output
        and not (tmp_path / "cases.jsonl").exists()
    )
