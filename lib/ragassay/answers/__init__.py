"""Cases in, answers out: the system under test is asked, or its logs are read.

collecting.py  collect_answers: those of an engagement, asked or logged; challengers, the log's other systems
system.py      load_system: "module:name" or "path/to/file.py:name" -> an assistant in a process of its own
questions.py   each question with its history, passages and turn, checked
described_systems.py  an endpoint or a command line, as its YAML describes it: text, hash, whom it asks
asking.py      ask_all: one row per case and repeat, with a time limit, all of one version
outcomes.py    what became of the questions, in words;  pace.py  how fast they are put
journal.py     every answer on disk the moment it arrives;  in_thread.py  a plain callable, asked here
before_plan.py which answers were there before the plan of the questions
same_system.py whether the assistant is still the one that the first questions were put to

log.py         load_log: a log as the two tables of a run, cases and answers
left_out.py    rows of a log that could not be read: counted, named
passages.py    the passages of a log as documents, where there is no folder of them
sources.py     a file, a DataFrame or dicts as records
batches.py     open_answers: a log as rows of the answers table, batch by batch, for `score`; read_case_facts
given.py       scores that the log's tool gave: rows of the scores table, their cards
export.py      write_answers: rows back in a tool's words

log_formats/   SCHEMAS: how some twenty tools name their columns; a new tool is a new row in schemas.py
log_files/     JSON, CSV, Parquet and Excel as records, one after the other, each with its place
judged_logs/   logs of several systems that people have judged: MTRAG, InspectorRAGet
"""

from ragassay.answers.asking import ask_all
from ragassay.answers.batches import open_answers, read_case_facts
from ragassay.answers.before_plan import FILE as BEFORE_PLAN
from ragassay.answers.before_plan import asked_so_far, known_before
from ragassay.answers.collecting import (
    challengers,
    collect_answers,
    could_be_asked,
    hooks,
    log_columns,
    logged_cases,
)
from ragassay.answers.export import write_answers
from ragassay.answers.given import as_scores as given_scores
from ragassay.answers.given import cards as given_cards
from ragassay.answers.given import pairs as given_pairs
from ragassay.answers.left_out import count_rows, row_checks, rows_left_out, share_read
from ragassay.answers.log import load_log
from ragassay.answers.outcomes import limits, reuse_sentence, summary
from ragassay.answers.passages import limits as passage_limits
from ragassay.answers.passages import passages
from ragassay.answers.system import System, load_system

__all__ = [
    "BEFORE_PLAN",
    "System",
    "ask_all",
    "asked_so_far",
    "challengers",
    "collect_answers",
    "could_be_asked",
    "count_rows",
    "given_cards",
    "given_pairs",
    "given_scores",
    "hooks",
    "known_before",
    "limits",
    "load_log",
    "load_system",
    "log_columns",
    "logged_cases",
    "open_answers",
    "passage_limits",
    "passages",
    "read_case_facts",
    "reuse_sentence",
    "row_checks",
    "rows_left_out",
    "share_read",
    "summary",
    "write_answers",
]  # fmt: skip
