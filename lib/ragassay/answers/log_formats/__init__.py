"""What users already have: the logs of some twenty tools, read as our tables and written back.

tool_schemas.py       SCHEMAS, a table of tool_schemas.toml per kind of record; a new tool is a new table
schema_detection.py   which schema a file follows; usual names of columns; the user's mapping; two columns
                      for one thing
record_conversion.py  a record of theirs -> a row of ours -> a record of theirs
value_conversion.py   texts, lists, numbers and flags, however written
nested_values.py      values below others; lists written as a text
tool_scores.py        scores that a tool gave (ragas:faithfulness), and the way back; known ones in
                      tool_scores.csv
tool_labels.py        judgements of people in a tool's file
column_mapping.py     what was read as what, and what was not
"""

from ragassay.answers.log_formats.record_conversion import adapt, export
from ragassay.answers.log_formats.schema_detection import detect, parse_mapping, resolve
from ragassay.answers.log_formats.tool_schemas import SCHEMAS, Schema

__all__ = ["SCHEMAS", "Schema", "adapt", "detect", "export", "parse_mapping", "resolve"]
