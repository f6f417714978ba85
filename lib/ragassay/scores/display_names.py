"""The names that readers see: of metrics, rates, raters' judgements, and of the levels of a factor
(`level_names.csv`); a topic's is a heading of its documents. Tables keep the short names of code."""

import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from ragassay.scores.metric_registry import OF_RATERS, find_entry
from ragassay.scores.text_reading import word_lists

IN = " in "  # between metric and slice, as in `true_success in language=es`
AND = " & "  # between the factors, and the levels, of a crossing
NAMED = ("metric", "gate", "watched", "score", "evaluator")  # columns that hold names of metrics
SLICES = ("slice", "segment")
OF_DIMENSION = {"level": slice(None), "a": slice(0, 1), "b": slice(1, 2)}  # whose level a column holds
TELLING = ("kind", "family")  # factors whose levels say by themselves what they are
EVERY_RESPECT = f"{OF_RATERS}in_every_respect"
LEVELS = {(row["factor"], row["level"]): row["words"] for row in word_lists.rows("level_names.csv")}
_OF_CODE = re.compile(r"(?<![\w`])[a-z0-9]+(?:_[a-z0-9]+)+(?![\w`])")  # a name of code, but not in backticks


def is_named(name: str) -> bool:
    """Whether it is a metric or rate of the kit, or a judgement of raters, alone or in a slice."""
    return find_entry(name.partition(IN)[0]) is not None


def display_name(name: str, topics: Mapping[str, str] | None = None) -> str:
    """The name for readers: `judged_grounded` is "grounded (raters)", `true_success in language=es` "true
    success, questions in Spanish". A name that the kit does not know stays, its underscores made spaces."""
    metric, _, where = name.partition(IN)
    if where and is_named(metric):
        return f"{display_name(metric)}, {slice_name(where, topics)}"
    known = find_entry(name)
    return known.display if known else name.replace("_", " ")


def in_words(text: str) -> str:
    """The text with every name of code that is a metric, rate or judgement put in words; single words, which
    may be meant as such, stay."""
    return _OF_CODE.sub(lambda found: display_name(found[0]) if is_named(found[0]) else found[0], text)


def level_name(factor: str, level: Any, topics: Mapping[str, str] | None = None) -> str:
    """The name of one level of a factor: of (`answer_type`, `no_answer`) "questions without an answer"; of a
    crossing each level's, joined by a comma; of a topic its name, in quotes. An unknown level stays as it
    is."""
    factors, levels = factor.split(AND), str(level).split(AND)
    if len(factors) == len(levels) > 1:
        bare = [one.removeprefix(f"{of}=") for of, one in zip(factors, levels, strict=True)]
        return ", ".join(level_name(*each, topics) for each in zip(factors, bare, strict=True))
    if factor == "topic" and topics and str(level) in topics:
        return f"“{topics[str(level)]}”"
    return LEVELS.get((factor, str(level)), str(level))


def factor_name(factor: str) -> str:
    """The name of a factor: `query_type` is "type of question"."""
    return LEVELS.get((factor, ""), factor.replace("_", " "))


def slice_name(text: str, topics: Mapping[str, str] | None = None) -> str:
    """The name of a slice written `factor=level`: "questions in Spanish" of `language=es`; other texts
    stay."""
    factor, sign, level = text.partition("=")
    if not sign:
        return text
    factor, level = factor.strip(), level.strip()
    words = level_name(factor, level, topics)
    if factor == "language":
        return f"questions in {words}"
    return words if words != level or factor in TELLING else f"{factor_name(factor)} {level}"


def topic_words(chunks: pd.DataFrame) -> dict[str, str]:
    """The name of each topic, by its number, from the passages of a run; empty where they have none."""
    if not {"topic", "topic_label"} <= set(chunks.columns):
        return {}
    found = chunks.dropna(subset=["topic", "topic_label"]).drop_duplicates("topic")
    return dict(zip(found["topic"].astype(str), found["topic_label"].astype(str), strict=True))


def cell_name(column: str, text: str, topics: Mapping[str, str] | None = None) -> str:
    """What a cell of this column is called: the name of a metric, slice or level; other texts stay."""
    if column in NAMED:
        return display_name(text, topics) if is_named(text) else text
    if column in SLICES and "=" in text:
        return slice_name(text, topics)
    if column == "variation":
        kind, given, strength = text.partition(", intensity ")
        return level_name("kind", kind) + (f", level {strength}" if given else "")
    return level_name("chapter" if column == "tested in" else column, text, topics)


def with_names(table: pd.DataFrame, topics: Mapping[str, str] | None = None) -> pd.DataFrame:
    """The table with names for readers in the columns of metrics, slices and factors, and in `level`, `a`
    and `b` beside `dimension`; for a figure, or a table whose topics have words."""
    named = table.copy()
    if "dimension" in table:
        factors = [str(factor).split(AND) for factor in table["dimension"]]
        for column in {*OF_DIMENSION} & {*table}:
            of = [AND.join(each[OF_DIMENSION[column]]) for each in factors]
            named[column] = [level_name(*each, topics) for each in zip(of, table[column], strict=True)]
        named["dimension"] = [AND.join(map(factor_name, each)) for each in factors]
    known = {factor for factor, _ in LEVELS}
    for column in {*NAMED, *SLICES, "topic", *known} & set(named.columns):
        cells = named[column]
        named[column] = [cell_name(column, one, topics) if isinstance(one, str) else one for one in cells]
    return named
