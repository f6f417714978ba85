"""Threats tried on an assistant (`threats`), their rates (`harm_rates`), and all of them in one matrix."""

# ruff: noqa: F401  (callers take these names from here)
from ragassay.analysis.safety.harm_rates import for_gates, rates
from ragassay.analysis.safety.threats import (
    Harm,
    access,
    answers_to_read,
    attacks,
    join,
    matrix,
    misuse,
    privacy,
    search_documents,
    toxicity,
)
