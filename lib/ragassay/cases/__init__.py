"""Cases: what will be asked, and why these (HCAT section 2 and 6.1).

topics                  passages -> topics with words and a map
case_sampling           how many per topic, and which;  question_log: by what customers ask about
contradicting_passages  passages that say the opposite
rule_questions/         questions from the passages by rules;  llm_questions: by a language model
database_questions/     questions whose answers a database knows
question_filter         what a generated question must pass
own_questions           the user's questions, with their evidence and topic
perturbations           the same questions put less well;  meaning_guard: those that still ask the same
repeated_questions      the same questions once more, and as second turns
passage_changes         passages added, planted or dropped
counterfactuals         the same questions by or about another group;  bias_questions: in the form of BBQ
outside_documents       what no document answers, of the documents' own kind
attack_probes           questions that try to make the assistant misbehave (injection_attacks,
                        planted_secrets, prohibited_uses);  own_probes: the user's further ones
sample_adequacy         whether there are enough
assemble_test_set       the test set as one table, and its plan (preregistration)
case_table              the columns of a case, and the table as a file;  case_origins: where a case comes from
"""

from ragassay.cases import database_questions, own_probes, question_log
from ragassay.cases.assemble_test_set import (
    collect,
    composition,
    plan,
    plan_deviation,
    question_writer,
    write_questions,
)
from ragassay.cases.attack_probes import engagement_probes, probes
from ragassay.cases.bias_questions import bias_questions
from ragassay.cases.contradicting_passages import contradictions
from ragassay.cases.counterfactuals import swap_groups
from ragassay.cases.meaning_guard import reword
from ragassay.cases.own_probes import outside_questions
from ragassay.cases.own_questions import read_cases
from ragassay.cases.passage_changes import adversarial_cases
from ragassay.cases.perturbations import PERTURBATIONS, sample_parents
from ragassay.cases.repeated_questions import ask_again
from ragassay.cases.sample_adequacy import adequacy, power
from ragassay.cases.topics import build_topics

__all__ = [
    "PERTURBATIONS", "adequacy", "adversarial_cases", "ask_again", "bias_questions", "build_topics",
    "collect", "composition", "contradictions", "database_questions", "engagement_probes",
    "outside_questions", "own_probes", "plan", "plan_deviation", "power", "probes", "question_log",
    "question_writer", "read_cases", "reword", "sample_parents", "swap_groups", "write_questions",
]  # fmt: skip
