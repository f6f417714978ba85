"""A language model as judge: optional, named by the user, asked through any OpenAI-compatible endpoint.

judge.py     Judge: asks, keeps, counts                        request.py  what is asked and what came back
endpoint.py  one call: the reply, or why there is none         waiting.py  when to ask again, and when to stop
journal.py   every paid reply, kept at once                    spent.py    what was asked and what it took
budget.py    calls and tokens, before any is spent             fence.py    text under test, where it cannot pass for the prompt
reading.py   a reply as the agreed object, or nothing         rehearsal.py  a dry run
prompts/     the questions, in our own words
"""

from ragassay.models.judge.budget import Budget, budget
from ragassay.models.judge.judge import Judge, named
from ragassay.models.judge.request import Reply, Request
from ragassay.models.judge.spent import Spent

__all__ = ["Budget", "Judge", "Reply", "Request", "Spent", "budget", "named"]
