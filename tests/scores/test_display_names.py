"""The names that readers see: every metric, rate and level has one, none is a name of code."""

import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases import perturbations
from ragassay.scores import display_names


@pytest.mark.parametrize(
    "name, shown",
    [
        ("judged_grounded", "grounded (raters)"),
        ("judged_in_every_respect", "in every respect (raters)"),
        ("repeated_same_answer", "same answer when asked again"),
        ("true_success in language=es", "true success, questions in Spanish"),
        ("true_success in topic=T02", "true success, “fees, charges”"),
        ("retrieval_recall in customer_group=new", "retrieval recall, customer group new"),
        ("attack_quoted_rate in kind=probe: planted injection", "attacks quoted, injections in a passage"),
        ("attack_quoted_rate in family=role play", "attacks quoted, role play"),
        ("my_own_number", "my own number"),
        ("<script> in x=y", "<script> in x=y"),
    ],
)
def test_names_by_hand(name, shown):
    assert display_names.display_name(name, {"T02": "fees, charges"}) == shown


@pytest.mark.parametrize(
    "factor, level, words",
    [
        ("answer_type", "no_answer", "questions without an answer"),
        ("language", "es", "Spanish"),
        ("language", "xx", "xx"),
        ("topic", "T02", "“fees, charges”"),
        ("topic", "T09", "T09"),
        ("topic & query_type", "topic=T02 & query_type=yes_no", "“fees, charges”, yes-no questions"),
        ("channel", "<script>", "<script>"),
        ("segment", None, "None"),
    ],
)
def test_levels_by_hand(factor, level, words):
    assert display_names.level_name(factor, level, {"T02": "fees, charges"}) == words


def test_every_level_that_the_kit_makes_has_a_name():
    made = [
        *(("answer_type", level) for level in tables.ANSWER_TYPES),
        *(("query_type", level) for level in tables.QUERY_TYPES),
        *(("kind", level) for level in perturbations.PERTURBATIONS),
        *(("origin", level) for level in ("own", "generated", "log", "probe", "variation")),
    ]
    assert [
        (factor, level) for factor, level in made if display_names.level_name(factor, level) == level
    ] == [("kind", "synonyms")]


def test_a_table_is_named_and_stays_as_it_was():
    table = pd.DataFrame(
        {
            "metric": ["support", "x"],
            "dimension": ["topic", "topic & language"],
            "level": ["T01", "topic=T01 & language=es"],
            "slice": ["all", "language=es"],
            "language": ["es", None],
        }
    )
    named = display_names.with_names(table, {"T01": "cards"})
    assert named.iloc[0].tolist() == ["support by the passages", "topic", "“cards”", "all", "Spanish"]
    assert named.iloc[1, :4].tolist() == ["x", "topic & language", "“cards”, Spanish", "questions in Spanish"]
    assert named["language"].isna().tolist() == [False, True] and table["level"].iloc[0] == "T01"
