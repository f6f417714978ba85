"""What users already have: the logs of some twenty tools, read as our tables and written back.

schemas.py     SCHEMAS, one literal row per kind of record; a new tool is a new row
detection.py   which schema a file follows; the user's mapping
conversion.py  a record of theirs -> a row of ours -> a record of theirs
values.py      texts, lists, numbers and flags, however written     paths.py  values below others
given_scores.py  scores that a tool gave, under its name: ragas:faithfulness; known ones in given_scores.csv
given_writing.py  the way back
mapping_table.py  what was read as what, and what was not    inner_columns.py  below the columns, in objects
candidates.py     two columns for one thing    usual_names.py  names of columns where no tool is known
literals.py    lists written as a text: read, or told from prose where they are cut short
"""

from ragassay.answers.log_formats.conversion import adapt, export
from ragassay.answers.log_formats.detection import detect, parse_mapping, resolve
from ragassay.answers.log_formats.schemas import SCHEMAS, Schema

__all__ = ["SCHEMAS", "Schema", "adapt", "detect", "export", "parse_mapping", "resolve"]
