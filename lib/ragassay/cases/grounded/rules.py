"""SQL templates from a schema alone: select, project and join over columns that mean something to people (GRAMMAR 3.1, B.1, B.3).

lookup   a column of a row, by another column of it
parent   a column of the row that a foreign key leads to, by a column of the row it starts from
child    the other way round: few answers are single, and those that are not are dropped when they are filled
linked   through a table with two foreign keys: its own columns by both sides, and one side by the other
"""

from collections.abc import Callable, Iterator
from itertools import permutations

from ragassay.cases.grounded.schema import NUMBER, TEXT, TRUTH, Column, Link, Schema, Table

Quote = Callable[[str], str]


def templates(schema: Schema, quote: Quote = str) -> list[str]:
    """SQL templates, those first that ask by a name or a code; every table's in the order of its columns.

    Parameters
    ----------
    quote : puts quotation marks round a name of a table or column where the database needs them
    """
    found: list[tuple[int, str]] = []
    for table in schema.tables:
        found += [
            (_rank(key), _lookup(target, key, quote))
            for key in _keys(table)
            for target in _targets(table)
            if target != key
        ]
        for link in table.links:
            found += [(_rank(key), sql) for key, sql in _along(schema, table, link, quote)]
        found += [(_rank(key), sql) for key, sql in _linked(schema, table, quote)]
    return list(dict.fromkeys(sql for _, sql in sorted(found, key=lambda one: one[0])))


def _rank(key: Column) -> int:
    """Names and codes before other text, text before numbers and dates."""
    return 0 if key.names_its_row else 1 if key.kind == TEXT else 2


def _targets(table: Table) -> list[Column]:
    """What can be asked for in the words of texts.py: not what is only true or false."""
    return [column for column in table.columns if column.descriptive and column.kind != TRUTH]


def _keys(table: Table) -> list[Column]:
    return [column for column in table.columns if column.descriptive and column.kind != TRUTH]


def _names(table: Table) -> list[Column]:
    """What a row is called by in a join: its names and codes, else its first text, else its first number."""
    keys = _keys(table)
    texts, numbers = [key for key in keys if key.kind == TEXT], [key for key in keys if key.kind == NUMBER]
    return [key for key in keys if key.names_its_row] or texts[:1] or numbers[:1]


def _lookup(target: Column, key: Column, quote: Quote) -> str:
    return f"SELECT {quote(target.name)} FROM {quote(target.table)} WHERE {quote(key.name)} = '[{key.table}.{key.name}]'"


def _along(schema: Schema, table: Table, link: Link, quote: Quote) -> Iterator[tuple[Column, str]]:
    """Along a foreign key, both ways; a table that refers to itself is left out: both sides would carry the same placeholder."""
    other = schema.table(link.other)
    if other is None or other.name == table.name:
        return
    joined = f"FROM {quote(table.name)} a JOIN {quote(other.name)} b ON {_on('a', 'b', link, quote)}"
    for here, there, one, two in ((table, other, "a", "b"), (other, table, "b", "a")):
        for key in _names(here):
            yield from ((key, _by([(one, key)], two, target, joined, quote)) for target in _targets(there))


def _linked(schema: Schema, table: Table, quote: Quote) -> Iterator[tuple[Column, str]]:
    """Through a table that links two others."""
    for first, second in permutations(table.links, 2):
        one, two = schema.table(first.other), schema.table(second.other)
        if one is None or two is None or len({one.name, two.name, table.name}) < 3:
            continue
        joins = f"JOIN {quote(one.name)} b ON {_on('a', 'b', first, quote)} JOIN {quote(two.name)} c ON {_on('a', 'c', second, quote)}"
        joined = f"FROM {quote(table.name)} a {joins}"
        for key in _names(one):
            yield from ((key, _by([("b", key)], "c", target, joined, quote)) for target in _targets(two))
            if table.links.index(first) < table.links.index(second):
                pairs = [[("b", key), ("c", other)] for other in _names(two)]
                yield from (
                    (key, _by(keys, "a", target, joined, quote))
                    for keys in pairs
                    for target in _targets(table)
                )


def _on(here: str, there: str, link: Link, quote: Quote) -> str:
    pairs = zip(link.columns, link.others, strict=True)
    return " AND ".join(f"{here}.{quote(column)} = {there}.{quote(other)}" for column, other in pairs)


def _by(keys: list[tuple[str, Column]], alias: str, target: Column, joined: str, quote: Quote) -> str:
    where = " AND ".join(f"{one}.{quote(key.name)} = '[{key.table}.{key.name}]'" for one, key in keys)
    return f"SELECT {alias}.{quote(target.name)} {joined} WHERE {where}"
