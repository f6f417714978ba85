"""A language model as judge: optional, named by the user, asked through any OpenAI-compatible endpoint.

judge     Judge: asks, keeps, counts                 messages  what is asked, fenced, and how a reply is read
endpoint  one call: the reply, or why there is none  (when to ask again: web/retries)
journal   every paid reply kept at once, and counts  budget    calls and tokens before any is spent; a dry run
prompts/  the questions, in our own words
"""

from ragassay.models.judge.budget import Budget, DryRun, estimate_budget
from ragassay.models.judge.journal import Spent
from ragassay.models.judge.judge import Judge, make_judge
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
    "estimate_budget",
    "fence",
    "make_judge",
]
