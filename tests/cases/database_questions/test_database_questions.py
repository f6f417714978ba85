"""From a database to cases: what is kept, what is dropped and counted, and that the same seed gives the same cases."""

import json
from pathlib import Path

import pandas as pd
import pytest

from cases.database_questions.conftest import make_sqlite
from ragassay.cases import database_questions
from ragassay.cases.database_questions import make_company
from ragassay.cases.database_questions.database import save_templates
from ragassay.errors import InputError, ParameterError

SPIDER = Path(__file__).resolve().parents[4] / "shared" / "data" / "grammar_spider"
published = pytest.mark.skipif(
    not SPIDER.is_dir(), reason="the published data of the GRAMMAR paper is not here"
)


def row(sql: str, *texts: str) -> dict:
    return {"sql": sql, "texts": {"short": list(texts)}}


LOOKUP = row(
    "SELECT city FROM branches WHERE name = '[branches.name]'",
    "City of [branches.name]?",
    "Where is '[branches.name]'?",
)


def generate(url, tmp_path, *rows):
    path = tmp_path / "templates.json"
    path.write_text(json.dumps(rows))
    return database_questions.generate(str(url), given=path)


def answers(cases: pd.DataFrame) -> dict[str, str]:
    return dict(zip(cases["question"], cases["reference_answer"], strict=True))


def test_a_database_by_hand(bank, tmp_path):
    found = generate(bank, tmp_path, LOOKUP)
    assert answers(found.cases) == {
        "City of Harbour?": "Ostend", "Where is 'Harbour'?": "Ostend", "City of Old Mill?": "Ghent", "Where is 'Old Mill'?": "Ghent",
        "City of Station?": "Ghent", "Where is 'Station'?": "Ghent",
    }  # fmt: skip
    assert found.cases.groupby("group_id")["question"].count().tolist() == [2, 2, 2]
    counts = found.account[["text_templates", "combinations", "tried", "kept"]]
    assert counts.iloc[0].tolist() == [2, 3, 3, 3]


def test_only_single_answers_are_kept_and_the_others_counted(bank, tmp_path):
    several = row("SELECT name FROM branches WHERE city = '[branches.city]'", "Branch in [branches.city]?")
    empty = row(
        "SELECT monthly_fee FROM accounts WHERE product_name = '[accounts.product_name]'",
        "Fee of [accounts.product_name]?",
    )
    none = row(
        "SELECT a.opened FROM accounts a JOIN branches b ON a.branch_id = b.branch_id WHERE a.product_name = "
        "'[accounts.product_name]' AND b.name = '[branches.name]'",
        "[accounts.product_name] at [branches.name]?",
    )
    account = generate(bank, tmp_path, several, empty, none).account
    assert account["dropped"].tolist() == ["several values: 1", "several values: 1", "no row: 5"]
    assert account["kept"].tolist() == [1, 2, 4] and account["combinations"].tolist() == [2, 3, 9]


def test_values_stay_values_and_truth_is_said_in_words(bank, tmp_path):
    desk = row("SELECT desk FROM clerks WHERE name = '[clerks.name]'", "Desk of [clerks.name]?")
    clerk = row("SELECT name FROM clerks WHERE desk = '[clerks.desk]'", "Clerk at [clerks.desk]?")
    asked = answers(generate(bank, tmp_path, desk, clerk).cases)
    assert {"Desk of Odd O'Hara?", "Clerk at [branches.name]?"} <= set(asked)
    firms = make_sqlite(
        tmp_path / "flags.db",
        "CREATE TABLE firms (name TEXT, listed BOOLEAN)",
        "INSERT INTO firms VALUES ('Mill', 1), ('Quay', 0)",
    )
    listed = row("SELECT listed FROM firms WHERE name = '[firms.name]'", "Is [firms.name] listed?")
    asked = answers(generate(firms, tmp_path, listed).cases)
    assert asked == {"Is Mill listed?": "yes", "Is Quay listed?": "no"}


def test_the_same_seed_gives_the_same_cases_and_another_seed_others(bank, monkeypatch):
    monkeypatch.setattr(database_questions, "CAP", 3)
    one, again, other = (database_questions.generate(str(bank), seed=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(one.cases, again.cases)
    assert set(one.cases["question"]) != set(other.cases["question"])
    assert one.account["tried"].max() == 3 < one.account["combinations"].max()


def test_templates_are_saved_edited_and_loaded(bank, tmp_path):
    first, path = database_questions.generate(str(bank)), tmp_path / "saved.json"
    save_templates(path, first.templates)
    pd.testing.assert_frame_equal(database_questions.generate(str(bank), given=path).cases, first.cases)
    path.write_text(path.read_text().replace("What is the", "Tell me the"))
    asked = database_questions.generate(str(bank), given=path).cases["question"]
    assert asked.str.startswith("Tell me the").any()


@pytest.mark.parametrize(("content", "reason"), [
    ("[]", "no templates"),
    ("{", "cannot be read"),
    ('[{"sql": "SELECT city FROM branches WHERE name = \'[branches.name]\'", "texts": {"short": "one"}}]', "cannot be read"),
    ('{"DROP TABLE branches": ["x"]}', "template 1"),
    ('{"SELECT city FROM branches WHERE name = \'[branches.name]\'": ["City of [branches.name] and [clerks.name]?"]}', "placeholders"),
])  # fmt: skip
def test_flawed_templates_are_refused(bank, tmp_path, content, reason):
    path = tmp_path / "templates.json"
    path.write_text(content)
    with pytest.raises(InputError, match=reason):
        database_questions.generate(str(bank), given=path)


def test_nothing_to_ask(tmp_path, bank):
    path = make_sqlite(tmp_path / "bare.db", "CREATE TABLE log (id INTEGER PRIMARY KEY, blob_key BLOB)")
    with pytest.raises(InputError, match="0 templates"):
        database_questions.generate(str(path))


@published
def test_published_templates_give_the_published_questions_and_answers():
    database = str(SPIDER / "company_employee.sqlite")
    found = database_questions.generate(database, given=SPIDER / "text_short.json").cases
    groups = [group for template in json.loads((SPIDER / "qa_short.json").read_text()) for group in template]
    expected = {question: answer for answer, questions in groups for question in questions}
    ours = answers(found)
    assert len(ours) == len(expected) == 570 and found["group_id"].nunique() == len(groups) == 57
    assert all(
        expected[question] in (f"[('{answer}',)]", f"[({answer},)]") for question, answer in ours.items()
    )


def test_every_fact_of_the_fictional_company_stands_in_a_document_beside_its_name(tmp_path):
    def written(name, seed):
        _, facts = make_company(tmp_path / name, seed=seed)
        texts = [path.read_text() for path in sorted((tmp_path / name / "documents").iterdir())]
        assert sum(text.count("\n\n") for text in texts) == facts
        return texts

    texts = written("company", 4)
    assert texts == written("again", 4) and not set(texts) & set(written("other", 5))
    made = database_questions.generate(str(tmp_path / "company" / "knowledge.db"))
    cases = made.cases.query("style == 'short'")
    named = cases[cases["sql"].str.contains(r"name = '\[\w+\.name\]'$", regex=True)]
    assert len(named) > 50 and named["sql"].str.contains("JOIN").any()
    for case in named[~named["sql"].str.contains("JOIN")].itertuples():
        name = case.question.rstrip("?").split()[-1]
        assert any(name in text and case.reference_answer in text for text in texts), case.question
    with pytest.raises(ParameterError, match="already"):
        make_company(tmp_path / "company")
