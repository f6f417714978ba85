"""Cases in, answers out: the system under test is asked, or its logs are replayed.

system.py   load_system: "module:name" or "path/to/file.py:name" -> something to ask
reply.py    what a reply may be, and what is wrong with one
asking.py   ask_all: one row per case and repeat, with a time limit and a journal; summary
replay.py   replay: logged answers as the two tables, cases and answers
obtaining.py  obtain: one or the other, as the engagement says
"""

from ragassay.answers.asking import ask_all, limits, summary
from ragassay.answers.obtaining import logged_cases, obtain
from ragassay.answers.replay import replay
from ragassay.answers.system import System, load_system

__all__ = ["System", "ask_all", "limits", "load_system", "logged_cases", "obtain", "replay", "summary"]
