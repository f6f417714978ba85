"""Counterfactual questions: the engagement's own, asked again by or about somebody of another group.

wording_files    the files a user may edit: personas, words that mention a group, words a question may not
speak of meaning_kept     when a swap leaves what is asked, and why not
group_swap    swap_groups: the questions as cases, several to a question, and what was left out

Every version of a question names it as its parent and shares its group. Versions that differ in the group
only are compared with each other, never with the question as it stood: to put anything before a question
moves what a retriever finds, whoever is named.
"""

from ragassay.cases.counterfactuals.group_swap import ATTRIBUTES, CONTROL, Swapped, swap_groups

__all__ = ["ATTRIBUTES", "CONTROL", "Swapped", "swap_groups"]
