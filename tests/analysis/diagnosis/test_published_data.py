"""The published data of the GRAMMAR paper, asked of two made assistants: one whose retriever fails for long wording,
one whose generator does. Their defective modules are named rightly, with gold passages and by comparing contexts.

company_employee of Spider, 5 SQL templates in 10 short and 10 long wordings: 1,140 queries in 57 groups, their
documents, gold the document that names what is asked about and holds the answer. The retriever counts the words
that a document shares with the query (GRAMMAR 4.2); the generator of the first assistant reads its document, that of
the second answers a long query with the document's first sentence.

    assistant            Acc   R     lambda  R_retrieval  defective  without gold         R, long less short
    retriever at fault   0.45  0.68  0.33    0.68         retrieval  retrieval suspected  -0.24 [-0.33, -0.17]
    generator at fault   0.52  0.78  0.33    0.99         generator  generator            -0.45 [-0.61, -0.30]
"""

import contextlib
import json
import re
import sqlite3
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

import ragassay
from ragassay.cases import database_questions

SPIDER = Path(__file__).resolve().parents[5] / "shared" / "data" / "grammar_spider"
pytestmark = [
    pytest.mark.skipif(not SPIDER.is_dir(), reason="the published data of the GRAMMAR paper is not here"),
    pytest.mark.slow,
]
LONG = 16  # words


def published(name: str):
    return json.loads((SPIDER / name).read_text(encoding="utf-8"))


@cache
def documents() -> dict[str, str]:
    of_people = {
        f"e{key}": " ".join(texts) for key, texts in published("employee_documents.json").items() if texts
    }
    return published("company_documents.json") | of_people


@pytest.fixture(scope="module")
def asked(tmp_path_factory) -> pd.DataFrame:
    short, long = published("text_short.json"), published("text_long.json")
    sql = [query for queries in published("sql_templates.json").values() for query in queries]
    path = tmp_path_factory.mktemp("spider") / "templates.json"
    path.write_text(json.dumps([{"sql": q, "texts": {"short": short[q], "long": long[q]}} for q in sql]))
    return database_questions.generate(str(SPIDER / "company_employee.sqlite"), given=path).cases


@cache
def words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]+", text.lower()))


@cache
def names() -> tuple[str, ...]:
    """The companies and people that the database knows."""
    with contextlib.closing(sqlite3.connect(SPIDER / "company_employee.sqlite")) as database:
        return tuple(
            name
            for table in ("company", "people")
            for (name,) in database.execute(f"SELECT Name FROM {table}")
        )


def gold(query: str, answer: str) -> list[str]:
    """The first document that names all that is asked about, and holds the answer."""
    wanted = [*(name for name in names() if name in query), answer]
    there = [key for key, text in documents().items() if all(each.lower() in text.lower() for each in wanted)]
    return there[:1]


def by_shared_words(query: str) -> str:
    return max(documents(), key=lambda key: len(words(query) & words(documents()[key])))


def by_name(query: str) -> str:
    asked_about = [name for name in names() if name in query]
    return max(documents(), key=lambda key: sum(documents()[key].count(name) for name in asked_about))


def reads(query: str, document: str) -> str:
    return document


def reads_short_questions(query: str, document: str) -> str:
    return document if len(query.split()) < LONG else document.split(".")[0]


def results_of(asked: pd.DataFrame, retrieve, generate) -> pd.DataFrame:
    """The assistant asked; an answer is right if it holds the reference answer, and is of what was asked about."""
    rows = []
    for case in asked.itertuples():
        found = retrieve(case.question)
        answer, about = (
            generate(case.question, documents()[found]),
            [n for n in names() if n in case.question],
        )
        right = case.reference_answer.lower() in answer.lower() and all(
            n in documents()[found] for n in about
        )
        row = {"query": case.question, "group": case.group_id, "style": case.style, "correct": right}
        rows.append(
            row
            | {"retrieved": [found], "gold": [found] if right else gold(case.question, case.reference_answer)}
        )
    return pd.DataFrame(rows)


MADE = {  # retriever, generator, R, R_retrieval, the defective module, and the same without gold
    "retriever at fault": (by_shared_words, reads, 0.68, 0.68, "retrieval", "retrieval_suspected"),
    "generator at fault": (by_name, reads_short_questions, 0.78, 0.99, "generator", "generator"),
}


@pytest.mark.parametrize(
    "retrieve, generate, r, of_retrieval, module, compared", MADE.values(), ids=MADE.keys()
)
def test_the_defective_module_is_named_on_published_data(
    asked, retrieve, generate, r, of_retrieval, module, compared
):
    made = results_of(asked, retrieve, generate)
    found = ragassay.diagnose(made, cluster="style")
    assert len(made) == 1140 and made["group"].nunique() == 57
    assert found.figures["robustness"].value == pytest.approx(r, abs=0.006)
    assert found.figures["robustness_retrieval"].value == pytest.approx(of_retrieval, abs=0.006)
    assert found.defect.module == module
    assert ragassay.diagnose(made.drop(columns="gold")).defect.module == compared
    stratified = found.contrasts.set_index(["design", "quantity"]).loc["stratified"]
    high = stratified["high"][["robustness_retrieval", "robustness_generator"]]
    assert high[high < 0].index.tolist() == [f"robustness_{module}"]
