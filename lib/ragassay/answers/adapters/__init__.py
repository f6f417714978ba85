"""What users already have: the files of some twenty tools, read as our tables and written back.

schemas.py  SCHEMAS, one literal row per kind of record      schema.py  what such a row holds
detect.py   which schema a file follows; the user's mapping  paths.py   values below others
values.py   texts, lists, numbers and flags, however written adapt.py   record -> row -> record
"""

from ragassay.answers.adapters.adapt import adapt, export
from ragassay.answers.adapters.detect import detect, parse_mapping, resolve
from ragassay.answers.adapters.schema import Flaw, Record, Schema
from ragassay.answers.adapters.schemas import SCHEMAS

__all__ = ["SCHEMAS", "Flaw", "Record", "Schema", "adapt", "detect", "export", "parse_mapping", "resolve"]
