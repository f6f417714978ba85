"""Usual names of columns, compared without case, spaces and underscores: for files of no known tool, and to
see that a second column may hold the same."""

import re
from collections.abc import Sequence

from ragassay.answers.log_formats.tool_schemas import Schema

# fmt: off
COMMON = {  # the first that is there counts
    "case_id": ("case_id", "question_id", "query_id", "id", "key"),
    "question": ("question", "query", "prompt", "user_input", "user_query", "user_question",
                 "customer_question", "user_message", "input", "instruction", "request"),
    "answer": ("answer", "response", "generated_answer", "model_answer", "bot_answer", "agent_answer",
               "assistant_answer", "chatbot_answer", "bot_response", "model_response", "assistant_response",
               "actual_output", "output", "completion", "prediction", "generation", "result", "reply"),
    "contexts": ("contexts", "context", "retrieved_contexts", "retrieved_context", "retrieval_context",
                 "retrieved_passages", "retrieved_documents", "retrieved_docs", "retrieved_chunks",
                 "passages", "documents", "docs", "source_documents", "chunks", "evidence", "sources",
                 "references"),
    "reference_answer": ("reference_answer", "reference", "ground_truth", "expected_output",
                         "expected_answer", "gold_answer", "gt_answer", "target"),
    "answerable": ("answerable", "is_answerable", "should_be_answered"),
    "latency_s": ("latency_s", "latency_seconds"),
}
MEANS_ALSO = {  # names that beside a known column mean something else as often: no sign of a contradiction
    "contexts": ("context", "passages", "documents", "docs", "source_documents", "chunks", "evidence",
                 "sources", "references"),
    "reference_answer": ("reference", "target"),
}
# fmt: on
BY_NAME = "by_name"


def schema_of(columns: Sequence[str]) -> Schema:
    """The schema of a file of no known tool: its columns by their usual names."""
    found = {ours: next(iter(likely_columns(columns, ours)), "") for ours in COMMON}
    taken = {ours: theirs for ours, theirs in found.items() if theirs}
    return Schema(BY_NAME, "no known tool; columns taken by their usual names", (), taken)


def likely_columns(columns: Sequence[str], ours: str) -> list[str]:
    """The columns that usually hold this one of ours, the likeliest first; one of each name."""
    by_name = {_plain(name): name for name in reversed(columns)}
    return [by_name[_plain(name)] for name in COMMON[ours] if _plain(name) in by_name]


def surely_named(columns: Sequence[str], ours: str) -> list[str]:
    """Those of them whose name means nothing else."""
    doubtful = {_plain(name) for name in MEANS_ALSO.get(ours, ())}
    return [name for name in likely_columns(columns, ours) if _plain(name) not in doubtful]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
