"""Questions outside the documents: near them, or against them (far ones: `attack_probes.out_of_scope`).

near_questions  things that no passage knows, of a kind that the documents have; what no passage says of those
                that they have
false_premises  questions that take for true what a passage says is false
"""

from ragassay.cases.outside_documents.false_premise_cases import false_premises
from ragassay.cases.outside_documents.near_questions import near_questions

__all__ = ["false_premises", "near_questions"]
