"""What users already have: the logs of some twenty tools, read as our tables and written back.

tool_schemas.py       SCHEMAS, one literal row per kind of record; a new tool is a new row
schema_detection.py   which schema a file follows; the user's mapping
record_conversion.py  a record of theirs -> a row of ours -> a record of theirs
value_conversion.py   texts, lists, numbers and flags, however written
nested_values.py      values below others
tool_scores.py        scores that a tool gave, under its name: ragas:faithfulness; known ones in
                      tool_scores.csv
tool_score_export.py  the way back
column_mapping.py     what was read as what, and what was not
nested_columns.py     below the columns, in objects
ambiguous_columns.py  two columns for one thing
column_synonyms.py    names of columns where no tool is known
list_literals.py      lists written as a text: read, or told from prose where they are cut short
"""

from ragassay.answers.log_formats.record_conversion import adapt, export
from ragassay.answers.log_formats.schema_detection import detect, parse_mapping, resolve
from ragassay.answers.log_formats.tool_schemas import SCHEMAS, Schema

__all__ = ["SCHEMAS", "Schema", "adapt", "detect", "export", "parse_mapping", "resolve"]
