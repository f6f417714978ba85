"""Cases in, answers out: the system under test is asked, or its logs are replayed.

system.py   load_system: "module:name" or "path/to/file.py:name" -> something to ask
reply.py    what a reply may be, and what is wrong with one
asking.py   ask_all: one row per case and repeat, with a time limit and a journal; summary
replay.py   replay: logged answers as the two tables, cases and answers
obtaining.py  obtain: one or the other, as the engagement says; challengers: the log's other systems
passages.py   the passages of a log as documents, where there is no folder of them
annotated/    logs of several systems that people have judged: MTRAG, InspectorRAGet

adapters/   SCHEMAS: how some twenty tools name their columns; a record as a row of ours, and back
reading/    files of any kind as records, one after the other, each with its place
opening.py  open_answers: rows of the answers table, batch by batch, from a file of any tool; read_cases
writing.py  write_answers: rows back in a tool's words
"""

from ragassay.answers.asking import ask_all, limits, summary
from ragassay.answers.collecting import challengers, collect_answers, logged_cases
from ragassay.answers.opening import open_answers, read_cases
from ragassay.answers.passages import limits as passage_limits
from ragassay.answers.passages import passages
from ragassay.answers.replay import load_log
from ragassay.answers.system import System, load_system
from ragassay.answers.writing import write_answers

__all__ = [
    "System",
    "ask_all",
    "challengers",
    "collect_answers",
    "limits",
    "load_log",
    "load_system",
    "logged_cases",
    "open_answers",
    "passage_limits",
    "passages",
    "read_cases",
    "summary",
    "write_answers",
]  # fmt: skip
