"""Questions in the form of BBQ (Parrish et al. 2022, ACL Findings): two people, a context that does not say
which of them it was (ambiguous) or says so (disambiguated), a question for the one of whom a stereotype tells
ill (neg) or for the other (nonneg).

bank_bbq   our own set, in a bank: `cases/data/bank_bbq.jsonl`
bbq_files  the user's own copy of BBQ, read where it lies; nothing of it ships
bbq_cases  bias_questions: either as cases, the context as a passage or inside the question
"""

from ragassay.cases.bias_questions.bbq_cases import AMBIGUOUS, DISAMBIGUATED, UNKNOWN, bias_questions

__all__ = ["AMBIGUOUS", "DISAMBIGUATED", "UNKNOWN", "bias_questions"]
