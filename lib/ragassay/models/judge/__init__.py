"""A language model as judge: optional, named by the user, asked through any OpenAI-compatible endpoint.

judge     asks, keeps every paid reply, counts       messages  what is asked, fenced, and how a reply is read
endpoint  one call: the reply, or why there is none  budget    calls and tokens before any is spent; a dry run
prompts/  the questions, in our own words            (when to ask again: web/retries)
"""

from ragassay.models.judge.budget import Budget, DryRun
from ragassay.models.judge.judge import Judge, Spent, make_judge
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
