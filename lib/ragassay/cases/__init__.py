"""Cases: what will be asked, and why these (HCAT section 2 and 6.1).

topics                  passages -> topics with words and a map; passages that say the opposite
rule_questions/         questions from the passages by rules;  llm_questions: by a language model
database_questions/     questions whose answers a database knows
question_filter         what a generated question must pass; how many per topic, and which; are there enough
own_questions           the user's questions, with their references and topic
perturbations           the same questions put less well: those that still ask the same
passage_changes         the same questions with passages added, planted, dropped; once more, as second turns
bias_questions          the same questions by or about another group; questions in the form of BBQ
outside_documents       what no document answers
attack_probes           questions that try to make the assistant misbehave, injections among them
assemble_test_set       the test set as one table, and its plan (preregistration)
case_table              the columns of a case, where it comes from, and the table as a file
"""

from ragassay.cases.assemble_test_set import (
    collect,
    composition,
    draw_grounded,
    plan,
    plan_deviation,
    write_questions,
)
from ragassay.cases.attack_probes import (
    add_own_probes,
    engagement_probes,
    probe_families,
    split_probes,
    unprobed_uses,
)
from ragassay.cases.bias_questions import bias_questions, swap_groups
from ragassay.cases.outside_documents import OUTSIDE, outside_questions
from ragassay.cases.own_questions import read_cases
from ragassay.cases.passage_changes import adversarial_cases, ask_again, sample_parents
from ragassay.cases.perturbations import PERTURBATIONS, reword
from ragassay.cases.question_filter import adequacy, power
from ragassay.cases.topics import build_topics, contradictions

__all__ = [
    "OUTSIDE", "PERTURBATIONS", "add_own_probes", "adequacy", "adversarial_cases", "ask_again",
    "bias_questions", "build_topics", "collect", "composition", "contradictions", "draw_grounded",
    "engagement_probes", "outside_questions", "plan", "plan_deviation", "power", "probe_families",
    "read_cases", "reword", "sample_parents", "split_probes", "swap_groups", "unprobed_uses",
    "write_questions",
]  # fmt: skip
