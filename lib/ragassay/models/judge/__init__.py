"""A language model as judge: optional, named by the user, asked through any OpenAI-compatible endpoint.

judge     asks, keeps every paid reply, counts, before and after
endpoint  one call: the reply, or why there is none (when to ask again: web.py)
messages  what is asked, fenced, and how a reply is read
prompts/  the questions, in our own words
"""

from ragassay.models.judge.judge import Budget, DryRun, Judge, Spent, make_judge
from ragassay.models.judge.messages import FENCE_RULE, FRAGMENTS, Reply, Request, fence

__all__ = [
    "FENCE_RULE",
    "FRAGMENTS",
    "Budget",
    "DryRun",
    "Judge",
    "Reply",
    "Request",
    "Spent",
    "fence",
    "make_judge",
]
