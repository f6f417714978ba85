"""What users already have: how the logs of some twenty tools are read as our tables, and written back.

schemas.py      SCHEMAS, a table of tool_schemas.toml per kind of record; which one a file follows; usual
                names of columns; the user's mapping
values.py       values below others, lists written as a text; texts, numbers and flags, however written
tool_scores.py  scores that a tool gave (ragas:faithfulness), known ones in tool_scores.csv; and judgements
                of people in its file
"""

from ragassay.answers.log_formats.schemas import SCHEMAS, Schema, detect, parse_mapping, resolve

__all__ = ["SCHEMAS", "Schema", "detect", "parse_mapping", "resolve"]
