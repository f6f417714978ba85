"""Threats tried on an assistant (`threats`), their rates (`harm_rates`), and all of them in one matrix."""

from ragassay.analysis.safety.harm_rates import answers_to_read, for_gates, rates, without_unread
from ragassay.analysis.safety.threats import Harm, access, attacks, matrix, misuse, privacy, toxicity

__all__ = [
    "Harm",
    "access",
    "answers_to_read",
    "attacks",
    "for_gates",
    "matrix",
    "misuse",
    "privacy",
    "rates",
    "toxicity",
    "without_unread",
]
