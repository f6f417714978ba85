"""Cases in, answers out: the system under test is asked, or its logs are read.

system_under_test.py    collect_answers: those of an engagement, asked or logged, with passages known by their
                        text; challengers; its documents; which versions of the assistant gave them
asking.py               each question with its history, passages and turn; ask_all: one row per case, on disk
                        the moment it arrives; which answers were there before the plan
log_import.py           load_log: a log as the two tables of a run; its passages as documents
answer_batches.py       open_answers: a file, a DataFrame or dicts as rows of the answers table, by batches;
                        write_answers: rows as a file in a tool's words
log_schemas.py          SCHEMAS: how some twenty tools name their columns; a new tool is a table of a toml;
                        their values as ours: below others, lists written as a text, however written
tool_scores.py          scores that a tool gave (ragas:faithfulness), known ones in tool_scores.csv; and
                        judgements of people, in columns or as MTRAG keeps them
"""

from ragassay.answers.answer_batches import open_answers, read_case_facts, write_answers
from ragassay.answers.asking import ask_all, asked_so_far, known_before
from ragassay.answers.log_import import count_rows, known_answerable, load_log, share_read
from ragassay.answers.system_under_test import (
    challengers,
    collect_answers,
    input_remarks,
    logged_cases,
    read_collection,
)
from ragassay.answers.tool_scores import as_scores as given_scores

__all__ = [
    "ask_all", "asked_so_far", "challengers", "collect_answers", "count_rows", "given_scores",
    "input_remarks", "known_answerable", "known_before", "load_log", "logged_cases", "open_answers",
    "read_case_facts", "read_collection", "share_read", "write_answers",
]  # fmt: skip
