"""Formats: JSON against a schema, citations against the house format, and answers measured."""

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from word_tools import WordTools

from ragassay.scores.families.form import house_problems, schema_problems, schema_valid
from ragassay.scores.prepared_answer import Sample

SCHEMA = {
    "type": "object",
    "required": ["answer"],
    "properties": {"answer": {"type": "string"}, "sources": {"type": "array", "maxItems": 2}},
}


@pytest.mark.parametrize(
    "answer, problems",
    [
        ('{"answer": "5", "sources": ["a#p1"]}', 0),
        ('```json\n{"answer": "5"}\n```', 0),
        ('{"answer": 5}', 1),
        ('{"sources": [1, 2, 3]}', 2),
        ("The fee is 5.", 1),
        ('{"answer": "5"', 1),
        ('{"answer": NaN}', 1),
        ("", 1),
        ("[" * 100_000, 1),
        ('{"answer": "5"} and so on', 1),
    ],
)
def test_schema_by_hand(answer, problems):
    assert len(schema_problems(answer, SCHEMA)) == problems


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda one: st.lists(one) | st.dictionaries(st.text(), one),
        max_leaves=8,
    )
)
def test_schema_agrees_with_jsonschema(value):
    import json

    expected = jsonschema.Draft202012Validator(SCHEMA).is_valid(value)
    assert (schema_problems(json.dumps(value), SCHEMA) == []) is expected


def test_a_wrong_schema_is_refused():
    with pytest.raises(ValueError, match="schema is not valid"):
        schema_problems("{}", {"type": "objekt"})


@pytest.mark.parametrize(
    "answer, problem",
    [
        ("The fee is 5 [a#p1].", None),
        ("The fee is 5 [1][2].", None),
        ("The fee [sic] is 5 [a#p1] [see above] [2024].", None),
        ("The fee is 5.", "no citation"),
        ("The fee is 5 [a#p1] [b#q2].", "malformed citation [b#q2]"),
        ("The fee is 5 [a#p1] [doc_123].", "malformed citation [doc_123]"),
        ("The fee is 5 [a#p1] [p. 3].", "malformed citation [p. 3]"),
        ("The fee is 5 [a#p1] [a].", "malformed citation [a]"),
        ("The fee is 5 [a#p1]【4†source】.", "malformed citation 【4†source】"),
        ("The fee is 5 [a#p1] and 6 [b#p1 or so", "malformed citation [b#p1"),
    ],
)
def test_house_format_by_hand(answer, problem):
    found = house_problems(answer, known=("a#p1",))
    assert (found == []) if problem is None else any(each.startswith(problem) for each in found)


TOOLS = WordTools()


def sample_of(answer: str | None, **more) -> Sample:
    return Sample("c1", "s", answer=answer, **more)


@pytest.mark.parametrize(
    "answer, more, value",
    [
        ("The fee is 5 [a#p1].", {"context_ids": ("a#p1",)}, 1.0),
        ("The fee is 5.", {"context_ids": ("a#p1",)}, 0.0),
        ("The fee is 5.", {"answerable": False}, 1.0),
        ("I could not find it.", {}, 1.0),
        ("The fee is 5 [a].", {"context_ids": ("a#p1",)}, 0.0),
    ],
)
def test_the_house_format_measured(answer, more, value):
    found, detail = schema_valid(sample_of(answer, **more), TOOLS)
    assert found == value and (detail == []) is (value == 1.0)


def test_the_schema_of_the_case_decides_where_there_is_one():
    schema = '{"type": "object", "required": ["fee"]}'
    assert schema_valid(sample_of('{"fee": 5}', schema=schema), TOOLS) == (1.0, [])
    assert schema_valid(sample_of("The fee is 5 [a#p1].", schema=schema), TOOLS)[0] == 0.0
    for broken in ("{", "[1]"):
        with pytest.raises(ValueError, match="the JSON schema"):
            schema_valid(sample_of("{}", schema=broken), TOOLS)
