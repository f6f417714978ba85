"""A fictional bank: a database of facts no model can have seen, and the documents that state them (GRAMMAR 4
and appendix F).

Names are built from syllables, figures and dates are drawn, so that another seed is another bank. Every
branch, product and adviser becomes a document that states its facts word for word as the database holds
them; a posting stands in the documents of its adviser and of its branch.
"""

import random
import sqlite3
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ragassay.cases.database_questions import format_value
from ragassay.errors import ParameterError

SCHEMA = """
CREATE TABLE branches (branch_id INTEGER PRIMARY KEY, name TEXT, city TEXT, opening_date DATE,
                       number_of_counters INTEGER);
CREATE TABLE products (product_id INTEGER PRIMARY KEY, name TEXT, kind TEXT, monthly_fee NUMERIC,
                       annual_rate NUMERIC, notice_period_in_days INTEGER);
CREATE TABLE advisers (adviser_id INTEGER PRIMARY KEY, name TEXT, speciality TEXT, joining_year INTEGER);
CREATE TABLE postings (adviser_id INTEGER REFERENCES advisers (adviser_id),
                       branch_id INTEGER REFERENCES branches (branch_id), starting_year INTEGER);
"""
DOCUMENTS = {  # table -> what the document of a row says
    "branches": (
        "# The branch {name}",
        "{name} is a branch of {bank}.",
        "The city of the branch {name} is {city}.",
        "The opening date of the branch {name} is {opening_date}.",
        "For the branch {name}, the number of counters is {number_of_counters}.",
    ),
    "products": (
        "# The product {name}",
        "{name} is a product of {bank}.",
        "The product {name} is of the kind {kind}.",
        "The product {name} has a monthly fee of {monthly_fee}.",
        "The annual rate of the product {name} is {annual_rate}.",
        "The notice period in days of the product {name} is {notice_period_in_days}.",
    ),
    "advisers": (
        "# The adviser {name}",
        "{name} is an adviser of {bank}.",
        "The speciality of the adviser {name} is {speciality}.",
        "For the adviser {name}, the joining year is {joining_year}.",
    ),
}
POSTING = "Adviser {adviser} is posted to branch {branch} since year {starting_year}."
POSTINGS = """
SELECT a.name AS adviser, b.name AS branch, p.starting_year FROM postings p
JOIN advisers a ON a.adviser_id = p.adviser_id JOIN branches b ON b.branch_id = p.branch_id
"""
SYLLABLES = (
    "ba cor del fen gro hal ister jun kel lor mav nor ost pel quin rus sten tor ul vex wen yar zel".split()
)
ENDINGS = ("a", "en", "ick", "mar", "o", "ton", "und", "worth")
KINDS = ("corporate", "private", "seasonal", "regional", "standard", "preferred", "limited", "general")


@dataclass(frozen=True)
class FictionalCompany:
    """Its name, where database and documents are, and how many facts the documents state."""

    name: str
    database: Path
    documents: Path
    facts: int


def make_company(folder: Path, *, rows: int = 12, seed: int = 0) -> FictionalCompany:
    """Write `folder/knowledge.db` and `folder/documents/*.md`; the same seed gives the same bytes of every
    document.

    Parameters
    ----------
    folder : is created; must not hold a knowledge base yet
    rows : of every table, 1 or more

    Raises
    ------
    ParameterError
        If there is a knowledge base already, or `rows` is below 1.

    Example: `generate(str(make_company(Path("company")).database))`
    """
    if rows < 1:
        raise ParameterError("a company needs rows", where="rows", found=rows, expected="1 or more")
    path, documents = folder / "knowledge.db", folder / "documents"
    if path.exists() or documents.exists():
        raise ParameterError("there is a knowledge base already", where=folder, do="name another folder")
    documents.mkdir(parents=True)
    rng = random.Random(seed)
    bank, *names = _made_up_names(rng, 4 * rows + 1)
    connection = sqlite3.connect(path)
    with connection:
        connection.executescript(SCHEMA)
        _insert_rows(connection, names, rows, rng)
    facts = _write_documents(connection, documents, bank)
    connection.close()
    return FictionalCompany(bank, path, documents, facts)


def _made_up_names(rng: random.Random, count: int) -> list[str]:
    """Names nobody bears, each once."""
    found: dict[str, None] = {}
    while len(found) < count:
        name = (rng.choice(SYLLABLES) + rng.choice(SYLLABLES) + rng.choice(ENDINGS)).capitalize()
        found[name if name not in found else f"{name} {rng.choice(SYLLABLES).capitalize()}"] = None
    return list(found)


def _insert_rows(connection: sqlite3.Connection, names: list[str], rows: int, rng: random.Random) -> None:
    def insert(table: str, *values: object) -> None:
        connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)

    for number in range(1, rows + 1):
        branch, city, product, adviser = (names.pop() for _ in range(4))
        date = f"{rng.randint(1961, 2024)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
        kinds = [f"{rng.choice(KINDS)} {rng.choice(SYLLABLES)}{rng.choice(ENDINGS)}" for _ in range(2)]
        fee, rate = rng.randint(100, 99_999) / 100, rng.randint(5, 1_995) / 100
        insert("branches", number, branch, city, date, rng.randint(2, 90))
        insert("products", number, product, kinds[0], fee, rate, rng.randint(2, 90))
        insert("advisers", number, adviser, kinds[1], rng.randint(1961, 2024))
        insert("postings", number, 1 + (number + 2) % rows, rng.randint(1961, 2024))


def _write_documents(connection: sqlite3.Connection, folder: Path, bank: str) -> int:
    """Write a document for every row; how many facts they state."""
    postings = pd.read_sql_query(POSTINGS, connection).to_dict("records")
    stated = 0
    for table, sentences in DOCUMENTS.items():
        rows = pd.read_sql_query(f"SELECT * FROM {table} ORDER BY 1", connection).to_dict("records")
        for number, row in enumerate(rows, start=1):
            values = {name: format_value(value) for name, value in row.items()}
            text = [sentence.format(bank=bank, **values) for sentence in sentences]
            text += [POSTING.format(**posting) for posting in postings if row["name"] in posting.values()]
            (folder / f"{table}-{number:04d}.md").write_text("\n\n".join(text) + "\n", encoding="utf-8")
            stated += len(text) - 2
    return stated
