"""Cases in, answers out: the system under test is asked, or its logs are read.

engagement_answers.py   collect_answers: those of an engagement, asked or logged; challengers; what became
                        of the questions; read_collection: its documents, or the passages of its log
system_under_test.py    load_system: "module:name" or "path/to/file.py:name" -> an assistant in a process of
                        its own
described_systems.py    an endpoint or a command line, as its YAML describes it: text, hash, whom it asks
question_inputs.py      each question with its history, passages and turn, checked
asking.py               ask_all: one row per case and repeat, with a time limit, all of one version
answer_journal.py       every answer on disk the moment it arrives
assistant_versions.py   which versions of the assistant gave the answers
answers_before_plan.py  which answers were there before the plan of the questions

log_import.py       load_log: a log as the two tables of a run; rows that could not be read, counted
log_passages.py     the passages of a log as documents, where there is no folder of them
answer_batches.py   open_answers: a file, a DataFrame or dicts as rows of the answers table, batch by batch
tool_score_rows.py  scores that the log's tool gave: rows of the scores table
log_export.py       write_answers: rows back in a tool's words

log_formats/  SCHEMAS: how some twenty tools name their columns; a new tool is a row of tool_schemas.toml
log_files/    JSON, CSV, Parquet and Excel as records, one after the other, each with its place
judged_logs/  logs of several systems that people have judged: MTRAG, InspectorRAGet
"""

from ragassay.answers.answer_batches import open_answers, read_case_facts
from ragassay.answers.answers_before_plan import FILE as BEFORE_PLAN
from ragassay.answers.answers_before_plan import asked_so_far, known_before
from ragassay.answers.asking import ask_all
from ragassay.answers.engagement_answers import (
    challengers,
    collect_answers,
    hooks,
    input_remarks,
    limits,
    logged_cases,
    read_collection,
    reuse_sentence,
    summary,
)
from ragassay.answers.log_export import write_answers
from ragassay.answers.log_import import count_rows, load_log, rows_left_out, share_read
from ragassay.answers.log_passages import passages
from ragassay.answers.system_under_test import System, load_system
from ragassay.answers.tool_score_rows import as_scores as given_scores
from ragassay.answers.tool_score_rows import pairs as given_pairs

__all__ = [
    "BEFORE_PLAN",
    "System",
    "ask_all",
    "asked_so_far",
    "challengers",
    "collect_answers",
    "count_rows",
    "given_pairs",
    "given_scores",
    "hooks",
    "input_remarks",
    "known_before",
    "limits",
    "load_log",
    "load_system",
    "logged_cases",
    "open_answers",
    "passages",
    "read_case_facts",
    "read_collection",
    "reuse_sentence",
    "rows_left_out",
    "share_read",
    "summary",
    "write_answers",
]  # fmt: skip
