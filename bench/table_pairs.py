"""Pairs of a right and a wrong answer made by rule from real tables: the tables of rulebooks (obliqa) and a
table of companies (grammar_spider) in `../shared/data`. Nothing of them is copied into the tree.

Each table is flattened as a PDF, a web page, markdown or aligned text gives it, and stands among two passages
of the same rulebooks. A pair differs in one thing, its kind.
"""

import gzip
import json
import random
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
MONEY = {"Sales_in_Billion": "sales", "Profits_in_Billion": "profits", "Assets_in_Billion": "assets",
         "Market_Value_in_Billion": "market value"}  # fmt: skip
_NUMBER = re.compile(r"-?\d{1,9}(?:\.\d{1,4})?%?")
_OTHER_UNIT = {
    "%": (" basis points", " years"),
    "": (" per cent", " kilometres"),
    "bn": (" billion euros", " billion tonnes"),
}


class Table(NamedTuple):
    """A real table: its columns, its rows as labels with numbers, their unit ("bn": $ billion, "%", "")."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    unit: str


class Pair(NamedTuple):
    kind: str
    layout: str
    question: str
    passages: tuple[str, ...]
    correct: str
    wrong: str


def pairs(seed: int = 0, each: int = 70) -> list[Pair]:
    """`each` pairs of every kind, as far as the tables allow it."""
    draw = random.Random(seed)
    rules, companies, noise = rule_tables(), list(company_tables(draw, 400)), passages()
    found = list[Pair]()
    for kind, make in KINDS.items():
        of_kind = list[Pair]()
        for _ in range(40 * each):
            table = draw.choice(companies if kind in NEED_MONEY or draw.random() < 0.5 else rules)
            told = make(table, draw)
            if len(of_kind) < each and told and told[1] != told[2]:
                layout = draw.choice(list(LAYOUTS))
                around = [draw.choice(noise), LAYOUTS[layout](table), draw.choice(noise)]
                of_kind.append(Pair(kind, layout, told[0], tuple(around), told[1], told[2]))
        found += of_kind
    return found


def rule_tables() -> list[Table]:
    """The tables of the rulebooks that have one row of headings and numbers alone below it."""
    found = []
    for row in _passages():
        for body in re.findall(r"/Table Start(.{1,8000}?)/Table End", row["text"], re.DOTALL):
            table = _rule_table(
                [[cell.strip() for cell in line.split("\t")] for line in body.strip("\n").split("\n")]
            )
            if table:
                found.append(table)
    return found


def _rule_table(lines: list[list[str]]) -> Table | None:
    heading = next((line for line in lines if len([cell for cell in line if cell]) > 1), None)
    if heading is None:
        return None
    body = [
        line[1:] if re.fullmatch(r"\([a-z]\) ?", line[0]) else line
        for line in lines[lines.index(heading) + 1 :]
    ]
    whole = [line for line in body if len(line) == len(heading) and len(line[0]) > 3]
    rows = tuple((line[0], tuple(line[1:])) for line in whole if all(map(_NUMBER.fullmatch, line[1:])))
    labels = {label for label, _ in rows}
    values = [value for _, each in rows for value in each]
    if len(rows) < 2 or len(labels) < len(rows) or len(set(values)) < 3:
        return None
    percent = all("%" in value for value in values)
    return Table(heading[0], tuple(heading[1:]), rows, "%" if percent else "")


def company_tables(draw: random.Random, count: int) -> Iterator[Table]:
    """Parts of the table of companies: some of them, two to four columns in some order, or upright."""
    with sqlite3.connect(DATA / "grammar_spider" / "company_employee.sqlite") as base:
        every = base.execute(f"SELECT Name, {', '.join(MONEY)} FROM company").fetchall()
    for _ in range(count):
        rows = draw.sample(every, draw.randint(3, 8))
        chosen = draw.sample(range(len(MONEY)), draw.randint(2, 4))
        names = [list(MONEY.values())[i].capitalize() for i in chosen]
        cells = [[f"{row[1 + i]:,.1f}" for i in chosen] for row in rows]
        if draw.random() < 0.4:
            columns, labels, cells = (
                [row[0] for row in rows],
                names,
                [list(one) for one in zip(*cells, strict=True)],
            )
        else:
            columns, labels = names, [row[0] for row in rows]
        yield Table("USD billion", tuple(columns), tuple(zip(labels, map(tuple, cells), strict=True)), "bn")


def passages() -> list[str]:
    """Passages of the rulebooks to stand beside a table."""
    return [
        row["text"] for row in _passages() if 200 < len(row["text"]) < 2500 and "/Table" not in row["text"]
    ]


def _passages() -> Iterator[dict]:
    with gzip.open(DATA / "obliqa" / "passages.jsonl.gz", "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def _markdown(table: Table) -> str:
    rows = [
        (table.title, *table.columns),
        ("---",) * (1 + len(table.columns)),
        *((label, *cells) for label, cells in table.rows),
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _page(table: Table) -> str:
    return "\n".join(
        " ".join(row)
        for row in [(table.title, *table.columns), *((label, *cells) for label, cells in table.rows)]
    )


def _web(table: Table) -> str:
    return "\n".join(
        [table.title, *table.columns, *(cell for label, cells in table.rows for cell in (label, *cells))]
    )


def _aligned(table: Table) -> str:
    rows = [(table.title, *table.columns), *((label, *cells) for label, cells in table.rows)]
    return "\n".join("   ".join(row) for row in rows)


LAYOUTS: dict[str, Callable[[Table], str]] = {
    "markdown": _markdown,
    "pdf": _page,
    "html": _web,
    "aligned": _aligned,
}
Told = tuple[str, str, str] | None


def _said(table: Table, row: int, column: int, value: str) -> str:
    """One sentence that states a cell, in the table's unit."""
    label, heading = table.rows[row][0], table.columns[column]
    if table.unit == "bn":
        if heading.lower() not in MONEY.values():
            return f"{heading} had {label.lower()} of ${value} billion."
        return f"The {heading} of {label} came to ${value} billion."
    return f"For {label} the {heading} is {value}."


def _asked(table: Table, row: int, column: int) -> str:
    return f"What is the {table.columns[column]} for {table.rows[row][0]}?"


def _cell(table: Table, draw: random.Random) -> tuple[int, int, str] | None:
    row, column = draw.randrange(len(table.rows)), draw.randrange(len(table.columns))
    value = table.rows[row][1][column]
    return (row, column, value) if value.strip("0.%") and "-" not in value else None


def _other_cell(by_row: bool) -> Callable[[Table, random.Random], Told]:
    def make(table: Table, draw: random.Random) -> Told:
        cell = _cell(table, draw)
        if cell is None:
            return None
        row, column, value = cell
        others = [each[column] for _, each in table.rows] if by_row else list(table.rows[row][1])
        others = [one for one in others if one != value and one.strip("0.%")]
        if not others:
            return None
        return (
            _asked(table, row, column),
            _said(table, row, column, value),
            _said(table, row, column, draw.choice(others)),
        )

    return make


def _changed(
    change: Callable[[str, Table, random.Random], str | None],
) -> Callable[[Table, random.Random], Told]:
    """A pair whose wrong sentence is the right one with its number and unit changed."""

    def make(table: Table, draw: random.Random) -> Told:
        cell = _cell(table, draw)
        if cell is None:
            return None
        row, column, value = cell
        told = f"${value} billion" if table.unit == "bn" else value
        right, changed = _said(table, row, column, value), change(value, table, draw)
        return (_asked(table, row, column), right, right.replace(told, changed)) if changed else None

    return make


def _unit(value: str, table: Table, draw: random.Random) -> str | None:
    if table.unit == "":
        return None
    return value.strip("%") + draw.choice(_OTHER_UNIT[table.unit])


def _scale(value: str, table: Table, draw: random.Random) -> str | None:
    return f"${value} {draw.choice(('million', 'thousand', 'trillion'))}"


def _sign(value: str, table: Table, draw: random.Random) -> str | None:
    return f"a loss of ${value} billion" if table.unit == "bn" else f"minus {value}"


def _digit(value: str, table: Table, draw: random.Random) -> str | None:
    places = [
        i
        for i in range(len(value) - 1)
        if value[i].isdigit() and value[i + 1].isdigit() and value[i] != value[i + 1]
    ]
    if not places:
        return None
    i = draw.choice(places)
    swapped = value[:i] + value[i + 1] + value[i] + value[i + 2 :]
    return None if swapped.startswith("0") else _told(swapped, table)


def _invented(value: str, table: Table, draw: random.Random) -> str | None:
    known = {cell.strip("%") for _, each in table.rows for cell in each}
    made = redrawn(value, draw)
    return None if made.strip("%") in known else _told(made, table)


def redrawn(value: str, draw: random.Random) -> str:
    """A number of the same form between half and twice a number, drawn at random."""
    plain = value.replace(",", "").strip("%")
    decimals = len(plain.partition(".")[2])
    made = f"{float(plain) * draw.uniform(0.5, 2):{',' if ',' in value else ''}.{decimals}f}"
    return made + "%" * value.endswith("%")


def _told(value: str, table: Table) -> str:
    return f"${value} billion" if table.unit == "bn" else value


def _entity(table: Table, draw: random.Random) -> Told:
    cell = _cell(table, draw)
    if cell is None:
        return None
    row, column, value = cell
    other = draw.choice([i for i in range(len(table.rows)) if i != row])
    if table.rows[other][1][column] == value:
        return None
    return _asked(table, row, column), _said(table, row, column, value), _said(table, other, column, value)


def _arithmetic(table: Table, draw: random.Random) -> Told:
    """A difference, a sum, a share or a ratio of two cells of a column, told with its result alone."""
    column = draw.randrange(len(table.columns))
    if len(table.rows) < 2 or table.unit != "bn":
        return None
    (a, one), (b, other) = draw.sample(
        [(label, float(each[column].replace(",", ""))) for label, each in table.rows], 2
    )
    if one <= other or other <= 0:
        return None
    of = table.columns[column]
    forms = [
        (
            f"By how much does {a} exceed {b} ({of})?",
            one - other,
            f"{a} exceeds {b} by ${{}} billion ({of}).",
            1,
        ),
        (
            f"What do {a} and {b} come to together ({of})?",
            one + other,
            f"{a} and {b} together come to ${{}} billion ({of}).",
            1,
        ),
        (f"What is {b} as a percentage of {a} ({of})?", other / one * 100, f"{b} is {{}}% of {a} ({of}).", 1),
        (f"How many times {b} is {a} ({of})?", one / other, f"{a} is {{}} times {b} ({of}).", 2),
    ]
    question, result, frame, decimals = draw.choice(forms)
    right = f"{result:,.{decimals}f}"
    wrong = redrawn(right, draw)
    return (
        (question, frame.format(right), frame.format(wrong))
        if wrong != right and float(right.replace(",", ""))
        else None
    )


KINDS: dict[str, Callable[[Table, random.Random], Told]] = {
    "wrong_row": _other_cell(True),
    "wrong_column": _other_cell(False),
    "wrong_unit": _changed(_unit),
    "wrong_scale": _changed(_scale),
    "wrong_sign": _changed(_sign),
    "wrong_digit": _changed(_digit),
    "invented_number": _changed(_invented),
    "wrong_entity": _entity,
    "wrong_arithmetic": _arithmetic,
}
NEED_MONEY = ("wrong_scale", "wrong_arithmetic")
